import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { N8nClient } from './N8nClient';
import type { Credential, Workflow, WorkflowContent } from './n8nTypes';

/**
 * Maximum length of a workflow id: n8n silently saves no static data for a workflow with a longer
 * id. In that data, a trigger keeps the videos that it has already emitted.
 */
const MAX_ID_LENGTH = 21;

/**
 * Saves the example workflows of a folder in n8n, with the credential in every node that takes one.
 * Each id is the file's name, so saving an example again resets it to its file.
 * @returns the workflows by their file name without extension
 */
export async function placeExamples(
	client: N8nClient,
	folder: string,
	{ type, id, name: credentialName }: Credential,
	packageName: string,
): Promise<Map<string, Workflow>> {
	const credentials = { [type]: { id, name: credentialName } };
	const placed = new Map<string, Workflow>();
	for (const file of (await readdir(folder)).filter((name) => name.endsWith('.json')).sort()) {
		const example = JSON.parse(await readFile(join(folder, file), 'utf8')) as WorkflowContent;
		const nodes = example.nodes.map((node) =>
			node.type.startsWith(`${packageName}.`) ? { ...node, credentials } : node,
		);
		const name = basename(file, '.json');
		const id = name.slice(0, MAX_ID_LENGTH);
		placed.set(name, await client.saveWorkflow(id, { ...example, nodes }));
	}
	return placed;
}
