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

/** Changes the body of a reply that is a JSON object; other replies stay as they are. */
export function changeJson(reply: Reply, change: (body: Record<string, unknown>) => void): Reply {
	if (!Buffer.isBuffer(reply.body)) return reply;
	if (!reply.headers['content-type']?.includes('json')) return reply;
	// Long queue ids are numbers that JavaScript cannot hold.
	const text = reply.body.toString().replace(/:(\d{17,})/g, ':"number $1"');
	const body: unknown = JSON.parse(text);
	if (typeof body !== 'object' || body === null || Array.isArray(body)) return reply;
	change(body as Record<string, unknown>);
	const headers = omitHeader(reply.headers, 'content-length');
	const changed = JSON.stringify(body).replace(/"number (\d{17,})"/g, '$1');
	return { ...reply, headers, body: Buffer.from(changed) };
}

/** Adds fields to a reply's envelope and to every resource in it, alone or in a list. */
export function addFields(reply: Reply, fields: Record<string, unknown>): Reply {
	return changeJson(reply, (body) => {
		for (const value of Object.values(body)) {
			for (const entry of Array.isArray(value) ? (value as unknown[]) : [value]) {
				if (typeof entry === 'object' && entry !== null) Object.assign(entry, fields);
			}
		}
		Object.assign(body, fields);
	});
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
