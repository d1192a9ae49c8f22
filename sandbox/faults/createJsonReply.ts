import type { Reply } from './Reply';

/** A reply whose body is `body` as JSON. */
export function createJsonReply(
	status: number,
	body: unknown,
	headers: Record<string, string> = {},
): Reply {
	return {
		status,
		headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
		body: Buffer.from(JSON.stringify(body)),
	};
}
