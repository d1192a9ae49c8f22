import { Readable } from 'node:stream';
import type { FaultKind } from './FaultKind';
import { omitHeader } from './omitHeader';
import type { Reply } from './Reply';

const DEFAULT_BYTES = 64 * 1024 ** 2;
const PIECE = Buffer.from('0,'.repeat(32 * 1024));

/** A list reply becomes valid JSON of very many, very small entries: `[0,0,0,…]`. */
export const commas: FaultKind<{ bytes?: number }> = {
	options: { bytes: { type: 'integer', minimum: 64 } },
	create: ({ bytes = DEFAULT_BYTES }) => ({
		after: (reply) => {
			const field = findListField(reply);
			if (field === undefined) return Promise.resolve(reply);
			return Promise.resolve({
				...reply,
				headers: omitHeader(reply.headers, 'content-length'),
				body: Readable.from(writeList(field, bytes), { objectMode: false }),
			});
		},
	}),
};

function findListField({ body }: Reply): string | undefined {
	if (!Buffer.isBuffer(body)) return undefined;
	return /"(\w+)":\[/.exec(body.toString())?.[1];
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
