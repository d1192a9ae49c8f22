import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { readProjects } from '../request/readProjects';

/**
 * The projects of the account as options to choose several of, last updated first.
 *
 * @throws a NodeApiError, so that the list shows what is wrong instead of being empty
 */
export async function getProjects(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return (await readProjects(this)).map(({ id, name }) => ({ name, value: id }));
}
