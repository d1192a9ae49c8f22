import type { FaultKind, Reply } from './Fault';
import { changeJson } from './replies';

const MARK = '"nested here"';

/** Adds a field of nested lists to a list's first entry, or else to the envelope. */
export const nestedJson: FaultKind<{ levels: number }> = {
	options: { levels: { type: 'integer', minimum: 1 } },
	required: ['levels'],
	create: ({ levels }) => ({ after: (reply) => nest(reply, levels) }),
};

function nest(reply: Reply, levels: number): Reply {
	const marked = changeJson(reply, (body) => {
		const [list] = Object.values(body).filter(Array.isArray);
		const [entry = body] = (list ?? []) as Record<string, unknown>[];
		entry.nested = JSON.parse(MARK);
	});
	if (!Buffer.isBuffer(marked.body)) return marked;
	// The lists are inserted as text: JSON.stringify recurses, and overflows the stack at some depth.
	const nested = '['.repeat(levels) + ']'.repeat(levels);
	return { ...marked, body: Buffer.from(marked.body.toString().replace(MARK, nested)) };
}
