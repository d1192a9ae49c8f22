import type { FaultKind } from './FaultKind';

const PAGE = '<!doctype html><html><head><title>Welcome</title></head><body>Hello</body></html>';

/** A web page in place of the service, as behind a wrong base URL or a sleeping proxy. */
export const html: FaultKind<{ status?: number; body?: string }> = {
	options: {
		status: { type: 'integer', minimum: 200, maximum: 599 },
		body: { type: 'string' },
	},
	create: ({ status = 200, body = PAGE }) => ({
		before: () =>
			Promise.resolve({
				status,
				headers: { 'content-type': 'text/html; charset=utf-8' },
				body: Buffer.from(body),
			}),
	}),
};
