import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { VideoGeneration } from '../../nodes/VideoGeneration/VideoGeneration.node';
import codex from '../../nodes/VideoGeneration/VideoGeneration.node.json';
import triggerCodex from '../../nodes/VideoGeneration/VideoGenerationTrigger.node.json';
import { VideoGenerationTrigger } from '../../nodes/VideoGeneration/VideoGenerationTrigger.node';
import { ENDPOINTS } from '../../nodes/VideoGeneration/api/endpoints';
import manifest from '../../package.json';
import { VideoGenerationApi } from '../../credentials/VideoGenerationApi.credentials';
import { listParameters } from '../support/listParameters';

const node = new VideoGeneration();
const { description, methods, customOperations } = node;
const { properties } = description;
const trigger = new VideoGenerationTrigger();
const credential = new VideoGenerationApi();

const getProperties = (name: string) => properties.filter((property) => property.name === name);
const listNames = (options: unknown) => (options as INodeProperties[]).map(({ name }) => name);

const operations = getProperties('operation').flatMap(({ options, displayOptions }) =>
	(options as INodePropertyOptions[]).map(({ value, routing }) => {
		const resource = displayOptions?.show?.resource?.[0] as string;
		return { name: `${resource} ${String(value)}`, resource, operation: value, routing };
	}),
);

const within = (collection: string, names: string) => names.replace(/\w+/g, `${collection}.$&`);
const PAYING = within('options', 'creditsPerVideo creditsToKeep maxVideos uniqueKey');
const ORDER = `projectId customPrompt overwriteSettings ${PAYING}`;
const STATUSES = 'completedStatuses failedStatuses';
const TIMES = 'listingDelay pollingInterval timeout';
const WAIT = `downloadVideo binaryPropertyName ${within('waitOptions', `${STATUSES} ${TIMES}`)}`;
const FILTERS = within('filters', 'createdAfter createdBefore projectId');
const TRIGGER = within('options', 'binaryPropertyName downloadVideo emitExisting');

/** The names of parameters, with those in a collection by their path, in alphabetical order. */
const listPaths = (parameters: INodeProperties[]) =>
	parameters
		.flatMap(({ name, type, options = [], displayOptions }) => {
			if (type !== 'collection') return [name];
			const shown = (options as INodeProperties[]).filter(({ displayOptions: { show } = {} }) => {
				const ofOperation = displayOptions?.show?.operation ?? [];
				return show?.['/operation']?.some((each) => ofOperation.includes(each)) ?? true;
			});
			return shown.map((entry) => `${name}.${entry.name}`);
		})
		.sort();

/** What saved workflows name: nothing of it changes, and what is new is added here. */
test.each([
	['account get', ''],
	['project getAll', 'returnAll limit sort.sort sort.order'],
	['queue add', ORDER],
	['queue clear', 'queueId'],
	['queue getProgress', 'queueId'],
	['queue wait', `queueId projectId queuedAt ${WAIT} options.fileName`],
	['video download', 'video binaryPropertyName options.fileName'],
	['video generate', `${ORDER} ${WAIT} waitOptions.videosAtOnce options.fileName`],
	['video get', 'video'],
	['video getAll', `returnAll limit ${FILTERS}`],
])('%s has the parameters that saved workflows name', (name, saved) => {
	const { resource = '', operation = '' } = operations.find((each) => each.name === name) ?? {};
	const ofOperation = properties.filter(({ displayOptions: { show = {} } = {} }) => {
		return show.resource?.includes(resource) && show.operation?.includes(operation);
	});
	expect(listPaths(ofOperation)).toEqual(`${saved} options.maxTries`.trim().split(' ').sort());
	const shared = properties.filter(({ displayOptions }) => !displayOptions?.show?.operation);
	expect(new Set(listNames(shared))).toEqual(new Set(['resource', 'operation']));
});

test('The trigger and the credential have the parameters that saved workflows name', () => {
	const paths = listPaths(trigger.description.properties);
	expect(paths).toEqual(`event projectIds ${TRIGGER}`.split(' ').sort());
	expect(listNames(credential.properties)).toEqual(['apiKey', 'baseUrl']);
});

test('Every choice has the values that saved workflows name', () => {
	const chosen = listParameters([...properties, ...trigger.description.properties])
		.filter(({ type }) => type === 'options')
		.flatMap(({ name, displayOptions, options }) =>
			(options as INodePropertyOptions[]).map(({ value }) => {
				const resource = displayOptions?.show?.resource?.[0] as string | undefined;
				return [name, resource, String(value)].filter(Boolean).join(' ');
			}),
		);
	expect(chosen.sort()).toEqual([
		'event videoFinished',
		...['operation account get', 'operation project getAll'],
		...['add', 'clear', 'getProgress', 'wait'].map((each) => `operation queue ${each}`),
		...['download', 'generate', 'get', 'getAll'].map((each) => `operation video ${each}`),
		...['order asc', 'order desc'],
		...['account', 'project', 'queue', 'video'].map((each) => `resource ${each}`),
		...['sort createdAt', 'sort updatedAt'],
	]);
});

test('Saved workflows name the package, the nodes, their version, and their credential', () => {
	const common = { version: 1, credentials: [{ name: 'videoGenerationApi', required: true }] };
	expect(description).toMatchObject({ ...common, name: 'videoGeneration', usableAsTool: true });
	expect(trigger.description).toMatchObject({
		...common,
		name: 'videoGenerationTrigger',
		polling: true,
		group: ['trigger'],
		inputs: [],
		outputs: ['main'],
		icon: description.icon,
	});
	expect(credential.name).toBe('videoGenerationApi');
	// n8n looks for the class that a file is named after.
	const files = ['nodes/VideoGeneration/VideoGeneration.node.js'];
	files.push('nodes/VideoGeneration/VideoGenerationTrigger.node.js');
	expect(manifest).toMatchObject({
		name: 'n8n-nodes-video-generation',
		n8n: {
			nodes: files.map((file) => `dist/${file}`),
			credentials: ['dist/credentials/VideoGenerationApi.credentials.js'],
		},
	});
	const classes = [node, trigger, credential].map((each) => each.constructor.name);
	expect(classes).toEqual(['VideoGeneration', 'VideoGenerationTrigger', 'VideoGenerationApi']);
});

test('The node declares for every operation the endpoint that it sends to, without redirects, and runs each by itself', () => {
	const endpoints = operations.map(({ name, routing }) => {
		expect(routing?.send).toEqual({ paginate: true });
		return [name, routing?.request];
	});
	// A video's file has an address of its own.
	expect(Object.fromEntries(endpoints)).toMatchObject({ 'video download': undefined });
	const sent = endpoints.flatMap(([, request]) => (request ? [request] : []));
	// The trigger may have endpoints of its own.
	expect(Object.values(ENDPOINTS)).toEqual(expect.arrayContaining(sent));
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

test('The node has no expression of its own that n8n evaluates for each item: each costs about a millisecond', () => {
	const declaring = listParameters(properties).filter(({ routing }) => routing !== undefined);
	const declared = [...declaring, ...operations].map(({ routing }) => routing);
	expect(JSON.stringify([description.requestDefaults, declared])).not.toContain('"=');
	expect(listNames(declaring)).toEqual(['resource']);
});

test('Video stands first among the resources, then the others in the order of the alphabet', () => {
	const { options } = properties.find(({ name }) => name === 'resource') ?? {};
	expect(options?.map(({ name }) => name)).toEqual(['Video', 'Account', 'Project', 'Queue']);
});

test('Every picker is filled from a search or a list that exists', () => {
	const locators = listParameters(properties).filter(({ type }) => type === 'resourceLocator');
	expect(locators).not.toEqual([]);
	for (const { modes, displayOptions } of locators) {
		const isDownload = displayOptions?.show?.operation?.includes('download') === true;
		expect(listNames(modes)).toEqual(isDownload ? ['list', 'url', 'id'] : ['list', 'id']);
		expect(methods.listSearch).toHaveProperty(modes?.[0]?.typeOptions?.searchListMethod ?? '');
	}
	const projects = trigger.description.properties.find(({ name }) => name === 'projectIds');
	expect(trigger.methods.loadOptions).toHaveProperty(
		projects?.typeOptions?.loadOptionsMethod ?? '',
	);
});

test.each([
	['videoGeneration', codex],
	['videoGenerationTrigger', triggerCodex],
])('n8n shows %s in its nodes panel', (name, { node, categories }) => {
	expect(node).toBe(`n8n-nodes-video-generation.${name}`);
	// The panel hides nodes of the category AI.
	expect(categories).toEqual(['Marketing & Content', 'Productivity']);
});

test('A new node generates a video and downloads it, and the defaults are those that saved workflows rely on', () => {
	const fields = listParameters([...properties, ...trigger.description.properties]);
	const isOn = ({ type, default: value }: INodeProperties) => type === 'boolean' && value === true;
	const on = fields.filter(isOn).map(({ name, displayOptions }) => [name, displayOptions?.show]);
	expect(on).toEqual([
		['downloadVideo', { resource: ['queue'], operation: ['wait'] }],
		['downloadVideo', { resource: ['video'], operation: ['generate'] }],
	]);
	const isVideos = ({ displayOptions }: INodeProperties) =>
		displayOptions?.show?.resource?.[0] === 'video';
	const [operation] = getProperties('operation').filter(isVideos);
	const chosen = fields.filter(
		({ name, type }) =>
			/^(resource|event|projectIds|downloadVideo|emitExisting|binaryPropertyName)$/.test(name) ||
			type === 'number',
	);
	expect(operation?.default).toBe('generate');
	// There may be more.
	expect(Object.fromEntries(chosen.map((field) => [field.name, field.default]))).toMatchObject({
		...{ listingDelay: 10, pollingInterval: 5, timeout: 1800, videosAtOnce: 1 },
		...{ creditsPerVideo: 1, creditsToKeep: 0, limit: 50, maxTries: 4 },
		// The trigger's come last.
		...{ resource: 'video', event: 'videoFinished', projectIds: [], downloadVideo: false },
		...{ emitExisting: false, binaryPropertyName: 'data' },
	});
});
