import type { FaultKind } from './Fault';
import { changeJson } from './replies';

const ODD_ENTRIES = [
	null,
	7,
	'odd',
	true,
	[],
	{},
	{ id: 'odd-without-other-fields' },
	{ id: null, url: null, name: null, projectId: null, createdAt: null, updatedAt: null },
	{ url: 'http://127.0.0.1:9/odd.mp4', name: 'Odd', createdAt: '2026-01-15T12:00:00.000Z' },
];

/** Puts invalid entries before, between and after the entries of a list. */
export const oddEntries: FaultKind<{ entries?: unknown[] }> = {
	options: { entries: { type: 'array' } },
	create: ({ entries = ODD_ENTRIES }) => ({
		after: (reply) =>
			changeJson(reply, (body) => {
				for (const [field, value] of Object.entries(body)) {
					if (Array.isArray(value)) body[field] = interleave(entries, value);
				}
			}),
	}),
};

function interleave(odd: unknown[], good: unknown[]): unknown[] {
	const mixed = good.flatMap((entry, index) => [...odd.slice(index, index + 1), entry]);
	return [...mixed, ...odd.slice(good.length)];
}
