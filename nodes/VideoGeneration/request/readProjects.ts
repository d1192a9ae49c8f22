import type { IDataObject, ILoadOptionsFunctions } from 'n8n-workflow';
import { WHOLE_LIST } from './answerLimits';
import { createApiError } from '../failures/createApiError';
import { hideKey } from './hideKey';
import { READ_PROJECTS } from './operationPolicies';
import { readFailure } from '../failures/readFailure';
import { readFromApi } from './readFromApi';
import { readText } from './readText';
import { requireList } from './steps/requireField';

/** A list that is waited for in the editor: two tries are enough. */
const MAX_TRIES = 2;

/**
 * The projects of the account for a picker, last updated first (specification, "GET /v1/projects").
 *
 * @returns each with its name, or its ID where it has none
 * @throws a NodeApiError, so that the list shows what is wrong instead of being empty
 */
export async function readProjects(
	context: ILoadOptionsFunctions,
): Promise<{ id: string; name: string }[]> {
	const outcome = await requestProjects(context).then(
		(projects) => ({ projects }),
		(reason: unknown) => ({ reason }),
	);
	if ('reason' in outcome) {
		const failure = await hideKey(context, readFailure(outcome.reason));
		throw createApiError(context.getNode(), failure, READ_PROJECTS);
	}
	return outcome.projects
		.map(({ id, name }) => ({ id: readText(id), name: readText(name) || readText(id) }))
		.filter(({ id }) => id !== '');
}

async function requestProjects(context: ILoadOptionsFunctions): Promise<IDataObject[]> {
	const body = await readFromApi(
		context,
		{ url: '/v1/projects', qs: { sort: 'updatedAt', order: 'desc' } },
		WHOLE_LIST,
		MAX_TRIES,
	);
	return requireList(body, 'projects').sort(byLastUpdate);
}

/** The service may not sort as it was asked to. */
function byLastUpdate(a: IDataObject, b: IDataObject): number {
	return (Date.parse(readText(b.updatedAt)) || 0) - (Date.parse(readText(a.updatedAt)) || 0);
}
