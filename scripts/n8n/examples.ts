import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { N8nClient } from './N8nClient';
import type { Credential, Workflow, WorkflowContent } from './n8nTypes';

/**
 * Maximum length of a workflow id: n8n silently saves no static data for a workflow with a longer
 * id. In that data, a trigger keeps the videos that it has already emitted.
 */
const MAX_ID_LENGTH = 21;
const HASH_LENGTH = 8;

/**
 * Saves the example workflows of a folder in n8n, with the credential in every node that takes one.
 * Each id is derived from the file name, so saving an example again resets it to its file.
 * @returns the workflows by their file name without extension
 */
export async function placeExamples(
	client: N8nClient,
	folder: string,
	credential: Credential,
	packageName: string,
): Promise<Map<string, Workflow>> {
	const placed = new Map<string, Workflow>();
	for (const file of (await readdir(folder)).filter((name) => name.endsWith('.json')).sort()) {
		const example = JSON.parse(await readFile(join(folder, file), 'utf8')) as WorkflowContent;
		const name = basename(file, '.json');
		const content = assignCredential(example, credential, packageName);
		placed.set(name, await client.saveWorkflow(createId(name), content));
	}
	return placed;
}

/** Returns an id with a readable beginning and a unique end. */
function createId(name: string): string {
	const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH);
	return `${name.slice(0, MAX_ID_LENGTH - HASH_LENGTH - 1)}-${hash}`;
}

function assignCredential(
	{ name, nodes, connections, settings }: WorkflowContent,
	{ id, name: credentialName, type }: Credential,
	packageName: string,
): WorkflowContent {
	const credentials = { [type]: { id, name: credentialName } };
	const assigned = nodes.map((node) =>
		node.type.startsWith(`${packageName}.`) ? { ...node, credentials } : node,
	);
	return { name, nodes: assigned, connections, settings: settings ?? {} };
}
