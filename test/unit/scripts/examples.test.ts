import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { N8nClient } from '../../../scripts/n8n/N8nClient';
import type { WorkflowContent } from '../../../scripts/n8n/n8nTypes';
import { placeExamples } from '../../../scripts/n8n/examples';

const PACKAGE = 'n8n-nodes-video-generation';
const STICKY = 'n8n-nodes-base.stickyNote';
/** A longer workflow is no example: nobody reads it before using it. */
const MAX_NODES = 24;
const MAX_LINES_OF_CODE = 5;
/** What the first note calls the account that a type of node needs. */
const ACCOUNTS: Record<string, string> = {
	[`${PACKAGE}.videoGeneration`]: 'Video Generation',
	[`${PACKAGE}.videoGenerationTool`]: 'Video Generation',
	[`${PACKAGE}.videoGenerationTrigger`]: 'Video Generation',
	'n8n-nodes-base.googleDrive': 'Google Drive',
	'n8n-nodes-base.googleSheets': 'Google Sheets',
	'n8n-nodes-base.slack': 'Slack',
	'n8n-nodes-base.slackHitlTool': 'Slack',
	'n8n-nodes-base.youTube': 'YouTube',
	'@n8n/n8n-nodes-langchain.lmChatOpenAi': 'OpenAI',
};
/** The nodes of n8n itself, which need no account. */
const WITHOUT_ACCOUNT = [
	...['aggregate', 'code', 'dataTable', 'errorTrigger', 'filter', 'formTrigger', 'if', 'limit'],
	...['manualTrigger', 'merge', 'noOp', 'scheduleTrigger', 'set', 'splitOut', 'stickyNote'],
	...['splitInBatches', 'stopAndError', 'switch', 'wait'],
]
	.map((name) => `n8n-nodes-base.${name}`)
	.concat(
		['agent', 'chainLlm', 'chatTrigger', 'mcpTrigger', 'memoryBufferWindow'].map(
			(name) => `@n8n/n8n-nodes-langchain.${name}`,
		),
		'@n8n/n8n-nodes-langchain.outputParserStructured',
	);
const FILES = readdirSync('examples').filter((file) => file.endsWith('.json'));

function read(file: string): WorkflowContent {
	return JSON.parse(readFileSync(join('examples', file), 'utf8')) as WorkflowContent;
}

describe.each(FILES)('the example %s', (file) => {
	const example = read(file);
	const names = example.nodes.map(({ name }) => name);

	it('holds nothing of the n8n that it was made in', () => {
		expect(Object.keys(example).sort()).toEqual(['connections', 'name', 'nodes', 'settings']);
		for (const node of example.nodes) expect(node.credentials).toBeUndefined();
	});

	it('has one name and one id for each node, and connects nodes that exist', () => {
		expect(new Set(names).size).toBe(names.length);
		expect(new Set(example.nodes.map(({ id }) => id)).size).toBe(names.length);
		const targets = JSON.stringify(example.connections).matchAll(/"node":"([^"]+)"/g);
		const connected = [
			...Object.keys(example.connections),
			...[...targets].map(([, name]) => name),
		];
		for (const name of connected) expect(names).toContain(name);
	});

	it('refers in its expressions to nodes that exist', () => {
		const references = JSON.stringify(example.nodes).matchAll(/\$\('([^']+)'\)/g);
		for (const [, name] of references) expect(names).toContain(name);
	});

	it('is on the page of the examples, with a picture', () => {
		const page = readFileSync(join('examples', 'README.md'), 'utf8');
		const section = page.split(/^## /m).find((text) => text.includes(`](${file})`));
		expect(section).toContain('<picture>');
	});

	it('says in its first note what it does, and which accounts it needs', () => {
		const note = example.nodes.find(({ type }) => type === STICKY)?.parameters.content as string;
		const others = example.nodes.filter(({ type }) => !WITHOUT_ACCOUNT.includes(type));
		const accounts = new Set(others.map(({ type }) => ACCOUNTS[type] ?? `${type}, which is new`));
		expect(note).toMatch(/^## /);
		for (const account of accounts) expect(note).toContain(account);
	});

	it('is short enough to be read, and holds no program', () => {
		expect(example.nodes.length).toBeLessThanOrEqual(MAX_NODES);
		for (const { parameters } of example.nodes) {
			const code = String(parameters.jsCode ?? parameters.pythonCode ?? '');
			expect(code.split('\n').length).toBeLessThanOrEqual(MAX_LINES_OF_CODE);
		}
	});
});

test('There are ten to twelve examples, each on the page of the examples and in the README', () => {
	expect(FILES.length).toBeGreaterThanOrEqual(10);
	expect(FILES.length).toBeLessThanOrEqual(12);
	const titles = (text: string) => [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
	const listed = readFileSync('README.md', 'utf8').matchAll(
		/^- \[(.+)\]\(examples\/README\.md#.+\)$/gm,
	);
	expect([...listed].map(([, title]) => title)).toEqual(
		titles(readFileSync(join('examples', 'README.md'), 'utf8')),
	);
});

describe('placing the examples', () => {
	it("gives each an id of its own with which n8n keeps a trigger's state, and the credential to our nodes only", async () => {
		const saved = new Map<string, WorkflowContent>();
		const client = {
			saveWorkflow: (id: string, content: WorkflowContent) => {
				saved.set(id, content);
				return Promise.resolve({ ...content, id, versionId: 'v', active: false });
			},
		} as unknown as N8nClient;
		const credential = { id: 'c1', name: 'Local', type: 'videoGenerationApi' };

		const placed = await placeExamples(client, 'examples', credential, PACKAGE);

		expect(placed.size).toBe(FILES.length);
		expect(saved.size).toBe(FILES.length);
		for (const [id, { nodes }] of saved) {
			expect(id.length).toBeLessThanOrEqual(21);
			for (const { type, credentials } of nodes) {
				const expected = { videoGenerationApi: { id: 'c1', name: 'Local' } };
				expect(credentials).toEqual(type.startsWith(`${PACKAGE}.`) ? expected : undefined);
			}
		}
	});
});
