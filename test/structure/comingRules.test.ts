import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';
import { VideoGenerationApi } from '../../credentials/VideoGenerationApi.credentials';
import { VideoGeneration } from '../../nodes/VideoGeneration/VideoGeneration.node';
import { VideoGenerationTrigger } from '../../nodes/VideoGeneration/VideoGenerationTrigger.node';

/**
 * Rules of n8n's lint plugin for community nodes that are newer than the version in the registry.
 */

const ROOT = path.resolve(__dirname, '../..');
const NODES = path.join(ROOT, 'nodes/VideoGeneration');
const nodes = [new VideoGeneration(), new VideoGenerationTrigger()];
const credential = new VideoGenerationApi();

const read = (file: string) => readFileSync(path.join(NODES, file), 'utf8');
const codexes = readdirSync(NODES)
	.filter((file) => file.endsWith('.node.json'))
	.map((file) => JSON.parse(read(file)) as Record<string, unknown> & { categories: string[] });
/** Returns all parameters, including those inside collections. */
function walk(properties: INodeProperties[]): INodeProperties[] {
	return properties.flatMap((property) => {
		const inside =
			property.type === 'collection'
				? (property.options as INodeProperties[])
				: property.type === 'fixedCollection'
					? (property.options as INodePropertyCollection[]).flatMap(({ values }) => values)
					: [];
		return [property, ...walk([...inside, ...((property.modes ?? []) as never[])])];
	});
}
const topLevel = nodes.flatMap(({ description }) => description.properties);
const parameters = walk(topLevel);
const lists = parameters
	.filter(({ type, options }) => ['options', 'multiOptions'].includes(type) && options)
	.map(({ options }) => options as INodePropertyOptions[]);

const CATEGORIES = [
	'Data & Storage',
	'Finance & Accounting',
	'Marketing & Content',
	'Productivity',
	'Miscellaneous',
	'Sales',
	'Development',
	'Analytics',
	'Communication',
	'Utility',
];

/**
 * Optional fields outside of a collection. Their names are in saved workflows, so they stay where
 * they are: switches that decide which fields follow, the fields that depend on them, and the limit
 * of a list, which n8n's own nodes have at this place.
 */
const OPTIONAL_FIELDS = [
	'customPrompt',
	'downloadVideo',
	'event',
	'limit',
	'overwriteSettings',
	'projectId',
	'projectIds',
	'queuedAt',
	'returnAll',
];

describe('As the newer rules of n8n want it', () => {
	test('valid-node-categories, valid-codex-categories: the categories are of the ten', () => {
		expect(codexes).toHaveLength(2);
		for (const { categories } of codexes) {
			expect(categories).not.toEqual([]);
			expect(CATEGORIES).toEqual(expect.arrayContaining(categories));
		}
	});

	test('no-codex-subcategories, no-ai-codex-category, no-logic-or-flow-nodes: the codex has none of them', () => {
		for (const codex of codexes) {
			expect(codex).not.toHaveProperty('subcategories');
			expect(codex.categories.filter((name) => /^(AI|Logic|Flow)$/.test(name))).toEqual([]);
		}
	});

	test('prefer-declarative-style, require-continue-on-fail, node-operation-error-itemindex: the node has no execute', () => {
		expect(nodes[0]).not.toHaveProperty('execute');
		expect(nodes[0]?.description.requestDefaults).toBeDefined();
	});

	test('non-required-fields-in-collection: what is optional stands in a collection, but for a few', () => {
		const exempt = ['collection', 'fixedCollection', 'notice', 'callout', 'hidden'];
		const optional = topLevel.filter(
			({ name, type, required }) =>
				required !== true && !exempt.includes(type) && !['resource', 'operation'].includes(name),
		);
		expect([...new Set(optional.map(({ name }) => name))].sort()).toEqual(OPTIONAL_FIELDS);
	});

	test('open-ended-node-fields: no field takes JSON', () => {
		expect(parameters.filter(({ type }) => type === 'json')).toEqual([]);
	});

	test('hint-max-length: no hint is longer than 120 characters', () => {
		expect(parameters.filter(({ hint = '' }) => hint.length > 120).map(({ hint }) => hint)).toEqual(
			[],
		);
	});

	test('require-param-default: every parameter has a default', () => {
		const modes = new Set(topLevel.flatMap((property) => (property.modes ?? []) as unknown[]));
		const lacking = parameters.filter(
			(property) => !modes.has(property) && !('default' in property),
		);
		expect(lacking).toEqual([]);
	});

	test('no-duplicate-param-options, options-sorted-alphabetically, no-asterisk-in-option-names', () => {
		expect(lists.length).toBeGreaterThan(3);
		for (const options of lists) {
			const names = options.map(({ name }) => name);
			expect(new Set(names).size).toBe(names.length);
			expect(new Set(options.map(({ value }) => value)).size).toBe(names.length);
			// Short lists begin with what is used most, as n8n's rule allows.
			if (names.length >= 5) expect(names).toEqual([...names].sort((a, b) => a.localeCompare(b)));
			expect(names.join('')).not.toContain('*');
		}
	});

	test('single-credential-per-node: each has the one of this package', () => {
		for (const { description } of nodes) {
			expect(description.credentials).toEqual([{ name: credential.name, required: true }]);
		}
	});

	test('node-class-description-non-core-color, -name-camelcase, node-filename-against-convention', () => {
		for (const { description } of nodes) {
			expect(JSON.stringify(description)).not.toMatch(/#ff6d5a/i);
			expect(description.name).toMatch(/^[a-z][A-Za-z]+$/);
			const file = `${description.name.charAt(0).toUpperCase()}${description.name.slice(1)}.node.ts`;
			expect(read(file)).toContain(`name: '${description.name}'`);
		}
	});
});

describe('What n8n 3.0 removes', () => {
	const REMOVED =
		/OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS|N8N_BINARY_DATA_STORAGE_PATH|N8N_RUNNERS_MODE|\bWEBHOOK_URL|\$getPairedItem|BINARY_DATA_MODE=default/;
	const list = (folder: string, pattern: RegExp) =>
		readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
			.filter((file) => pattern.test(file))
			.map((file) => path.join(folder, file));

	test('is nothing that documents, scripts or examples need, or they name the version that does', () => {
		const files = [
			'README.md',
			...list('docs', /\.md$/),
			...list('examples', /\.(json|md)$/),
			...list('scripts', /\.m?ts$/),
		].filter((file) => file !== path.join('docs', 'development.md'));
		const lines = files.flatMap((file) =>
			readFileSync(path.join(ROOT, file), 'utf8')
				.split('\n')
				.filter((line) => REMOVED.test(line) && !line.includes('before n8n 3')),
		);
		expect(lines).toEqual([]);
	});
});
