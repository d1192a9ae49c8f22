import type { FaultKind } from './FaultKind';

const PAGE = '<!doctype html><html><head><title>Welcome</title></head><body>Hello</body></html>';

interface HtmlOptions {
	status?: number;
	body?: string;
	/** Let the service process the request first. */
	phase?: 'before' | 'after';
}

/** A web page in place of the service, as behind a wrong base URL or a sleeping proxy. */
export const html: FaultKind<HtmlOptions> = {
	options: {
		status: { type: 'integer', minimum: 200, maximum: 599 },
		body: { type: 'string' },
		phase: { enum: ['before', 'after'] },
	},
	create: ({ status = 200, body = PAGE, phase = 'before' }) => ({
		[phase]: () =>
			Promise.resolve({
				status,
				headers: { 'content-type': 'text/html; charset=utf-8' },
				body: Buffer.from(body),
			}),
	}),
};
