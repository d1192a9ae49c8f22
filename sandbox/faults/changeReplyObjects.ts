import { changeReplyJson } from './changeReplyJson';
import type { Reply } from './Reply';

/** Adds fields to a reply's envelope and to every resource in it, be it alone or in a list. */
export function changeReplyObjects(reply: Reply, fields: Record<string, unknown>): Reply {
	return changeReplyJson(reply, (body) => {
		for (const value of Object.values(body)) {
			for (const entry of Array.isArray(value) ? (value as unknown[]) : [value]) {
				if (typeof entry === 'object' && entry !== null) Object.assign(entry, fields);
			}
		}
		Object.assign(body, fields);
	});
}
