import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../domain/ServiceError';

/**
 * Reads the body as JSON, which the API wants to be declared as such ("What the service does", 5).
 *
 * @throws ServiceError `invalidInput`
 */
export async function parseJsonBody(request: FastifyRequest): Promise<void> {
	if (request.rawBody === '') return;
	if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
		throw new ServiceError('invalidInput', 'The body must be sent as application/json');
	}
	try {
		request.body = JSON.parse(request.rawBody);
	} catch {
		throw new ServiceError('invalidInput', 'The body is not valid JSON');
	}
	return Promise.resolve();
}
