import { actInPhase, type FaultKind, PHASE, type PhaseOption } from './Fault';

const PAGE = '<!doctype html><html><head><title>Welcome</title></head><body>Hello</body></html>';

interface HtmlOptions extends PhaseOption {
	status?: number;
	body?: string;
}

/** Replies with a web page, as a wrong base URL or a proxy's login page does. */
export const html: FaultKind<HtmlOptions> = {
	options: {
		status: { type: 'integer', minimum: 200, maximum: 599 },
		body: { type: 'string' },
		phase: PHASE,
	},
	create: ({ status = 200, body = PAGE, phase }) =>
		actInPhase(phase, () => ({
			status,
			headers: { 'content-type': 'text/html; charset=utf-8' },
			body: Buffer.from(body),
		})),
};
