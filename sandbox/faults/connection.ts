import { actInPhase, type FaultKind, PHASE, type PhaseOption } from './Fault';
import { getLength, takeBytes } from './replies';

/** Never replies. */
const hang: FaultKind<PhaseOption> = {
	options: { phase: PHASE },
	create: ({ phase }) => actInPhase(phase, () => 'hang'),
};

/** Resets the connection. */
const reset: FaultKind<PhaseOption> = {
	options: { phase: PHASE },
	create: ({ phase }) => actInPhase(phase, () => 'reset'),
};

/** Delays the processing of the request, or with `phase: 'after'` its reply. */
const latency: FaultKind<PhaseOption & { delayMs: number }> = {
	options: { delayMs: { type: 'number', minimum: 0 }, phase: PHASE },
	required: ['delayMs'],
	create: ({ delayMs, phase }) =>
		actInPhase(phase, async ({ wait }) => {
			await wait(delayMs);
			return undefined;
		}),
};

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
const brokenHttp: FaultKind<BrokenHttpOptions> = {
	options: { part: { enum: Object.keys(INVALID_HTTP) } },
	create: ({ part = 'statusLine' }) => ({
		after: () => ({ bytes: Buffer.from(INVALID_HTTP[part]) }),
	}),
};

const INVALID_TLS = {
	/** A proxy that falls back to plain HTTP. */
	plainText: Buffer.from('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n'),
	damagedRecord: Buffer.concat([
		Buffer.from([0x17, 0x03, 0x03, 0x00, 0x40]),
		Buffer.alloc(0x40, 7),
	]),
	/** A fatal internal_error, unencrypted. */
	alert: Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x50]),
};

interface BrokenTlsOptions {
	/** The bytes in place of an encrypted record; plain text by default. */
	part?: keyof typeof INVALID_TLS;
	/** Bytes of the body that arrive before, after the head; by default, not even the head does. */
	keepBytes?: number;
}

/** Processes the request and breaks the encryption of the reply. Meant for connections with TLS. */
const brokenTls: FaultKind<BrokenTlsOptions> = {
	options: {
		part: { enum: Object.keys(INVALID_TLS) },
		keepBytes: { type: 'integer', minimum: 0 },
	},
	create: ({ part = 'plainText', keepBytes }) => ({
		after: (reply) => {
			const raw = { bytes: INVALID_TLS[part], beneathTls: true };
			if (keepBytes === undefined || !Buffer.isBuffer(reply.body)) return raw;
			const headers = { ...reply.headers, 'content-length': String(getLength(reply)) };
			return { ...raw, first: { ...reply, headers, body: takeBytes(reply.body, keepBytes) } };
		},
	}),
};

/** Faults of the connection: no reply arrives, or it arrives late or broken. */
export const CONNECTION_FAULTS = { hang, reset, latency, brokenHttp, brokenTls };
