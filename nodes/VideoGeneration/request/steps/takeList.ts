import type { IDataObject, PostReceiveAction } from 'n8n-workflow';
import { getBody, requireField } from './requireField';

/**
 * One item for each entry of a reply's list. An empty list is no error: no items. The bare list,
 * without its envelope, is taken as well: the specification reports it of a prose example.
 */
export function takeList(field: string): PostReceiveAction {
	return async function (items) {
		const body: unknown = getBody(items);
		const list = Array.isArray(body)
			? (body as IDataObject[])
			: requireField(body as IDataObject, field, 'list');
		return await Promise.resolve(list.map((json) => ({ json })));
	};
}
