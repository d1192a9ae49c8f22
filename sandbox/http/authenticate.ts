import type { FastifyRequest } from 'fastify';
import type { SandboxContext } from '../control/SandboxContext';

/**
 * Finds the account of `Authorization: Bearer <API_KEY>` ("Authentication").
 *
 * @throws 401 for a missing or unknown key; the specification shows no status for it
 */
export async function authenticate(
	request: FastifyRequest,
	{ store }: SandboxContext,
): Promise<void> {
	const key = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
	const account = [...store.accounts.values()].find(({ apiKey }) => apiKey === key);
	if (!account) {
		const message = key === undefined ? 'Missing API key' : 'Invalid API key';
		throw Object.assign(new Error(message), { statusCode: 401 });
	}
	request.account = account;
	return Promise.resolve();
}
