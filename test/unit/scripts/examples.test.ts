import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { N8nClient } from '../../../scripts/n8n/N8nClient';
import type { WorkflowContent } from '../../../scripts/n8n/n8nTypes';
import { placeExamples } from '../../../scripts/n8n/examples';

const PACKAGE = 'n8n-nodes-video-generation';
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

	it('says in a note what it does', () => {
		expect(example.nodes.some(({ type }) => type === 'n8n-nodes-base.stickyNote')).toBe(true);
	});
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
