import type {
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';
import { fetchProjects } from '../api/endpoints';
import { openService } from '../api/request';
import { toText } from '../api/response';
import { getConnection } from '../item/parameters';
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
		const options = { maxTries: MAX_TRIES, connection: getConnection(context) };
		const service = await openService(context, options);
		const projects = await fetchProjects(service, { sort: 'updatedAt', order: 'desc' }, options);
		return projects
			.map(({ id, name }) => ({ id: toText(id), name: toText(name) || toText(id) }))
			.filter(({ id }) => id !== '');
	} catch (error) {
		const apiError = createApiError(context.getNode(), error, { requestKind: 'read' });
		putAllInMessage(apiError);
		throw apiError;
	}
}
