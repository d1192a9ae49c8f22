import type { FastifyReply } from 'fastify';
import { ServiceError } from '../domain/ServiceError';

const STATUS_OF_CODE = {
	invalidInput: 400,
	insufficientCredits: 402,
	notFound: 404,
	conflict: 409,
} as const;

/**
 * Answers with the one error body that the specification shows, `{ status: 'error', message }`
 * ("Errors", 2). What is wrong with the request's own form is a 400, as everywhere in the API.
 */
export function replyWithError(error: unknown, reply: FastifyReply): FastifyReply {
	const status = readStatus(error);
	const message = error instanceof Error && status < 500 ? error.message : 'Internal server error';
	return reply.code(status).send({ status: 'error', message });
}

function readStatus(error: unknown): number {
	if (error instanceof ServiceError) return STATUS_OF_CODE[error.code];
	if (typeof error !== 'object' || error === null || !('statusCode' in error)) return 500;
	const status = Number(error.statusCode);
	if (status === 401 || status === 404 || status === 429) return status;
	return status >= 400 && status < 500 ? 400 : 500;
}
