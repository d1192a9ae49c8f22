import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { ActiveTrigger } from '../support/n8nServer/ActiveTrigger';
import { byId, GENERATE, OPERATIONS, PROJECT, WAIT } from '../support/engine/OPERATIONS';
import { runNode } from '../support/engine/runNode';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { useBinaryStore } from '../support/engine/useBinaryStore';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();
useBinaryStore();

/** Returns the method, URL and body of each request that the service received. */
function sent() {
	return service.sandbox.requests.map(({ method, url, body }) => ({ method, url, body }));
}

async function queueVideo() {
	const { items } = await service.run(OPERATIONS['queue.add']);
	service.sandbox.clearRequests();
	return items[0]?.json.queueId as string;
}

/** `test/unit/response.test.ts` has the rule for every text. */
const VALUES = ['../clear', '..', '%2e%2e', 'a\r\nX-Injected: 1', 'x'.repeat(10_240), ' q1 ', ''];
const ADD = { ...OPERATIONS['queue.add'], customPrompt: '={{ $json.prompt }}' };

/** Runs on a fake clock that the sandbox follows. */
const run = async (parameters: INodeParameters, items: (IDataObject | undefined)[] = [{}]) =>
	await runWithoutWaiting(
		async () => await runNode({ ...service.setup(parameters), items }),
		service.sandbox,
	);

const listBodies = () =>
	service.sandbox.requests
		.filter(({ operation }) => operation === 'queue.add')
		.map(({ body }) => body);

const LOCATOR = byId('={{ $json.value }}');

describe('Every request', () => {
	test('carries the key, asks for JSON and comes from the service’s own paths', async () => {
		const queueId = await queueVideo();
		for (const parameters of Object.values(OPERATIONS)) {
			const { error } = await service.run(parameters, { items: [{ queueId }] });
			expect(error).toBeUndefined();
		}
		expect(service.sandbox.requests).toHaveLength(6);
		for (const { headers, operation, method, status } of service.sandbox.requests) {
			expect(headers.authorization).toBe(`Bearer ${service.sandbox.apiKey}`);
			expect(headers.accept).toBe('application/json');
			expect(headers['content-type']).toBe(method === 'POST' ? 'application/json' : undefined);
			expect(operation).toBeDefined();
			expect(status).toBe(200);
		}
	});
});

describe('Queue > Add', () => {
	test('sends one request, with the project alone, and returns the queue item at once', async () => {
		const { items } = await service.run(OPERATIONS['queue.add']);
		expect(sent()).toEqual([
			{ method: 'POST', url: '/v1/queue/add', body: { projectId: PROJECT } },
		]);
		expect(items.map(({ json }) => json)).toEqual([
			{
				queueId: expect.any(String) as string,
				projectId: PROJECT,
				status: 'pending',
				generationProgress: 0,
				renderProgress: 0,
				videoUrl: null,
				createdAt: expect.any(String) as string,
			},
		]);
	});

	test.each([
		[{ overwriteSettings: false, customPrompt: 'Rain' }, { customPrompt: 'Rain' }],
		[
			{ overwriteSettings: true, customPrompt: ' Rain\non glass ' },
			{ overwriteSettings: true, customPrompt: ' Rain\non glass ' },
		],
	])('with %j sends %j beside the project', async (parameters, expected) => {
		await service.run({ ...OPERATIONS['queue.add'], ...parameters });
		expect(sent()[0]?.body).toEqual({ projectId: PROJECT, ...expected });
	});

	test.each([
		[
			'picked from the list',
			{ __rl: true, mode: 'list', value: PROJECT, cachedResultName: 'Product teaser' },
		],
		['given by an expression', byId('={{ $json.id }}')],
		['given as plain text, as an agent may', PROJECT],
	])('takes a project %s', async (_how, projectId) => {
		await service.run({ ...OPERATIONS['queue.add'], projectId }, { items: [{ id: PROJECT }] });
		expect(sent()[0]?.body).toEqual({ projectId: PROJECT });
	});

	test.each([
		[{ overwriteSettings: true, customPrompt: '' }, "'Custom Prompt' is empty"],
		[{ options: { maxTries: 11 } }, "'Max Tries' must be a whole number from 1 to 10"],
	])('with %j fails before any request: %s', async (parameters, message) => {
		const { error } = await service.run({ ...OPERATIONS['queue.add'], ...parameters });
		expect(error?.message).toBe(message);
		expect(error?.description).toMatch(/Nothing was (queued|sent)/);
		expect(sent()).toEqual([]);
	});
});

describe('Video > Generate', () => {
	test('is what a new node does: with a project and a prompt, it returns the video with its file', async () => {
		const { items, error } = await run({ projectId: byId(PROJECT), customPrompt: 'Rain' });
		expect(error).toBeUndefined();
		expect(listBodies()).toEqual([{ projectId: PROJECT, customPrompt: 'Rain' }]);
		const [{ queueId, videoId } = {}] = service.sandbox.charges;
		expect(items).toHaveLength(1);
		expect(items[0]).toMatchObject({
			json: { queueId, status: 'completed', video: { id: videoId } },
			binary: { data: { mimeType: 'video/mp4' } },
		});
	});
});

describe('Queue > Get Progress', () => {
	test('returns the details with the queue ID that they belong to', async () => {
		const queueId = await queueVideo();
		service.sandbox.clock.advance(3000);
		const { items } = await service.run({
			...OPERATIONS['queue.getProgress'],
			queueId: ` ${queueId}\n`,
		});
		expect(sent()).toEqual([
			{ method: 'GET', url: `/v1/queue/progress/${queueId}`, body: undefined },
		]);
		expect(items[0]?.json).toEqual({
			queueId,
			status: expect.stringMatching(/./) as string,
			generationProgress: 50,
			renderProgress: 0,
		});
	});
});

describe('Queue > Clear', () => {
	test('returns what was deleted', async () => {
		const queueId = await queueVideo();
		const { items } = await service.run({ ...OPERATIONS['queue.clear'], queueId });
		expect(sent()).toEqual([{ method: 'POST', url: '/v1/queue/clear', body: { queueId } }]);
		expect(items[0]?.json).toEqual({ queueId, deleted: true });
		const { error } = await service.run({ ...OPERATIONS['queue.getProgress'], queueId });
		expect(error).toMatchObject({
			httpCode: '404',
			message: 'The video service has no queue item with this ID',
		});
	});
});

describe('Video > Get Many', () => {
	const video = (id: string, createdAt: string, projectId = PROJECT) => ({
		id,
		createdAt,
		projectId,
	});
	const getIds = async (parameters: IDataObject) => {
		const { items, error } = await service.run({
			...OPERATIONS['video.getAll'],
			...(parameters as object),
		});
		expect(error).toBeUndefined();
		return items.map(({ json }) => json.id);
	};

	beforeEach(() => {
		service.sandbox.addVideos('main', [
			video('b', '2026-01-02T00:00:00Z'),
			video('c', '2026-01-03T00:00:00Z', 'project-city-tour'),
			video('a', '2026-01-01T00:00:00Z'),
		]);
	});

	test('returns one item for each video log, newest first', async () => {
		expect(await getIds({})).toEqual(['c', 'b', 'a']);
		expect(sent()).toEqual([{ method: 'GET', url: '/v1/videos', body: undefined }]);
	});

	test('returns no item, and no error, for an account without videos', async () => {
		const setup = service.setup(OPERATIONS['video.getAll']);
		const { apiKey } = service.sandbox.accounts.empty;
		const credentials = { ...setup.credentials, apiKey };
		expect(await runNode({ ...setup, credentials })).toMatchObject({ items: [], error: undefined });
	});

	test('returns 50 videos, or as many as the limit says, or all', async () => {
		service.sandbox.addVideos(
			'main',
			Array.from({ length: 100 }, (_, i) => video(`v${i}`, '2025-01-01T00:00:00Z')),
		);
		expect(await getIds({})).toHaveLength(50);
		expect(await getIds({ limit: 2 })).toEqual(['c', 'b']);
		expect(await getIds({ returnAll: true })).toHaveLength(103);
	});

	test.each([
		[{ projectId: { __rl: true, mode: 'list', value: 'project-city-tour' } }, ['c']],
		[{ createdAfter: '2026-01-01T12:00:00Z' }, ['c', 'b']],
		[
			{
				createdAfter: "={{ DateTime.fromISO('2026-01-01T12:00:00Z') }}",
				createdBefore: '2026-01-02T12:00:00Z',
			},
			['b'],
		],
		[null, ['c', 'b', 'a']],
		[{ createdAfter: "={{ new Date('2026-01-02T12:00:00Z') }}" }, ['c']],
	])('with the filters %j returns %j', async (filters, expected) => {
		expect(await getIds({ filters })).toEqual(expected);
	});

	test('limits after it has filtered', async () => {
		const filters = { createdBefore: '2026-01-02T12:00:00Z' };
		expect(await getIds({ limit: 1, filters })).toEqual(['b']);
	});

	test.each([
		[{ filters: { createdAfter: '={{ [1] }}' } }, "'Created After' must be a date"],
		[{ filters: { createdBefore: '' } }, "'Created Before' must be a date"],
		[{ filters: { projectId: byId('') } }, "'Project' is empty"],
		[{ limit: 0 }, "'Limit' must be a whole number of 1 or more"],
	])('with %j fails before any request: %s', async (parameters, message) => {
		const { error } = await service.run({ ...OPERATIONS['video.getAll'], ...parameters });
		expect(error?.message).toBe(message);
		expect(sent()).toEqual([]);
	});
});

describe('Project > Get Many', () => {
	test.each([
		[{}, '/v1/projects'],
		[{ sort: 'createdAt' }, '/v1/projects?sort=createdAt'],
		[{ sort: 'updatedAt', order: 'desc' }, '/v1/projects?sort=updatedAt&order=desc'],
	])('with the options %j asks for %s', async (options, url) => {
		await service.run({ ...OPERATIONS['project.getAll'], options });
		expect(sent()).toEqual([{ method: 'GET', url, body: undefined }]);
	});

	test('returns one item for each project, in the order of the service', async () => {
		const { items } = await service.run({
			...OPERATIONS['project.getAll'],
			options: { sort: 'createdAt', order: 'asc' },
		});
		expect(items.map(({ json }) => json.name)).toEqual([
			'Launch film (3 credits)',
			'Product teaser',
			'City tour',
			'Broken storyboard (always fails)',
		]);
		expect(Object.keys(items[0]?.json ?? {}).sort()).toEqual([
			'createdAt',
			'id',
			'name',
			'updatedAt',
		]);
	});

	test('takes the bare list as well, which a prose example of the service shows', async () => {
		service.sandbox.addFault({ kind: 'status', status: 200, body: [{ id: 'p', name: 'P' }] });
		const { items } = await service.run(OPERATIONS['project.getAll']);
		expect(items.map(({ json }) => json)).toEqual([{ id: 'p', name: 'P' }]);
	});

	test('limits the list', async () => {
		const { items } = await service.run({ ...OPERATIONS['project.getAll'], limit: 3 });
		expect(items).toHaveLength(3);
	});
});

describe('Account > Get', () => {
	test('returns the account without its envelope', async () => {
		const { items } = await service.run(OPERATIONS['account.get']);
		expect(sent()).toEqual([{ method: 'GET', url: '/v1/user/account', body: undefined }]);
		expect(items[0]?.json).toMatchObject({
			name: 'Ada Example',
			email: 'ada@example.com',
			usage: { remainingCredits: 100 },
		});
		expect(items[0]?.json).not.toHaveProperty('status');
		expect(items[0]?.json).not.toHaveProperty('message');
	});
});

describe('Fields that the specification does not name', () => {
	test('pass through every operation', async () => {
		const queueId = await queueVideo();
		service.sandbox.addVideos('main', [{}]);
		service.sandbox.addFault({ kind: 'extraFields', fields: { addedLater: { a: 1 } } });
		for (const [name, parameters] of Object.entries(OPERATIONS)) {
			const { items } = await service.run(parameters, { items: [{ queueId }] });
			if (name !== 'queue.clear') expect(items[0]?.json).toMatchObject({ addedLater: { a: 1 } });
		}
	});
});

describe('A queue ID', () => {
	test.each(VALUES)(
		'of %j is exactly one segment of the path, or fails before the request',
		async (queueId) => {
			const { error } = await service.run(OPERATIONS['queue.getProgress'], {
				items: [{ queueId }],
			});
			const { requests } = service.sandbox;
			if (requests.length === 0) {
				expect(error?.message).toMatch(/^'Queue ID' is (empty|not the ID of a queue item)$/);
				return;
			}
			expect(requests).toHaveLength(1);
			const [, ...segments] = requests[0]?.url.split('/') ?? [];
			expect(segments.slice(0, 3)).toEqual(['v1', 'queue', 'progress']);
			expect(segments).toHaveLength(4);
			expect(segments[3]).not.toMatch(/[?#\s]/);
			expect(decodeURIComponent(segments[3] ?? '')).toBe(queueId.trim());
			expect(requests[0]?.headers).not.toHaveProperty('x-injected');
			expect(['400', '404', '414', '431']).toContain(error?.httpCode);
		},
	);
});

describe('A service whose log names the address of a video videoUrl', () => {
	beforeEach(() =>
		service.sandbox.addFault({
			...{ kind: 'renamedField', field: 'url', to: 'videoUrl', operation: 'video.getAll' },
		}),
	);
	const addVideo = () => {
		const [video] = service.sandbox.addVideos('main', [{}]);
		return { ...video, url: `${service.sandbox.url}/files/${String(video?.id)}.mp4` };
	};

	test('is listed with its url as well', async () => {
		const { id, url, projectId, createdAt } = addVideo();
		const { items } = await service.run(OPERATIONS['video.getAll']);
		expect(items[0]?.json).toEqual({ id, projectId, url, createdAt, videoUrl: url });
		expect(Object.keys(items[0]?.json ?? {}).slice(0, 3)).toEqual(['id', 'projectId', 'url']);
	});

	test('has its videos handed on by the trigger, with the file', async () => {
		const trigger = await ActiveTrigger.create({
			credentials: { baseUrl: service.sandbox.url, apiKey: service.sandbox.apiKey },
			storage: 'static data',
			parameters: { options: { downloadVideo: true } },
		});
		await trigger.activate();
		const { id, url } = addVideo();
		const { items } = await trigger.poll();
		expect(items?.[0]?.json).toMatchObject({ id, url });
		expect(items?.[0]?.binary?.data).toMatchObject({ mimeType: 'video/mp4' });
	});

	test('has its video found and downloaded by Video > Generate', async () => {
		const { items, error } = await run({ ...GENERATE, downloadVideo: true });
		expect(error).toBeUndefined();
		expect(items[0]?.json.videoUrl).toMatch(/\.mp4$/);
		expect(items[0]?.json.video).toHaveProperty('url', items[0]?.json.videoUrl);
		expect(items[0]?.binary?.data).toMatchObject({ mimeType: 'video/mp4' });
	});
});

test('An entry with both names keeps its own url', async () => {
	const videos = [{ id: 'a', url: 'https://a.example/1', videoUrl: 'https://a.example/2' }];
	const body = { status: 'success', videos };
	service.sandbox.addFault({ kind: 'status', status: 200, body, operation: 'video.getAll' });
	const { items } = await service.run(OPERATIONS['video.getAll']);
	expect(items[0]?.json).toMatchObject({ url: 'https://a.example/1' });
});

// `test/unit/parameters.test.ts` has the tables of all values.

test('A number as a prompt is sent as text, and an empty prompt is left out', async () => {
	expect((await run(ADD, [{ prompt: 2024 }, { prompt: ' ' }])).error).toBeUndefined();
	expect(listBodies()).toEqual([
		{ projectId: PROJECT, customPrompt: '2024' },
		{ projectId: PROJECT },
	]);
});

test('A number as an ID is sent as text', async () => {
	service.sandbox.addProjects('main', [{ id: '42' }]);
	const { error } = await run({ ...ADD, projectId: '={{ $json.id }}' }, [{ id: 42 }]);
	expect(error).toBeUndefined();
	expect(listBodies()).toEqual([{ projectId: '42' }]);
});

test.each<[string, string, INodeParameters]>([
	['text', 'Custom Prompt', { ...ADD, customPrompt: '={{ $json.value }}' }],
	['true or false', 'Overwrite Settings', { ...ADD, overwriteSettings: '={{ $json.value }}' }],
	['true or false', 'Download Video', { ...GENERATE, downloadVideo: '={{ $json.value }}' }],
	['an ID', 'Project', { ...ADD, projectId: '={{ $json.value }}' }],
	['an ID', 'Project', { ...ADD, projectId: LOCATOR }],
	['an ID', 'Queue ID', { ...OPERATIONS['queue.getProgress'], queueId: '={{ $json.value }}' }],
	['an ID', 'Queue ID', { ...OPERATIONS['queue.clear'], queueId: '={{ $json.value }}' }],
	['an ID', 'Queue ID', { resource: 'queue', operation: 'wait', queueId: '={{ $json.value }}' }],
])('What is not %s in "%s" is refused before any request', async (kind, label, parameters) => {
	for (const value of [['a', 'b'], { text: 'x' }]) {
		const { error } = await run(parameters, [{ value }]);
		expect(error?.message).toBe(`'${label}' must be ${kind}`);
	}
	expect(service.sandbox.requests).toEqual([]);
});

test.each([
	[
		'Sort By',
		{ resource: 'project', operation: 'getAll', options: { sort: '={{ ["createdAt"] }}' } },
	],
	['Sort Order', { resource: 'project', operation: 'getAll', options: { order: '={{ ({}) }}' } }],
	['Completed Statuses', { waitOptions: { completedStatuses: '={{ ["completed"] }}' } }],
	['Failed Statuses', { waitOptions: { failedStatuses: '={{ ["failed"] }}' } }],
])("A list or an object in '%s' is refused before any request", async (label, parameters) => {
	const { error } = await run({ ...GENERATE, ...parameters });
	expect(error?.message).toBe(`'${label}' must be text`);
	expect(service.sandbox.requests).toEqual([]);
});

test.each(['9007199254740993', 'null'])(
	'Get Progress outputs the queue ID that was asked for, also where the details have %s',
	async (queueId) => {
		service.sandbox.addFault({
			...{ kind: 'status', status: 200, contentType: 'application/json' },
			body: `{"status":"success","details":{"queueId":${queueId},"status":"pending"}}`,
		});
		const get = { ...OPERATIONS['queue.getProgress'], queueId: '9007199254740993' };
		expect((await run(get)).items[0]?.json).toMatchObject({ queueId: '9007199254740993' });
	},
);

describe("n8n's Request Options", () => {
	test.each<string | number>(['={{ 1500.5 }}', 5_000_000_000])(
		'take %j for a timeout: requests are sent and answered',
		async (timeout) => {
			const add = await run({ ...ADD, requestOptions: { timeout } });
			expect(add.error).toBeUndefined();
			const read = await run({ ...OPERATIONS['account.get'], requestOptions: { timeout } });
			expect(read.error).toBeUndefined();
			const [queueId] = service.sandbox.charges.map((charge) => charge.queueId);
			const wait = { ...WAIT, queueId: queueId ?? '' };
			const waited = await run({ ...wait, requestOptions: { timeout } });
			expect(waited.items[0]?.json.status).toBe('completed');
		},
	);

	test.each([
		['Timeout', { timeout: '={{ "10 s" }}' }],
		['Items per Batch', { batching: { batch: { batchSize: '={{ "all" }}' } } }],
	])("refuse a text for '%s' before anything is sent", async (label, requestOptions) => {
		const { error } = await run({ ...ADD, requestOptions });
		expect(error?.message).toBe(`'${label}' must be a number`);
		expect(service.sandbox.requests).toEqual([]);
	});

	test.each(['={{ $json.nothing }}', '', '={{ "all" }}'])(
		"fail every item if 'Items per Batch' is %j, and none comes out as a success",
		async (batchSize) => {
			const requestOptions = { batching: { batch: { batchSize, batchInterval: 0 } } };
			for (const onError of ['continueErrorOutput', 'continueRegularOutput'] as const) {
				const parameters = { ...ADD, requestOptions };
				const { items, errorItems } = await service.run(parameters, {
					...{ items: [{}, {}], settings: { onError } },
				});
				const failed = onError === 'continueErrorOutput' ? errorItems : items;
				expect(failed.map(({ json }) => json.error)).toEqual([
					"'Items per Batch' must be a number",
					"'Items per Batch' must be a number",
				]);
				expect(items.length + errorItems.length).toBe(2);
			}
			expect(service.sandbox.requests).toEqual([]);
		},
	);

	test.each([
		[{ options: null }],
		[{ options: { maxTries: '={{ undefined }}' } }],
		[{ requestOptions: null }],
		[{ requestOptions: { timeout: null, proxy: null } }],
		[{ requestOptions: { batching: { batch: null } } }],
	])('and Options may be %j', async (parameters) => {
		const { items, error } = await run({ ...OPERATIONS['account.get'], ...parameters });
		expect(error).toBeUndefined();
		expect(items).toHaveLength(1);
	});
});

// These tests run in a time zone that is not UTC (jest.config.js).
describe('A date without a time zone', () => {
	test('means UTC in the entries of Video > Get Many', async () => {
		service.sandbox.addVideos('main', [
			{ id: 'bare', createdAt: '2026-01-01T12:00:00' },
			{ id: 'zoned', createdAt: '2026-01-01T12:30:00Z' },
		]);
		const createdBefore = '2026-01-01T12:10:00Z';
		const { items } = await run({ ...OPERATIONS['video.getAll'], filters: { createdBefore } });
		expect(items.map(({ json }) => json.id)).toEqual(['bare']);
	});
});

describe('Odd responses', () => {
	test('do not hide the video that is waited for', async () => {
		service.sandbox.addFault({ kind: 'oddEntries', operation: 'video.getAll' });
		const { items, error } = await run(GENERATE);
		expect(error).toBeUndefined();
		expect(items[0]?.json.status).toBe('completed');
	});
});

test('An item that a node has output without its json is an item like any other', async () => {
	const { items, error } = await run(ADD, [undefined]);
	expect(error).toBeUndefined();
	expect(items).toHaveLength(1);
	expect(listBodies()).toEqual([{ projectId: PROJECT }]);
});
