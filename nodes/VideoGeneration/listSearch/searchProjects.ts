import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { createApiError } from '../request/createApiError';
import { READ_PROJECTS } from '../request/operationPolicies';
import { readFromApi } from '../request/readFromApi';
import { readFailure } from '../request/readFailure';
import { readText } from '../request/readText';
import { requireList } from '../request/steps/requireField';

/** A list that is waited for in the editor: two tries are enough. */
const MAX_TRIES = 2;

/**
 * The projects of the account for a picker, last updated first (specification, "GET /v1/projects").
 *
 * @param filter what the user has typed: part of a name, or an ID
 * @throws a NodeApiError, so that the list shows what is wrong instead of being empty
 */
export async function searchProjects(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const outcome = await readProjects(this).then(
		(projects) => ({ projects }),
		(reason: unknown) => ({ reason }),
	);
	if ('reason' in outcome) {
		throw createApiError(this.getNode(), readFailure(outcome.reason), READ_PROJECTS);
	}
	const wanted = (filter ?? '').trim().toLowerCase();
	const results = outcome.projects
		.map(({ id, name }) => ({ value: readText(id), name: readText(name) || readText(id) }))
		.filter(
			({ name, value }) => name.toLowerCase().includes(wanted) || value.toLowerCase() === wanted,
		);
	return { results };
}

async function readProjects(context: ILoadOptionsFunctions): Promise<IDataObject[]> {
	const body = await readFromApi(
		context,
		{ url: '/v1/projects', qs: { sort: 'updatedAt', order: 'desc' } },
		MAX_TRIES,
	);
	const projects = requireList(body, 'projects');
	return projects.filter(({ id }) => readText(id) !== '').sort(byLastUpdate);
}

/** The service may not sort as it was asked to. */
function byLastUpdate(a: IDataObject, b: IDataObject): number {
	return (Date.parse(readText(b.updatedAt)) || 0) - (Date.parse(readText(a.updatedAt)) || 0);
}
