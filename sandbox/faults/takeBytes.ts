import { Readable } from 'node:stream';

/** The first `count` bytes of a body, without reading more than that of a stream. */
export function takeBytes(body: Buffer | Readable, count: number): Buffer | Readable {
	if (Buffer.isBuffer(body)) return body.subarray(0, count);
	return Readable.from(readBytes(body, count), { objectMode: false });
}

async function* readBytes(body: Readable, count: number): AsyncGenerator<Buffer> {
	let left = count;
	if (left <= 0) return;
	for await (const chunk of body as AsyncIterable<Buffer>) {
		yield chunk.subarray(0, left);
		left -= chunk.length;
		if (left <= 0) return;
	}
}
