import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { VideoGeneration } from '../../nodes/VideoGeneration/VideoGeneration.node';
import codex from '../../nodes/VideoGeneration/VideoGeneration.node.json';
import triggerCodex from '../../nodes/VideoGeneration/VideoGenerationTrigger.node.json';
import { VideoGenerationTrigger } from '../../nodes/VideoGeneration/VideoGenerationTrigger.node';
import { ENDPOINTS } from '../../nodes/VideoGeneration/api/endpoints';
import { listParameters } from '../support/listParameters';

const node = new VideoGeneration();
const { description, methods, customOperations } = node;
const { properties } = description;
const trigger = new VideoGenerationTrigger();

const getProperties = (name: string) => properties.filter((property) => property.name === name);
const listNames = (options: unknown) => (options as INodeProperties[]).map(({ name }) => name);

const operations = getProperties('operation').flatMap(({ options, displayOptions }) =>
	(options as INodePropertyOptions[]).map((option) => {
		const resource = displayOptions?.show?.resource?.[0] as string;
		return { resource, option, name: `${resource} ${String(option.value)}` };
	}),
);

describe('The description', () => {
	test('has the public names, which saved workflows hold on to', () => {
		const shown = operations.map(({ name, resource, option }) => {
			const isShown = ({ displayOptions: { show = {} } = {} }: INodeProperties) =>
				show.resource?.includes(resource) && show.operation?.includes(option.value);
			return [name, listNames(properties.filter(isShown))];
		});
		const inside = (name: string) =>
			getProperties(name).flatMap(({ options = [], displayOptions }) => {
				const { resource = [], operation = [] } = displayOptions?.show as Record<string, string[]>;
				return operation.map((each) => [`${resource[0]} ${each}`, listNames(options)]);
			});
		/** Checks the names at each place. There may be more. */
		const expectNames = (found: unknown[][], expected: Record<string, string>) => {
			const all = Object.entries(expected).map(([place, names]): [string, unknown] => [
				place,
				expect.arrayContaining(names.split(' ')),
			]);
			expect(Object.fromEntries(found)).toMatchObject(Object.fromEntries(all));
		};
		expect(description).toMatchObject({
			...{ name: 'videoGeneration', usableAsTool: true },
			credentials: [{ name: 'videoGenerationApi', required: true }],
		});
		const order = 'projectId customPrompt overwriteSettings';
		const file = 'downloadVideo binaryPropertyName';
		expectNames(shown, {
			'account get': 'options',
			'project getAll': 'returnAll limit options sort',
			'queue add': `${order} options`,
			'queue clear': 'queueId options',
			'queue getProgress': 'queueId options',
			'queue wait': `queueId projectId queuedAt ${file} waitOptions options`,
			'video download': 'video binaryPropertyName options',
			'video generate': `${order} ${file} waitOptions options`,
			'video get': 'video options',
			'video getAll': 'returnAll limit filters options',
		});
		const wait = 'completedStatuses failedStatuses listingDelay pollingInterval timeout';
		expectNames(inside('waitOptions'), {
			'queue wait': wait,
			'video generate': `${wait} videosAtOnce`,
		});
		expectNames(inside('filters'), { 'video getAll': 'createdAfter createdBefore projectId' });
		expectNames(inside('sort'), { 'project getAll': 'sort order' });
		expectNames(inside('options'), {
			'queue add': 'creditsPerVideo creditsToKeep maxTries uniqueKey',
			'queue wait': 'fileName maxTries',
			'video download': 'fileName maxTries',
			'video generate': 'creditsPerVideo creditsToKeep fileName maxTries uniqueKey',
			'video get': 'maxTries',
		});
	});

	test('declares for every operation the endpoint that it sends to, without redirects, and the node runs each by itself', () => {
		const endpoints = operations.map(({ name, option: { routing } }) => {
			expect(routing?.send).toEqual({ paginate: true });
			return [name, routing?.request];
		});
		// A video's file has an address of its own.
		expect(Object.fromEntries(endpoints)).toMatchObject({ 'video download': undefined });
		const sent = endpoints.flatMap(([, request]) => (request ? [request] : []));
		expect(new Set(sent)).toEqual(new Set(Object.values(ENDPOINTS)));
		expect(description).toMatchObject({
			requestDefaults: { disableFollowRedirect: true, ignoreHttpStatusErrors: true },
			requestOperations: { pagination: expect.any(Function) as unknown },
		});
		const run = Object.entries(customOperations).flatMap(([resource, byName]) =>
			Object.keys(byName).map((operation) => `${resource} ${operation}`),
		);
		expect(run.sort()).toEqual(operations.map(({ name }) => name).sort());
		expect(node).not.toHaveProperty('execute');
	});

	test('has no expression of its own that n8n evaluates for each item: each costs about a millisecond', () => {
		const declaring = listParameters(properties).filter(({ routing }) => routing !== undefined);
		const routings = operations.map(({ option }) => option.routing);
		expect(JSON.stringify([description.requestDefaults, routings])).not.toContain('"=');
		expect(declaring.map(({ name, routing }) => ({ name, routing }))).toEqual([
			{ name: 'resource', routing: { send: { paginate: true } } },
		]);
	});

	test('fills every picker from a list search that exists', () => {
		const locators = listParameters(properties).filter(({ type }) => type === 'resourceLocator');
		expect(locators).not.toEqual([]);
		for (const { modes, displayOptions } of locators) {
			const isDownload = displayOptions?.show?.operation?.includes('download') === true;
			const names = isDownload ? ['list', 'url', 'id'] : ['list', 'id'];
			expect(modes?.map(({ name }) => name)).toEqual(names);
			const method = modes?.[0]?.typeOptions?.searchListMethod;
			expect(Object.keys(methods.listSearch)).toContain(method);
		}
	});
});

describe("The trigger's description", () => {
	const get = (name: string) =>
		listParameters(trigger.description.properties).find((property) => property.name === name);

	test('has the public names, and is polled by n8n to begin a workflow', () => {
		expect(trigger.description).toMatchObject({
			...{ name: 'videoGenerationTrigger', version: 1, polling: true },
			...{ group: ['trigger'], inputs: [], icon: description.icon },
			credentials: [{ name: 'videoGenerationApi', required: true }],
		});
		expect(trigger.description.outputs).toHaveLength(1);
		expect(listNames(get('options')?.options)).toEqual(
			expect.arrayContaining(['downloadVideo', 'emitExisting', 'binaryPropertyName']),
		);
		expect(get('projectIds')?.default).toEqual([]);
		const method = get('projectIds')?.typeOptions?.loadOptionsMethod;
		expect(Object.keys(trigger.methods.loadOptions)).toContain(method);
		expect(get('event')).toMatchObject({
			...{ displayName: 'Trigger On', default: 'videoFinished' },
			options: [{ name: 'Video Finished', value: 'videoFinished' }],
		});
	});
});

test.each([
	['videoGeneration', codex],
	['videoGenerationTrigger', triggerCodex],
])('n8n shows %s in its nodes panel, where people find it', (name, { node, alias, categories }) => {
	expect(node).toBe(`n8n-nodes-video-generation.${name}`);
	expect(alias).toContain('video');
	// The panel hides nodes of the category AI.
	expect(categories).toEqual(['Marketing & Content', 'Productivity']);
});

test('A new node generates a video and downloads it, and the numbers are those that saved workflows rely on', () => {
	expect(getProperties('resource')[0]?.default).toBe('video');
	const ofVideos = getProperties('operation').find(
		({ displayOptions }) => displayOptions?.show?.resource?.[0] === 'video',
	);
	expect(ofVideos?.default).toBe('generate');
	const fields = listParameters([...properties, ...trigger.description.properties]);
	const isOn = ({ type, default: value }: INodeProperties) => type === 'boolean' && value === true;
	const on = fields.filter(isOn).map(({ name, displayOptions }) => [name, displayOptions?.show]);
	expect(on).toEqual([
		['downloadVideo', { resource: ['queue'], operation: ['wait'] }],
		['downloadVideo', { resource: ['video'], operation: ['generate'] }],
	]);
	const numbers = fields.filter(({ type }) => type === 'number');
	expect(Object.fromEntries(numbers.map((field) => [field.name, field.default]))).toEqual({
		...{ listingDelay: 10, pollingInterval: 5, timeout: 1800, videosAtOnce: 1 },
		...{ creditsPerVideo: 1, creditsToKeep: 0, limit: 50, maxTries: 4 },
	});
});
