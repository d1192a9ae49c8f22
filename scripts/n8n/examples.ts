import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { N8nClient } from './N8nClient';
import type { Credential, Workflow, WorkflowContent } from './n8nTypes';

/**
 * Of a workflow with a longer id n8n saves no static data, and says nothing of it. That is where a
 * trigger keeps which videos it has handed on.
 */
const MAX_ID_LENGTH = 21;
const HASH_LENGTH = 8;

/**
 * Puts the example workflows of a folder into n8n, with the credential in every node that takes one.
 * Each has an id made of its file's name, so a second time brings it back to what the file says.
 * @returns the workflows by their file's name without ending
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

/** Readable by its beginning, and unlike any other by its end. */
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
