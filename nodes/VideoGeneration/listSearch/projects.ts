import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { fetchProjects } from '../api/endpoints';
import { type ApiOptions, openService, type Service } from '../api/request';
import { toText } from '../api/response';
import { createApiError, putAllInMessage } from '../failures/errors';
import { toLine } from '../failures/texts';
import { getConnection } from '../item/parameters';

const LATER = 'Open this list again later.';

const NO_PROJECTS =
	'The account has no projects. Create one in the web application of the service, and open this list again.';

export async function getProjects(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return await fetchForEditor(this, listProjects);
}

/** The projects for a picker. @param filter part of a name, or an ID */
export async function searchProjects(this: ILoadOptionsFunctions, filter = '') {
	const wanted = filter.trim().toLowerCase();
	const projects = await fetchForEditor(this, listProjects);
	// The list would say "No results".
	if (projects.length === 0) throw new NodeOperationError(this.getNode(), NO_PROJECTS);
	const results = projects.filter(
		({ name, value }) => name.toLowerCase().includes(wanted) || value.toLowerCase() === wanted,
	);
	return { results };
}

/** The projects of the account by name, last updated first; one without a name by its ID. */
export async function listProjects(service: Service, options: ApiOptions) {
	const projects = await fetchProjects(service, { sort: 'updatedAt', order: 'desc' }, options);
	return (
		projects
			.map(({ id, name }) => ({
				value: toText(id),
				name: toLine(toText(name)) || toLine(toText(id)),
			}))
			.filter(({ value }) => canBeOffered(value))
			// n8n saves a name that begins with `=` as an expression, too.
			.map(({ value, name }) => ({ value, name: name.replace(/^=/, ' =') }))
	);
}

/** Whether an ID can be offered: n8n saves a chosen one that begins with `=` or holds `{{` as an expression. */
export function canBeOffered(id: string): boolean {
	return id !== '' && !id.startsWith('=') && !id.includes('{{') && !/<[a-z/!?]/i.test(id);
}

/** Fetches a list for the editor. @throws an error with all it says in its message, so that the list shows what is wrong instead of being empty */
export async function fetchForEditor<T>(
	context: ILoadOptionsFunctions,
	fetch: (service: Service, options: ApiOptions) => Promise<T>,
): Promise<T> {
	try {
		// The user waits for the list in the editor.
		const options = { maxTries: 2, connection: getConnection(context) };
		return await fetch(await openService(context), options);
	} catch (error) {
		// That of a parameter says by itself what to correct.
		const isOfParameter = error instanceof NodeOperationError;
		const node = context.getNode();
		const texts = { isTrigger: node.type.endsWith('Trigger'), nextTry: LATER };
		const shown = isOfParameter ? error : createApiError(node, error, texts);
		putAllInMessage(shown);
		throw shown;
	}
}
