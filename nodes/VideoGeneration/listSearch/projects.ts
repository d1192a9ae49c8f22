import type {
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';
import { fetchProjects } from '../api/endpoints';
import { type ApiOptions, openService, type Service } from '../api/request';
import { toText } from '../api/response';
import { createApiError, putAllInMessage } from '../failures/errors';
import { getConnection } from '../item/parameters';

/** The user waits for the list in the editor. */
const MAX_TRIES = 2;

interface ProjectOption {
	name: string;
	value: string;
}

/** The projects to choose several of. */
export async function getProjects(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return await fetchForEditor(this, listProjects);
}

/** The projects for a picker. @param filter part of a name, or an ID */
export async function searchProjects(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const wanted = filter.trim().toLowerCase();
	const isWanted = ({ name, value }: ProjectOption) =>
		name.toLowerCase().includes(wanted) || value.toLowerCase() === wanted;
	return { results: (await fetchForEditor(this, listProjects)).filter(isWanted) };
}

/** The projects of the account by name, last updated first; one without a name by its ID. */
export async function listProjects(
	service: Service,
	options: ApiOptions,
): Promise<ProjectOption[]> {
	const projects = await fetchProjects(service, { sort: 'updatedAt', order: 'desc' }, options);
	return (
		projects
			.map(({ id, name }) => ({ value: toText(id), name: toText(name) || toText(id) }))
			.filter(({ value }) => value !== '' && !isExpression(value))
			// n8n keeps the name with the choice, and would evaluate it, too.
			.map(({ value, name }) => ({ value, name: isExpression(name) ? ` ${name}` : name }))
	);
}

/** Whether n8n would evaluate a value once a person has chosen it: the service must not write expressions. */
export function isExpression(value: string): boolean {
	return value.startsWith('=');
}

/** Fetches a list for the editor. @throws a NodeApiError, so that the list shows what is wrong instead of being empty */
export async function fetchForEditor<T>(
	context: ILoadOptionsFunctions,
	fetch: (service: Service, options: ApiOptions) => Promise<T>,
): Promise<T> {
	try {
		const options = { maxTries: MAX_TRIES, connection: getConnection(context) };
		return await fetch(await openService(context), options);
	} catch (error) {
		const apiError = createApiError(context.getNode(), error, {});
		putAllInMessage(apiError);
		throw apiError;
	}
}
