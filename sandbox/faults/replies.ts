import { Readable } from 'node:stream';
import type { Reply } from './Fault';

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

export function omitHeader(
	headers: Readonly<Record<string, string>>,
	name: string,
): Record<string, string> {
	return Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
}

/** Returns the number of bytes of a body: counted, or as announced if it is a stream. */
export function getLength({ body, headers }: Reply): number {
	return Buffer.isBuffer(body) ? body.length : Number(headers['content-length'] ?? 0);
}

/** Returns the first bytes of a body, and reads no more than that from a stream. */
export function takeBytes(body: Buffer | Readable, count: number): Buffer | Readable {
	if (Buffer.isBuffer(body)) return body.subarray(0, count);
	return Readable.from(takeChunks(body, count), { objectMode: false });
}

async function* takeChunks(body: Readable, count: number): AsyncGenerator<Buffer> {
	let left = count;
	if (left <= 0) return;
	for await (const chunk of body as AsyncIterable<Buffer>) {
		yield chunk.subarray(0, left);
		left -= chunk.length;
		if (left <= 0) return;
	}
}
