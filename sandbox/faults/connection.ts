import { actInPhase, type Fault, type PhaseOption } from './Fault';

/** Never replies. */
const hang = ({ phase }: PhaseOption): Fault => actInPhase(phase, () => 'hang');

/** Resets the connection. */
const reset = ({ phase }: PhaseOption): Fault => actInPhase(phase, () => 'reset');

/** Delays the processing of the request, or with `phase: 'after'` its reply. */
const latency = ({ delayMs, phase }: PhaseOption & { delayMs: number }): Fault =>
	actInPhase(phase, async ({ wait }) => {
		await wait(delayMs);
		return undefined;
	});

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const INVALID_HTTP = {
	statusLine: 'HTTQ 200 what is this\r\n\r\n',
	header: `${HEAD}Broken header\u0001: yes\r\n\r\n`,
	chunk: `${HEAD}Transfer-Encoding: chunked\r\n\r\n14\r\n{"status":"success",\r\nnot-a-size\r\n`,
};

interface BrokenHttpOptions {
	/** The invalid part; the status line by default. */
	part?: keyof typeof INVALID_HTTP;
}

/** Processes the request and sends invalid HTTP: Node's client fails with an HPE_ code. */
const brokenHttp = ({ part = 'statusLine' }: BrokenHttpOptions): Fault => ({
	after: () => ({ bytes: Buffer.from(INVALID_HTTP[part]) }),
});

/** Faults of the connection: no reply arrives, or it arrives late or broken. */
export const CONNECTION_FAULTS = { hang, reset, latency, brokenHttp };
