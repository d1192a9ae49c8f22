import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import type { Storage, TriggerSetup } from '../support/n8nServer/ActiveTrigger';
import { ActiveTrigger, passMinute, STATE_KEY, STORAGES } from '../support/n8nServer/ActiveTrigger';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { TestCredentialsHelper } from '../support/n8nServer/TestCredentialsHelper';
import { testWith } from '../support/engine/testWith';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();

const setUp = async (storage: Storage, more: Partial<TriggerSetup> = {}) =>
	await ActiveTrigger.create({
		credentials: { baseUrl: service.sandbox.url, apiKey: service.sandbox.apiKey },
		storage,
		...more,
	});

const activate = async (storage: Storage, parameters: INodeParameters = {}) => {
	const trigger = await setUp(storage, { parameters });
	expect(await trigger.activate()).toEqual({ items: null });
	return trigger;
};

/** Adds videos to the main account that are finished now, or at the given times. */
const finish = (...videos: (string | { id: string; createdAt?: string; projectId?: string })[]) =>
	service.sandbox.addVideos(
		'main',
		videos.map((video) => (typeof video === 'string' ? { id: video } : video)),
	);

const ids = ({ items }: { items: { json: { id?: unknown } }[] | null }) =>
	items?.map(({ json }) => json.id) ?? null;

async function pollOnce(baseUrl = service.sandbox.url): Promise<unknown> {
	const trigger = await setUp('static data', {
		credentials: { baseUrl, apiKey: service.sandbox.apiKey },
		parameters: { options: { maxTries: 1 } },
	});
	const { error } = await trigger.poll();
	return (error as { failure?: unknown } | undefined)?.failure;
}

const like = (pattern: RegExp) => expect.stringMatching(pattern) as string;

describe.each(STORAGES)('The trigger, with its state in %s,', (storage) => {
	test('hands on nothing that was there before, and each later video once, oldest first', async () => {
		finish('old');
		const trigger = await activate(storage);
		expect(await trigger.poll()).toEqual({ items: null });
		finish({ id: 'b', createdAt: '2026-01-15T12:01:00.000Z' }, { id: 'a' });
		expect(ids(await trigger.poll())).toEqual(['a', 'b']);
		expect(await trigger.poll()).toEqual({ items: null });
	});

	test('hands on a log with the fields of the API', async () => {
		const trigger = await activate(storage);
		const [video] = finish('one');
		expect((await trigger.poll()).items).toEqual([
			{ json: { ...video, url: `${service.sandbox.url}/files/one.mp4` } },
		]);
	});

	test('sends one request a poll, with the key, however many videos there are', async () => {
		finish(...Array.from({ length: 300 }, (_, i) => `video-${i}`));
		const trigger = await activate(storage);
		expect(service.sandbox.requests).toMatchObject([
			{
				method: 'GET',
				url: '/v1/videos',
				headers: { authorization: expect.any(String) as string },
			},
		]);
		await trigger.poll();
		expect(service.sandbox.requests).toHaveLength(2);
	});

	describe('with projects chosen', () => {
		const tour = (id: string) => ({ id, projectId: 'project-city-tour' });

		test('takes an ID with a comma from the list', async () => {
			const trigger = await activate(storage, { projectIds: ['tour,2026'] });
			finish('other', { id: 'tour', projectId: 'tour,2026' });
			expect(ids(await trigger.poll())).toEqual(['tour']);
		});

		test.each([
			['an ID', 'project-city-tour'],
			['IDs with commas between them', 'project-other, project-city-tour,'],
			['IDs on lines of their own', 'project-other\nproject-city-tour'],
			['IDs and numbers in a list', [7, ' project-city-tour ']],
			['a list as text', '["project-city-tour"]'],
			['an expression', '={{ ["project-city-tour"] }}'],
			['an expression that returns text', '={{ "project-other,project-city-tour" }}'],
		])('takes them as %s', async (_what, projectIds) => {
			const trigger = await activate(storage, { projectIds });
			finish('other', tour('tour'));
			expect(ids(await trigger.poll())).toEqual(['tour']);
		});

		test.each([[''], [['']], [[null]], [[{ id: 'x' }]], [true], ['={{ undefined }}'], ['[a, b]']])(
			'fails, and misses nothing, when the choice is %j',
			async (projectIds) => {
				const trigger = await activate(storage);
				finish('a');
				trigger.parameters = { projectIds };
				await expect(trigger.activate()).rejects.toMatchObject({
					message: expect.stringContaining("'Project Names or IDs'") as string,
				});
				trigger.parameters = {};
				expect(ids(await trigger.activate())).toEqual(['a']);
			},
		);
	});

	test.each([
		['TRUE', ['a']],
		['={{ "true" }}', ['a']],
		['', null],
	])('understands a switch that is %j', async (emitExisting, expected) => {
		finish('a');
		const trigger = await setUp(storage, { parameters: { options: { emitExisting } } });
		expect(ids(await trigger.activate())).toEqual(expected);
	});

	test.each([
		["'Emit Existing Videos'", { emitExisting: 'maybe' }],
		["'Download Video'", { downloadVideo: { on: true } }],
		["'Put Output File in Field'", { downloadVideo: true, binaryPropertyName: ['data'] }],
	])('names %s when its value cannot be understood, and sends nothing', async (field, options) => {
		const trigger = await setUp(storage, { parameters: { options } });
		await expect(trigger.activate()).rejects.toMatchObject({
			name: 'NodeOperationError',
			message: expect.stringContaining(field) as string,
		});
		expect(service.sandbox.requests).toEqual([]);
	});

	describe('when a poll fails', () => {
		test.each([
			['429', { kind: 'tooManyRequests', retryAfter: 'none' }, '429', 4],
			['401', { kind: 'status', status: 401 }, '401', 1],
			['a connection that breaks off', { kind: 'reset' }, 'ECONNRESET', 4],
			['a list that is missing', { kind: 'missingField', field: 'videos' }, '200', 1],
		] as const)(
			'because of %s, the state stays byte for byte as it was, and nothing is lost',
			async (_what, fault, httpCode, tries) => {
				const trigger = await activate(storage);
				finish('a');
				await trigger.poll();
				finish('b');
				const before = trigger.state;
				service.sandbox.clearRequests();
				const id = service.sandbox.addFault(fault);

				const { items, error } = await runWithoutWaiting(() => trigger.poll());
				expect(items).toBeNull();
				expect(error).toMatchObject({ httpCode, name: 'NodeApiError' });
				if (tries > 1) expect(error).toMatchObject({ description: like(/no video is missed/) });
				expect(trigger.state).toBe(before);
				expect(service.sandbox.requests).toHaveLength(tries);

				service.sandbox.removeFault(id);
				expect(ids(await trigger.poll())).toEqual(['b']);
			},
		);

		test('at activation, n8n says so, and the next one is the first', async () => {
			finish('old');
			const trigger = await setUp(storage);
			const id = service.sandbox.addFault({ kind: 'status', status: 401 });
			await expect(trigger.activate()).rejects.toMatchObject({ httpCode: '401' });
			expect(trigger.database.staticData).toBe('{}');
			expect(trigger.state).not.toContain('cursor');
			service.sandbox.removeFault(id);
			expect(ids(await trigger.activate())).toBeNull();
			finish('new');
			expect(ids(await trigger.poll())).toEqual(['new']);
		});
	});

	testWith(
		'pollBudget',
		'does not ask again when n8n would give up on the poll meanwhile',
		async () => {
			const trigger = await setUp(storage, { budgetMs: 8_000 });
			await trigger.activate();
			service.sandbox.clearRequests();
			service.sandbox.addFault({ kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 10 });
			const { error } = await trigger.poll();
			expect(error).toMatchObject({ httpCode: '429', failure: { retryAfterMs: 10_000 } });
			expect(service.sandbox.requests).toHaveLength(1);
		},
	);

	testWith('pollBudget', 'gives up on an answer before n8n gives up on the poll', async () => {
		const trigger = await setUp(storage, { budgetMs: 1_200 });
		await trigger.activate();
		service.sandbox.addFault({ kind: 'hang' });
		const { error } = await trigger.poll();
		expect(error).toMatchObject({ httpCode: 'ECONNABORTED' });
	});

	testWith(
		'pollBudget',
		'keeps to its time when the clock of this machine is set back meanwhile',
		async () => {
			const trigger = await setUp(storage, { budgetMs: 12_000 });
			await trigger.activate();
			service.sandbox.clearRequests();
			service.sandbox.addFault({ kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 5 });
			const now = Date.now.bind(Date);
			const stopListening = service.sandbox.onRequest(() => {
				jest.spyOn(Date, 'now').mockImplementation(() => now() - 3_600_000);
			});
			const { error, tookMs } = await runWithoutWaiting(async () => {
				const startedAt = jest.now();
				return { ...(await trigger.poll()), tookMs: jest.now() - startedAt };
			});
			stopListening();
			jest.restoreAllMocks();
			expect(tookMs).toBeLessThan(12_000);
			expect(error).toMatchObject({ httpCode: '429' });
			expect(service.sandbox.requests).toHaveLength(2);
		},
	);

	test('holds nothing of the key, and no ID as it is', async () => {
		finish('my-video-id');
		const trigger = await activate(storage, { projectIds: ['project-city-tour'] });
		expect(trigger.state).toContain('"videos"');
		expect(trigger.state).not.toContain('my-video-id');
		expect(trigger.state).not.toContain(service.sandbox.apiKey);
	});
});

describe.each(STORAGES)(
	'Where the service sends tags, the trigger, with its state in %s,',
	(storage) => {
		const HOUR = 3_600_000;
		const lastRequest = () => service.sandbox.requests.at(-1);
		const setClock = (now: number) => jest.spyOn(Date, 'now').mockReturnValue(now);
		afterEach(() => {
			jest.restoreAllMocks();
		});

		test.each(['strong', 'weak'] as const)(
			'reads the log only when it has changed, by a %s tag',
			async (etags) => {
				service.sandbox.configure({ etags });
				finish('old');
				const trigger = await activate(storage);
				for (let i = 0; i < 3; i++) {
					expect(await trigger.poll()).toEqual({ items: null });
					expect(lastRequest()?.status).toBe(304);
				}
				finish('a');
				expect(ids(await trigger.poll())).toEqual(['a']);
				expect(lastRequest()?.status).toBe(200);
				expect(ids(await trigger.poll())).toBeNull();
				expect(lastRequest()?.status).toBe(304);
			},
		);

		test('asks as ever where the service sends none', async () => {
			service.sandbox.configure({ etags: 'none' });
			const trigger = await activate(storage);
			const before = trigger.state;
			await trigger.poll();
			expect(lastRequest()?.headers).not.toHaveProperty('if-none-match');
			if (storage === 'static data') expect(trigger.state).toBe(before);
		});

		test.each(['constant', 'alwaysNotModified'] as const)(
			'finds new videos within the hour when the tag is broken: %s',
			async (etags) => {
				service.sandbox.configure({ etags });
				const startedAt = Date.now();
				setClock(startedAt);
				const trigger = await activate(storage);
				finish('a');
				setClock(startedAt + HOUR - 1);
				expect(ids(await trigger.poll())).toBeNull();
				expect(lastRequest()?.status).toBe(304);
				setClock(startedAt + HOUR);
				expect(ids(await trigger.poll())).toEqual(['a']);
				expect(ids(await trigger.poll())).toBeNull();
			},
		);

		test('does not ask by the tag of another account', async () => {
			service.sandbox.configure({ etags: 'constant' });
			const trigger = await activate(storage);
			trigger.credentials = {
				...trigger.credentials,
				apiKey: service.sandbox.accounts.other.apiKey,
			};
			await trigger.poll();
			expect(lastRequest()?.headers).not.toHaveProperty('if-none-match');
		});

		testWith('durableCursors', 'keeps no tag of a poll that failed or was abandoned', async () => {
			const trigger = await activate(storage);
			finish('a');
			const id = service.sandbox.addFault({ kind: 'missingField', field: 'videos' });
			await trigger.poll();
			service.sandbox.removeFault(id);
			await trigger.poll({ isAbandoned: true });
			passMinute();
			const again = storage === 'static data' ? await trigger.activate() : await trigger.poll();
			expect(ids(again)).toEqual(['a']);
		});
	},
);

describe('A kept tag', () => {
	test('whose state disappears before a 304 arrives does not flood the workflow', async () => {
		finish('old');
		const trigger = await activate('static data');
		const stopListening = service.sandbox.onRequest(() => {
			Reflect.deleteProperty(trigger.staticData, STATE_KEY);
		});
		expect(ids(await trigger.poll())).toBeNull();
		expect(service.sandbox.requests.at(-1)?.status).toBe(304);
		stopListening();
		expect(ids(await trigger.poll())).toBeNull();
		finish('new');
		expect(ids(await trigger.poll())).toEqual(['new']);
	});

	test.each([
		{ etag: 'a\r\nb', fullReadAt: Date.now() },
		{ etag: '"a"' },
		{ etag: '"a"'.repeat(1000), fullReadAt: Date.now() },
		'"a"',
		null,
	])('is dropped when it is damaged, and nothing else: %j', async (tag) => {
		finish('old');
		const trigger = await activate('static data');
		Object.assign(trigger.staticData[STATE_KEY] as object, { tag });
		finish('a');
		expect(ids(await trigger.poll())).toEqual(['a']);
		expect(service.sandbox.requests.at(-1)?.headers).not.toHaveProperty('if-none-match');
	});
});

test('A project that is chosen later starts nothing for what was listed before, although n8n has not saved that', async () => {
	const trigger = await activate('static data', { projectIds: ['p'] });
	finish({ id: 'earlier', projectId: 'q' });
	expect(ids(await trigger.poll())).toBeNull();
	trigger.parameters = { projectIds: ['p', 'q'] };
	expect(ids(await trigger.activate())).toBeNull();
	finish({ id: 'later', projectId: 'q' });
	expect(ids(await trigger.poll())).toEqual(['later']);
});

describe.each(STORAGES)('Two polls at once, with the state in %s,', (storage) => {
	testWith('durableCursors', 'go on once one that hangs may not last any longer', async () => {
		const trigger = await activate(storage);
		finish('a');
		const lookUp = jest.spyOn(TestCredentialsHelper.prototype, 'getDecrypted');
		lookUp.mockReturnValueOnce(new Promise(() => undefined));
		void trigger.poll();
		expect(await trigger.poll()).toEqual({ items: null });
		await runWithoutWaiting(async () => {
			jest.advanceTimersByTime(300_000);
			expect(ids(await trigger.poll())).toEqual(['a']);
		});
		lookUp.mockRestore();
	});

	testWith('durableCursors', 'leave it to the next one when the first fails', async () => {
		const trigger = await activate(storage);
		finish('a');
		service.sandbox.addFault({ kind: 'status', status: 403, times: 1 });
		await Promise.all([trigger.poll(), trigger.poll()]);
		expect(ids(await trigger.poll())).toEqual(['a']);
	});
});

describe('With durable cursors', () => {
	testWith(
		'durableCursors',
		'nothing is laid by any longer once the first poll was saved',
		async () => {
			const trigger = await activate('durable cursors');
			expect(trigger.database.staticData).toContain(`"${STATE_KEY}"`);
			finish('a');
			await trigger.poll();
			finish('b');
			await trigger.poll();
			expect(trigger.database.staticData).not.toContain(`"${STATE_KEY}"`);
			expect(trigger.database.row).toContain('"videos"');
		},
	);

	testWith(
		'durableCursors',
		'what is there at first is handed on later where n8n could not start the execution',
		async () => {
			finish('a');
			const parameters = { options: { emitExisting: true } };
			const trigger = await setUp('durable cursors', { parameters });
			expect(ids(await trigger.activate({ isRolledBack: true }))).toBeNull();
			expect(ids(await trigger.poll())).toEqual(['a']);
			expect(ids(await trigger.poll())).toBeNull();
		},
	);

	testWith(
		'durableCursors',
		'an n8n that has none goes on where the last poll that started an execution was',
		async () => {
			finish('a', 'b');
			const parameters = { options: { emitExisting: true } };
			const trigger = await setUp('durable cursors', { parameters });
			expect(ids(await trigger.activate())).toEqual(['a', 'b']);
			finish('c');
			expect(ids(await trigger.poll())).toEqual(['c']);
			const saved = JSON.parse(trigger.database.staticData) as IDataObject;
			const older = await setUp('static data', { parameters, saved });
			finish('d');
			expect(ids(await older.activate())).toEqual(['d']);
		},
	);

	testWith('durableCursors', 'a poll without news writes nothing', async () => {
		finish('a');
		const trigger = await activate('durable cursors');
		await trigger.poll();
		const { row } = trigger.database;
		await trigger.poll();
		expect(trigger.database.row).toBe(row);
	});
});

describe('A state that is damaged', () => {
	test.each([[5], [{ version: 2, videos: '' }]])(
		'as %j does not flood: what is there is remembered',
		async (cursor) => {
			finish('old');
			const trigger = await setUp('static data', {
				saved: { global: { [STATE_KEY]: cursor } },
				parameters: { options: { emitExisting: true } },
			});
			expect(ids(await trigger.activate())).toBeNull();
			finish('new');
			expect(ids(await trigger.poll())).toEqual(['new']);
		},
	);
});

describe.each(STORAGES)('The state in %s', (storage) => {
	test('is not lost to a Base URL that is no address for a while', async () => {
		const trigger = await activate(storage);
		const { credentials } = trigger;
		trigger.credentials = { ...credentials, baseUrl: 'https://' };
		finish('a');
		expect((await trigger.poll()).error).toMatchObject({
			message: "'Base URL' is not a web address",
			failure: { cause: 'configuration-invalid' },
		});
		trigger.credentials = credentials;
		expect(ids(await trigger.poll())).toEqual(['a']);
	});
});

describe('"Fetch test event"', () => {
	test('shows the newest video of the chosen projects', async () => {
		finish(
			{ id: 'newest', createdAt: '2026-01-15T12:00:01.000Z' },
			{ id: 'undated', createdAt: 'soon' },
			{ id: 'tour', projectId: 'project-city-tour', createdAt: '2026-01-15T12:00:00.000Z' },
		);
		const trigger = await setUp('static data');
		expect((await trigger.fetchTestEvent())?.map(({ json }) => json.id)).toEqual(['newest']);
		trigger.parameters = { projectIds: ['project-city-tour'] };
		expect((await trigger.fetchTestEvent())?.map(({ json }) => json.id)).toEqual(['tour']);
	});

	test.each(STORAGES)('changes nothing about what is handed on, with %s', async (storage) => {
		const trigger = await activate(storage);
		finish('a');
		const before = trigger.state;
		await trigger.fetchTestEvent();
		expect(trigger.state).toBe(before);
		expect(ids(await trigger.poll())).toEqual(['a']);
		await trigger.fetchTestEvent();
		expect(ids(await trigger.poll())).toBeNull();
	});

	test('says that there is no video yet', async () => {
		const trigger = await setUp('static data');
		await expect(trigger.fetchTestEvent()).rejects.toMatchObject({
			message: 'There is no finished video to show yet',
		});
		finish('a');
		trigger.parameters = { projectIds: ['project-city-tour'] };
		await expect(trigger.fetchTestEvent()).rejects.toMatchObject({
			description: expect.stringContaining("'Project Names or IDs'") as string,
		});
	});

	test('is to be fetched again later while the service is busy, for no poll comes by itself', async () => {
		const trigger = await setUp('static data');
		service.sandbox.addFault({ kind: 'tooManyRequests', retryAfter: 'none' });
		const fetching = runWithoutWaiting(async () => await trigger.fetchTestEvent());
		await expect(fetching).rejects.toMatchObject({
			description: like(/^The request was sent 4 times\. Fetch the test event again later\./),
		});
	});

	test('says what is wrong with the key', async () => {
		const trigger = await setUp('static data');
		trigger.credentials = { ...trigger.credentials, apiKey: 'wrong' };
		await expect(trigger.fetchTestEvent()).rejects.toMatchObject({ httpCode: '401' });
	});
});

test('A poll that the service asks to wait for longer than it may last says that nothing is missed', async () => {
	const trigger = await setUp('static data');
	service.sandbox.addFault({ kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 600 });
	const { error } = await trigger.poll();
	expect(error).toMatchObject({ description: like(/in 10 minutes.*no video is missed/) });
});

// n8n pauses a trigger for 30 minutes if a person has to act, and tries again soon otherwise.
describe('A poll that fails tells n8n its cause', () => {
	test.each<[string, FaultSpec, object]>([
		[
			'a key that is not accepted',
			{ kind: 'status', status: 401 },
			{ cause: 'credential-invalid' },
		],
		['a key without the right', { kind: 'status', status: 403 }, { cause: 'credential-invalid' }],
		['a server error', { kind: 'status', status: 501 }, { cause: 'temporarily-unavailable' }],
		['a path not found', { kind: 'status', status: 404 }, { cause: 'temporarily-unavailable' }],
		['a web page', { kind: 'html' }, { cause: 'temporarily-unavailable' }],
		[
			'too many requests',
			{ kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 600 },
			{ cause: 'rate-limited', retryAfterMs: 600_000 },
		],
	])('%s', async (_what, fault, failure) => {
		service.sandbox.addFault(fault);
		expect(await pollOnce()).toEqual(failure);
	});

	test.each(['', 'ftp://files.example', 'not an address'])('a Base URL of %j', async (baseUrl) => {
		expect(await pollOnce(baseUrl)).toEqual({ cause: 'configuration-invalid' });
	});
});
