import type { IDataObject } from 'n8n-workflow';
import { OPERATIONS, PROJECT } from '../support/engine/OPERATIONS';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();

/** Returns the method, URL and body of each request that the service received. */
function sent() {
	return service.sandbox.requests.map(({ method, url, body }) => ({ method, url, body }));
}

async function queueVideo() {
	const { items } = await service.run(OPERATIONS['queue.add']);
	service.sandbox.clearRequests();
	return items[0]?.json.queueId as string;
}

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
	test('sends the project alone when nothing else is set', async () => {
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
		[{ overwriteSettings: false, customPrompt: '' }, {}],
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
		['given by an expression', { __rl: true, mode: 'id', value: '={{ $json.id }}' }],
		['given as plain text, as an agent may', PROJECT],
	])('takes a project %s', async (_how, projectId) => {
		await service.run({ ...OPERATIONS['queue.add'], projectId }, { items: [{ id: PROJECT }] });
		expect(sent()[0]?.body).toEqual({ projectId: PROJECT });
	});

	test.each([
		[{ overwriteSettings: true, customPrompt: '' }, "'Custom Prompt' is empty"],
		[{ overwriteSettings: true, customPrompt: ' \n' }, "'Custom Prompt' is empty"],
		[
			{ projectId: { __rl: true, mode: 'id', value: '={{ $json.nothing }}' } },
			"'Project' is empty",
		],
		[{ options: { maxTries: 0 } }, "'Max Tries' must be a whole number from 1 to 10"],
		[{ options: { maxTries: 11 } }, "'Max Tries' must be a whole number from 1 to 10"],
	])('with %j fails before any request: %s', async (parameters, message) => {
		const { error } = await service.run({ ...OPERATIONS['queue.add'], ...parameters });
		expect(error?.message).toBe(message);
		expect(error?.description).toMatch(/Nothing was (queued|sent)/);
		expect(sent()).toEqual([]);
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
		service.sandbox.removeVideos('main');
		expect(await getIds({})).toEqual([]);
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
		[{ projectId: { __rl: true, mode: 'id', value: '' } }, ['c', 'b', 'a']],
		[{ createdAfter: '2026-01-01T12:00:00Z' }, ['c', 'b']],
		[{ createdBefore: '2026-01-02T12:00:00Z' }, ['b', 'a']],
		[
			{
				createdAfter: "={{ DateTime.fromISO('2026-01-01T12:00:00Z') }}",
				createdBefore: '2026-01-02T12:00:00Z',
			},
			['b'],
		],
	])('with the filters %j returns %j', async (filters, expected) => {
		expect(await getIds({ filters: filters })).toEqual(expected);
	});

	test('limits after it has filtered', async () => {
		expect(await getIds({ limit: 1, filters: { createdBefore: '2026-01-02T12:00:00Z' } })).toEqual([
			'b',
		]);
	});

	test.each([
		[{ filters: { createdAfter: 'soon' } }, "'Created After' must be a date"],
		[{ filters: { createdBefore: '2026-02-31' } }, "'Created Before' must be a date"],
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
		[{ order: 'asc' }, '/v1/projects?order=asc'],
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
