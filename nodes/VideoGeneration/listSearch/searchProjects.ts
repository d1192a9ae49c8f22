import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { listProjects } from '../loadOptions/getProjects';

/**
 * The projects of the account for a picker, last updated first.
 *
 * @param filter what the user typed: part of a name, or an ID
 * @throws a NodeApiError, so that the list shows what is wrong instead of being empty
 */
export async function searchProjects(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const wanted = (filter ?? '').trim().toLowerCase();
	const results = (await listProjects(this))
		.map(({ id, name }) => ({ value: id, name }))
		.filter(
			({ name, value }) => name.toLowerCase().includes(wanted) || value.toLowerCase() === wanted,
		);
	return { results };
}
