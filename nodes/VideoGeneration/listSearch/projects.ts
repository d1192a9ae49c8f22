import type {
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';
import { fetchProjects } from '../api/endpoints';
import { getConnection } from '../execution/parameters';
import { createApiError, putAllInMessage } from '../failures/errors';

/** The user waits for the list in the editor. */
const MAX_TRIES = 2;

/**
 * The projects of the account as options to choose several of, last updated first.
 *
 * @throws a NodeApiError, so that the list shows what is wrong instead of being empty
 */
export async function getProjects(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return (await listProjects(this)).map(({ id, name }) => ({ name, value: id }));
}

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

/** The projects of the account, for the editor. @throws a NodeApiError */
async function listProjects(
	context: ILoadOptionsFunctions,
): Promise<{ id: string; name: string }[]> {
	try {
		return await fetchProjects(context, {
			maxTries: MAX_TRIES,
			connection: getConnection(context),
		});
	} catch (error) {
		const apiError = createApiError(context.getNode(), error, { requestKind: 'read' });
		putAllInMessage(apiError);
		throw apiError;
	}
}
