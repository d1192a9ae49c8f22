import type { PostReceiveAction } from 'n8n-workflow';
import { getBody, requireList } from './requireField';

/** One item for each entry of a reply's list. An empty list is no error: no items. */
export function takeList(field: string): PostReceiveAction {
	return async function (items) {
		const list = requireList(getBody(items), field);
		return await Promise.resolve(list.map((json) => ({ json })));
	};
}
