import { Readable } from 'node:stream';
import type { FaultKind, Reply } from './Fault';
import { omitHeader } from './replies';

const DEFAULT_BYTES = 64 * 1024 ** 2;
const PIECE = Buffer.from('0,'.repeat(32 * 1024));

/** Replaces a list reply with valid JSON of very many tiny entries: `[0,0,0,…]`. */
export const commas: FaultKind<{ bytes?: number }> = {
	options: { bytes: { type: 'integer', minimum: 64 } },
	create: ({ bytes = DEFAULT_BYTES }) => ({
		after: (reply) => {
			const field = findListField(reply);
			if (field === undefined) return reply;
			const headers = omitHeader(reply.headers, 'content-length');
			const body = Readable.from(writeList(field, bytes), { objectMode: false });
			return { ...reply, headers, body };
		},
	}),
};

function findListField({ body }: Reply): string | undefined {
	return Buffer.isBuffer(body) ? /"(\w+)":\[/.exec(body.toString())?.[1] : undefined;
}

function* writeList(field: string, bytes: number): Generator<Buffer> {
	const head = Buffer.from(`{"status":"success","${field}":[`);
	const tail = Buffer.from('0]}');
	yield head;
	let left = bytes - head.length - tail.length;
	while (left > 1) {
		const piece = PIECE.subarray(0, Math.min(left - (left % 2), PIECE.length));
		yield piece;
		left -= piece.length;
	}
	if (left === 1) yield Buffer.from(' ');
	yield tail;
}
