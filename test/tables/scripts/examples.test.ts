import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowContent } from '../../../scripts/n8n/n8nTypes';
import { type INode, type INodeTypeDescription, NodeHelpers } from 'n8n-workflow';
import { VideoGeneration } from '../../../nodes/VideoGeneration/VideoGeneration.node';
import { VideoGenerationTrigger } from '../../../nodes/VideoGeneration/VideoGenerationTrigger.node';
import { listUnknownParameters } from '../../support/listUnknownParameters';

const PACKAGE = 'n8n-nodes-video-generation';

const STICKY = 'n8n-nodes-base.stickyNote';
/** The colour of a note. */
const RED = 3;

const FILES = readdirSync('examples').filter((file) => file.endsWith('.json'));

const read = (file: string) =>
	JSON.parse(readFileSync(join('examples', file), 'utf8')) as WorkflowContent;

const { description } = new VideoGeneration();

const OURS: Record<string, INodeTypeDescription> = {
	[`${PACKAGE}.videoGeneration`]: description,
	[`${PACKAGE}.videoGenerationTool`]: description,
	[`${PACKAGE}.videoGenerationTrigger`]: new VideoGenerationTrigger().description,
};

const ALL_NODES = FILES.flatMap((file) => {
	const { nodes } = read(file);
	const note = String(nodes.find(({ type }) => type === STICKY)?.parameters.content);
	return (nodes as INode[]).map((node) => ({ node, note, name: `${file}: ${node.name}` }));
});

describe.each(FILES)('the example %s', (file) => {
	const example = read(file);
	const names = example.nodes.map(({ name }) => name);

	it('holds nothing of the n8n that it was made in', () => {
		expect(Object.keys(example).sort()).toEqual(['connections', 'name', 'nodes', 'settings']);
		for (const node of example.nodes) expect(node.credentials).toBeUndefined();
	});

	it('has one name and one id for each node, and names only nodes that exist', () => {
		expect(new Set(names).size).toBe(names.length);
		expect(new Set(example.nodes.map(({ id }) => id)).size).toBe(names.length);
		const targets = JSON.stringify(example.connections).matchAll(/"node":"([^"]+)"/g);
		const inExpressions = JSON.stringify(example.nodes).matchAll(/\$\('([^']+)'\)/g);
		const named = [...targets, ...inExpressions].map(([, name]) => name);
		expect(names).toEqual(expect.arrayContaining([...Object.keys(example.connections), ...named]));
	});

	it('has one yellow note, and a red one that it costs credits where it pays', () => {
		const pays = example.nodes.some(({ parameters: { resource, operation } }) =>
			/^(video generate|queue add)$/.test(`${String(resource)} ${String(operation)}`),
		);
		const notes = example.nodes.filter(({ type }) => type === STICKY);
		const red = notes.filter(({ parameters }) => parameters.color === RED);
		const titles = red.map(({ parameters }) => String(parameters.content).split('\n')[0]);
		expect(titles).toEqual(pays ? ['### Costs credits'] : []);
		// n8n's first color is yellow, which a note without one has, too.
		expect(notes.filter(({ parameters }) => (parameters.color ?? 1) === 1)).toHaveLength(1);
	});
});

test('The page of the examples has a section with its name and a picture for each, and no other', () => {
	const [, , ...sections] = readFileSync(join('examples', 'README.md'), 'utf8').split(/^## /m);
	const isAbout = (file: string) => (text: string) =>
		text.startsWith(`${read(file).name}\n`) &&
		text.includes(`](${file})`) &&
		text.includes('<picture>');
	expect(FILES.filter((file) => !sections.some(isAbout(file)))).toEqual([]);
	expect(sections).toHaveLength(FILES.length);
});

describe('the nodes of the examples', () => {
	it.each(ALL_NODES.filter(({ node: { type } }) => OURS[type]))(
		'$name has no parameter that the node does not show, and all that it needs but a project, which the first note has one choose',
		({ node, note }) => {
			const ours = OURS[node.type] ?? description;
			expect(node.typeVersion).toBe(ours.version);
			// n8n itself adds this parameter to every polling node.
			const unknown = listUnknownParameters(node, ours).filter((name) => name !== 'pollTimes');
			expect(unknown).toEqual([]);
			const issues = NodeHelpers.getNodeParametersIssues(ours.properties, node, ours);
			const missing = Object.keys(issues?.parameters ?? {});
			expect(missing.filter((name) => name !== 'projectId')).toEqual([]);
			if (missing.length > 0) expect(note).toContain(`your project in **${node.name}**`);
		},
	);

	it('leave the address of a form to n8n, which gives each copy one that nobody can guess', () => {
		const forms = ALL_NODES.filter(({ node }) => node.type === 'n8n-nodes-base.formTrigger');
		expect(forms).not.toEqual([]);
		expect(JSON.stringify(forms.map(({ node }) => node.parameters))).not.toContain('"path"');
	});

	it('hold no address, no account and no key', () => {
		for (const { node } of ALL_NODES) {
			// The public link that an example writes to a sheet begins like this.
			const text = JSON.stringify(node).replace('https://youtu.be/', '');
			expect(text).not.toMatch(/https?:|[\w.]+@[\w.]+\.\w|cachedResultUrl|webhookId|"credentials"/);
		}
	});
});
