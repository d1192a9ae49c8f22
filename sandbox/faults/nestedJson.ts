import { changeReplyJson } from './changeReplyJson';
import type { FaultKind } from './FaultKind';

const MARK = '"nested here"';

/** A field of so many lists, one inside the other: in a list's first entry, else in the envelope. */
export const nestedJson: FaultKind<{ levels: number }> = {
	options: { levels: { type: 'integer', minimum: 1 } },
	required: ['levels'],
	create: ({ levels }) => ({
		after: (reply) => {
			const marked = changeReplyJson(reply, (body) => {
				const [list] = Object.values(body).filter(Array.isArray);
				const [entry = body] = (list ?? []) as Record<string, unknown>[];
				entry.nested = JSON.parse(MARK);
			});
			if (!Buffer.isBuffer(marked.body)) return Promise.resolve(marked);
			const nested = '['.repeat(levels) + ']'.repeat(levels);
			return Promise.resolve({
				...marked,
				body: Buffer.from(marked.body.toString().replace(MARK, nested)),
			});
		},
	}),
};
