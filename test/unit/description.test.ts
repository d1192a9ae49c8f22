import fs from 'node:fs';
import path from 'node:path';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { VideoGenerationApi } from '../../credentials/VideoGenerationApi.credentials';
import { VideoGeneration } from '../../nodes/VideoGeneration/VideoGeneration.node';
import { VideoGenerationTrigger } from '../../nodes/VideoGeneration/VideoGenerationTrigger.node';
import { ENDPOINTS } from '../../nodes/VideoGeneration/api/endpoints';

const ROOT = path.resolve(__dirname, '../..');
const { description, methods, customOperations } = new VideoGeneration();
const trigger = new VideoGenerationTrigger();

function getProperties(name: string) {
	return description.properties.filter((property) => property.name === name);
}

/** Lists every property, including those inside collections. */
function walk(properties: INodeProperties[]): INodeProperties[] {
	return properties.flatMap((property) => [
		property,
		...(property.type === 'collection' ? walk(property.options as INodeProperties[]) : []),
	]);
}

const operations = getProperties('operation').flatMap((property) =>
	(property.options as INodePropertyOptions[]).map((option) => ({
		resource: property.displayOptions?.show?.resource?.[0] as string,
		option,
	})),
);

describe('The description', () => {
	test('has the public names, which saved workflows hold on to', () => {
		const names = Object.fromEntries(
			operations.map(({ resource, option }) => [
				`${resource} ${String(option.value)}`,
				description.properties
					.filter(({ displayOptions }) => {
						const { resource: resources, operation } = displayOptions?.show ?? {};
						return resources?.includes(resource) && operation?.includes(option.value);
					})
					.map(({ name }) => name),
			]),
		);
		expect(description.name).toBe('videoGeneration');
		expect(names).toEqual({
			'video generate': [
				'projectId',
				'customPrompt',
				'overwriteSettings',
				'downloadVideo',
				'binaryPropertyName',
				'waitOptions',
				'options',
			],
			'queue add': ['projectId', 'customPrompt', 'overwriteSettings', 'options'],
			'queue clear': ['queueId', 'options'],
			'queue getProgress': ['queueId', 'options'],
			'queue wait': [
				'queueId',
				'projectId',
				'queuedAt',
				'downloadVideo',
				'binaryPropertyName',
				'waitOptions',
				'options',
			],
			'video download': ['videoUrl', 'binaryPropertyName', 'options'],
			'video getAll': ['returnAll', 'limit', 'filters', 'options'],
			'project getAll': ['returnAll', 'limit', 'options'],
			'account get': ['options'],
		});
		const inside = (name: string) =>
			getProperties(name).map(({ options }) =>
				(options as INodeProperties[]).map((option) => option.name),
			);
		expect(inside('waitOptions')[0]).toEqual([
			'completedStatuses',
			'failedStatuses',
			'listingDelay',
			'pollingInterval',
			'timeout',
			'videosAtOnce',
		]);
		expect(inside('filters')).toEqual([['createdAfter', 'createdBefore', 'projectId']]);
		expect(new Set(inside('options').map(String))).toEqual(
			new Set([
				'creditsPerVideo,creditsToKeep,maxTries,uniqueKey',
				'maxTries',
				'maxTries,sort,order',
				'fileName,maxTries',
			]),
		);
	});

	test('declares for every operation the endpoint that it sends to, which the node calls by itself', () => {
		const declared = operations.map(({ resource, option }) => [
			`${resource} ${String(option.value)}`,
			option.routing,
		]);
		const declare = (request: object) => ({ request, send: { paginate: true } });
		expect(Object.fromEntries(declared)).toEqual({
			'video generate': declare(ENDPOINTS.addToQueue),
			'queue add': declare(ENDPOINTS.addToQueue),
			'queue clear': declare(ENDPOINTS.clearQueueItem),
			'queue getProgress': declare(ENDPOINTS.getProgress),
			'queue wait': declare(ENDPOINTS.getProgress),
			'video download': { send: { paginate: true } },
			'video getAll': declare(ENDPOINTS.listVideos),
			'project getAll': declare(ENDPOINTS.listProjects),
			'account get': declare(ENDPOINTS.getAccount),
		});
		expect(typeof description.requestOperations?.pagination).toBe('function');
	});

	test('runs every operation for all items itself, and no other', () => {
		const given = Object.entries(customOperations).flatMap(([resource, byName]) =>
			Object.keys(byName).map((operation) => `${resource}.${operation}`),
		);
		const declared = operations.map(
			({ resource, option }) => `${resource}.${String(option.value)}`,
		);
		expect(given.sort()).toEqual(declared.sort());
		expect(given).toHaveLength(9);
	});

	test('has no expression of its own that n8n evaluates for each item: each costs about a millisecond', () => {
		const evaluated = JSON.stringify([
			description.requestDefaults,
			...walk(description.properties).map(({ routing }) => routing ?? null),
			...operations.map(({ option }) => option.routing ?? null),
		]);
		expect(evaluated).not.toContain('"=');
		const declaring = walk(description.properties).filter(({ routing }) => routing !== undefined);
		expect(declaring.map(({ name, routing }) => ({ name, routing }))).toEqual([
			{ name: 'resource', routing: { send: { paginate: true } } },
		]);
	});

	test('states a text parameter once: n8n evaluates its expression twice for each statement', () => {
		// The name of a binary field is hardly ever an expression, and a prompt costs only an agent's call.
		const texts = description.properties.filter(
			({ name, type }) =>
				type === 'string' && !['binaryPropertyName', 'customPrompt'].includes(name),
		);
		const names = texts.map(({ name }) => name);
		expect(names).toEqual([...new Set(names)]);
	});

	test('never follows a redirect with the key, and sees every response', () => {
		expect(description.requestDefaults).toMatchObject({
			disableFollowRedirect: true,
			ignoreHttpStatusErrors: true,
		});
	});

	test('has a new node generate a video', () => {
		expect(getProperties('resource')[0]?.default).toBe('video');
		expect(getProperties('operation')[0]).toMatchObject({
			...{ default: 'generate', displayOptions: { show: { resource: ['video'] } } },
		});
	});

	// n8n's nodes panel and an agent's model choose by these texts.
	const actions = operations.map(({ option }) => option.action ?? '');

	test('says in its actions what costs credits and what cannot be undone, the main one first', () => {
		expect(actions).toEqual([
			'Generate video (costs credits)',
			'Get many videos',
			'Download video file',
			'Queue video without waiting (costs credits)',
			'Delete queue item permanently',
			'Get progress of queued video',
			'Wait for queued video',
			'Get many projects',
			'Get account with remaining credits',
		]);
		expect(description.usableAsTool).toBe(true);
	});

	test.each([
		['video', 'Generate video (costs credits)'],
		['generate', 'Generate video (costs credits)'],
		['queue', 'Queue video without waiting (costs credits)'],
	])(
		'has the action that a search for "%s" is for before all others with that word',
		(word, expected) => {
			expect(actions.find((action) => action.toLowerCase().includes(word))).toBe(expected);
		},
	);

	test('explains every field', () => {
		for (const { name, description: text, type } of walk(description.properties)) {
			if (['resource', 'operation'].includes(name) || type === 'collection') continue;
			expect({ name, text }).toEqual({
				name,
				text: expect.stringMatching(/^[A-Z].{15,}/) as string,
			});
		}
	});

	test('fills every picker from a list search that exists', () => {
		const locators = walk(description.properties).filter(({ type }) => type === 'resourceLocator');
		expect(locators).toHaveLength(4);
		for (const { modes } of locators) {
			expect(modes?.map(({ name }) => name)).toEqual(['list', 'id']);
			const method = modes?.[0]?.typeOptions?.searchListMethod;
			expect(Object.keys(methods.listSearch)).toContain(method);
		}
	});
});

describe("The trigger's description", () => {
	const options = trigger.description.properties.find(({ name }) => name === 'options')
		?.options as INodeProperties[];
	const projectIds = trigger.description.properties.find(({ name }) => name === 'projectIds');

	test('has the public names, and is polled by n8n to begin a workflow', () => {
		expect(trigger.description).toMatchObject({
			...{ name: 'videoGenerationTrigger', version: 1, polling: true },
			...{ group: ['trigger'], inputs: [], icon: description.icon },
			credentials: [{ name: 'videoGenerationApi', required: true }],
		});
		expect(trigger.description.outputs).toHaveLength(1);
		expect(options.map(({ name }) => name)).toEqual(
			expect.arrayContaining(['downloadVideo', 'emitExisting', 'binaryPropertyName']),
		);
		const event = trigger.description.properties.find(({ name }) => name === 'event');
		expect(event).toMatchObject({
			...{ displayName: 'Trigger On', default: 'videoFinished' },
			options: [{ name: 'Video Finished', value: 'videoFinished' }],
		});
	});

	test('watches all projects, and leaves out what was there before, unless it is told otherwise', () => {
		expect(projectIds?.default).toEqual([]);
		expect(options.find(({ name }) => name === 'emitExisting')?.default).toBe(false);
		const method = projectIds?.typeOptions?.loadOptionsMethod;
		expect(Object.keys(trigger.methods.loadOptions)).toContain(method);
	});

	test('explains every field', () => {
		for (const { name, description: text, type } of walk(trigger.description.properties)) {
			if (name !== 'event' && type !== 'collection') expect(text).toMatch(/^[A-Z].{15,}/);
		}
	});

	test('says in its panel what a test event is, and what happens once the workflow is active', () => {
		const panel = JSON.stringify(trigger.description.triggerPanel);
		expect(panel).toMatch(/fetch test event.*newest finished video.*does not affect/);
		expect(panel).toMatch(/execute automatically/);
		expect(panel).toMatch(/data-key='executions'/);
	});
});

describe.each(['VideoGeneration', 'VideoGenerationTrigger'])('The codex file of %s', (name) => {
	const file = path.join(ROOT, `nodes/VideoGeneration/${name}.node.json`);
	const codex = JSON.parse(fs.readFileSync(file, 'utf8')) as Record<string, string[]>;

	test('belongs to the node and has words to find it by', () => {
		const type = name.charAt(0).toLowerCase() + name.slice(1);
		expect(codex.node).toBe(`n8n-nodes-video-generation.${type}`);
		// n8n hides nodes of the category AI from its nodes panel if they have no subcategory.
		expect(codex.categories).not.toContain('AI');
		expect(codex.categories?.length).toBeGreaterThan(0);
		expect(codex.alias).toContain('video');
	});
});

test('Only Download Video of Generate and Wait is on by default, and the numbers are those that saved workflows rely on', () => {
	const fields = [...walk(description.properties), ...walk(trigger.description.properties)];
	const listDefaults = (type: string) =>
		Object.fromEntries(
			fields
				.filter((field) => field.type === type)
				.map(({ name, default: value }) => [name, value]),
		);
	const isOn = ({ type, default: value }: INodeProperties) => type === 'boolean' && value === true;
	expect(fields.filter(isOn).map(({ displayOptions }) => displayOptions?.show)).toEqual([
		{ resource: ['video'], operation: ['generate'] },
		{ resource: ['queue'], operation: ['wait'] },
	]);
	expect(fields.find(isOn)?.name).toBe('downloadVideo');
	expect(listDefaults('number')).toEqual({
		...{ listingDelay: 10, pollingInterval: 5, timeout: 1800, videosAtOnce: 1 },
		...{ creditsPerVideo: 1, creditsToKeep: 0, limit: 50, maxTries: 4 },
	});
});

describe('Every icon', () => {
	test.each([
		['nodes/VideoGeneration', description.icon],
		['credentials', new VideoGenerationApi().icon],
	])('of %s is there in light and dark', (folder, icon) => {
		for (const theme of ['light', 'dark'] as const) {
			const file = (icon as Record<string, string>)[theme]?.replace(/^file:/, '') ?? '';
			expect(fs.readFileSync(path.join(ROOT, folder, file), 'utf8')).toContain('<svg');
		}
	});
});
