import type { FaultKind } from './Fault';
import { getLength, takeBytes } from './replies';

const BYTES = {
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
	part?: keyof typeof BYTES;
	/** Bytes of the body that arrive before, after the head; by default, not even the head does. */
	keepBytes?: number;
}

/** Processes the request and breaks the encryption of the reply. Meant for connections with TLS. */
export const brokenTls: FaultKind<BrokenTlsOptions> = {
	options: {
		part: { enum: Object.keys(BYTES) },
		keepBytes: { type: 'integer', minimum: 0 },
	},
	create: ({ part = 'plainText', keepBytes }) => ({
		after: (reply) => {
			const raw = { bytes: BYTES[part], beneathTls: true };
			if (keepBytes === undefined || !Buffer.isBuffer(reply.body)) return raw;
			const headers = { ...reply.headers, 'content-length': String(getLength(reply)) };
			return { ...raw, first: { ...reply, headers, body: takeBytes(reply.body, keepBytes) } };
		},
	}),
};
