import type { IPollFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { readText } from '../../request/readText';

/**
 * The IDs of the projects to watch, as the list or an expression gives them.
 *
 * @returns no ID for all projects
 * @throws a NodeOperationError for anything that is no ID, since it would be read as "all"
 */
export function readProjectIds(context: IPollFunctions): string[] {
	const value: unknown = context.getNodeParameter('projectIds', []);
	const chosen: unknown[] = Array.isArray(value) ? value : value === '' ? [] : [value];
	const projectIds = chosen.map(readText);
	if (!projectIds.includes('')) return projectIds;
	throw new NodeOperationError(
		context.getNode(),
		'"Project Names or IDs" holds something that is not a project ID',
		{
			description:
				'Choose the projects from the list, or correct the expression: it must give a list of IDs. An empty list stands for all projects. Nothing was missed: the next poll goes on from here.',
		},
	);
}
