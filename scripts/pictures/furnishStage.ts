import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Sandbox } from '../../sandbox/Sandbox';
import type { N8nClient } from '../n8n/N8nClient';
import type { Credential, WorkflowContent } from '../n8n/n8nTypes';
import { placeExamples } from '../n8n/placeExamples';
import { ReadableError } from '../ReadableError';

/** What the pictures show: the examples, and a workflow of one node with all its parameters set. */
export interface Stage {
	/** Ids of workflows. */
	example: string;
	trigger: string;
	node: string;
	credential: string;
	/** Of every example, by its file's name. */
	examples: Record<string, string>;
}

const EXAMPLE = 'queue-a-video';
const TRIGGER_EXAMPLE = 'react-to-finished-videos';

export async function furnishStage(client: N8nClient, sandbox: Sandbox): Promise<Stage> {
	const credential = await client.saveCredential({
		name: 'Video Generation account',
		type: 'videoGenerationApi',
		data: { apiKey: sandbox.apiKey, baseUrl: sandbox.url.replace('127.0.0.1', 'localhost') },
	});
	const { name } = JSON.parse(readFileSync('package.json', 'utf8')) as { name: string };
	const examples = await placeExamples(client, resolve('examples'), credential, name);
	const node = await client.createWorkflow(buildNode(credential, name, sandbox.projects.teaser));
	const [example, trigger] = [examples.get(EXAMPLE), examples.get(TRIGGER_EXAMPLE)];
	if (!example || !trigger) throw new ReadableError('An example to take a picture of is missing.');
	return {
		...{ example: example.id, trigger: trigger.id, node: node.id, credential: credential.id },
		examples: Object.fromEntries([...examples].map(([file, { id }]) => [file, id])),
	};
}

function buildNode(
	{ id, name, type }: Credential,
	packageName: string,
	project: { id: string; name: string },
): WorkflowContent {
	const start = 'When you press Execute';
	const node = 'Make a video';
	return {
		name: 'Make a video',
		nodes: [
			{
				...{ id: 'start', name: start, type: 'n8n-nodes-base.manualTrigger', typeVersion: 1 },
				...{ position: [0, 0], parameters: {} },
			},
			{
				...{ id: 'node', name: node, type: `${packageName}.videoGeneration`, typeVersion: 1 },
				position: [220, 0],
				credentials: { [type]: { id, name } },
				parameters: {
					resource: 'queue',
					operation: 'add',
					projectId: {
						__rl: true,
						mode: 'list',
						value: project.id,
						cachedResultName: project.name,
					},
					overwriteSettings: false,
					customPrompt: 'A bicycle rolls through morning light, calm music',
					waitForCompletion: true,
					waitOptions: {},
					options: {},
				},
			},
		],
		connections: { [start]: { main: [[{ node, type: 'main', index: 0 }]] } },
		settings: { executionOrder: 'v1' },
	};
}
