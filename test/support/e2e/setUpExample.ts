import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { INodeExecutionData } from 'n8n-workflow';
import type { N8nClient } from '../../../scripts/n8n/N8nClient';
import type { Credential, Workflow, WorkflowContent } from '../../../scripts/n8n/n8nTypes';
import { withCredentials } from './buildWorkflow';

/** What a user chooses from each list, by the name of the parameter. */
export const CHOICES = {
	projectId: { mode: 'id', value: 'project-city-tour' },
	channelId: { mode: 'id', value: 'C01' },
	documentId: { mode: 'id', value: 'document' },
	sheetName: { mode: 'name', value: 'Videos' },
};
export const QUICKLY = { pollingInterval: 1, listingDelay: 1 };

export interface ExampleSetUp {
	/** The credentials of all nodes, each of which uses those of its types. */
	credentials: Credential[];
	/** Parameters of single nodes, by node name: those that the notes ask for, and shorter times. */
	changes?: Record<string, Record<string, unknown>>;
	/** Output of the triggers to which nothing can be sent by hand. */
	pinData?: Record<string, INodeExecutionData[]>;
}

/** Returns the names of all examples. */
export function listExamples(): string[] {
	const files = readdirSync('examples').filter((file) => file.endsWith('.json'));
	return files.map((file) => basename(file, '.json')).sort();
}

/** Returns an example as a user has set it up, with short waits. */
export function setUpExample(
	example: string,
	{ credentials, changes = {}, pinData = {} }: ExampleSetUp,
): WorkflowContent & Pick<ExampleSetUp, 'pinData'> {
	const text = readFileSync(join('examples', `${example}.json`), 'utf8');
	const content = JSON.parse(text) as WorkflowContent;
	const names = content.nodes.map(({ name }) => name);
	for (const name of Object.keys({ ...changes, ...pinData })) {
		if (!names.includes(name)) throw new Error(`The example ${example} has no node "${name}"`);
	}
	const nodes = content.nodes.map((node) => ({
		...node,
		...withCredentials(...credentials),
		parameters: { ...choose(node.parameters), ...changes[node.name] },
		...('waitBetweenTries' in node && { waitBetweenTries: 1 }),
	}));
	return { ...content, nodes, pinData };
}

/** Returns the address of the form that starts a workflow: n8n gives it to each copy of an example. */
export function getFormAddress({ address }: N8nClient, { nodes }: Workflow): string {
	const form = nodes.find(({ type }) => type === 'n8n-nodes-base.formTrigger');
	return `${address}/form/${form?.webhookId ?? ''}`;
}

function choose(parameters: Record<string, unknown>): Record<string, unknown> {
	const entries = Object.entries(parameters as Record<string, { mode?: string; value?: string }>);
	return Object.fromEntries(
		entries.map(([name, given]) => {
			if (name === 'waitOptions') return [name, { ...given, ...QUICKLY }];
			const isOpen = given.mode === 'list' && given.value === '';
			return [name, isOpen ? { ...given, ...CHOICES[name as keyof typeof CHOICES] } : given];
		}),
	);
}
