import type { FaultKind } from './Fault';

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const BYTES = {
	statusLine: 'HTTQ 200 what is this\r\n\r\n',
	header: `${HEAD}Broken header\u0001: yes\r\n\r\n`,
	chunk: `${HEAD}Transfer-Encoding: chunked\r\n\r\n14\r\n{"status":"success",\r\nnot-a-size\r\n`,
};

interface BrokenHttpOptions {
	/** The invalid part; the status line by default. */
	part?: keyof typeof BYTES;
}

/** Processes the request and sends invalid HTTP: Node's client fails with an HPE_ code. */
export const brokenHttp: FaultKind<BrokenHttpOptions> = {
	options: { part: { enum: Object.keys(BYTES) } },
	create: ({ part = 'statusLine' }) => ({ after: () => ({ bytes: Buffer.from(BYTES[part]) }) }),
};
