import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import type { PollResult, Storage, TriggerSetup } from '../support/n8nServer/ActiveTrigger';
import { ActiveTrigger, STATE_KEY, STORAGES } from '../support/n8nServer/ActiveTrigger';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { TestCredentialsHelper } from '../support/n8nServer/TestCredentialsHelper';
import { testWith } from '../support/engine/testWith';
import { useSandbox } from '../support/engine/useSandbox';

// What a trigger emits over time, whatever happens to it, stands in triggerHistories.test.ts.

const service = useSandbox();

const setUp = async (storage: Storage = 'static data', more: Partial<TriggerSetup> = {}) =>
	await ActiveTrigger.create({
		credentials: { baseUrl: service.sandbox.url, apiKey: service.sandbox.apiKey },
		storage,
		...more,
	});

const activate = async (storage?: Storage, parameters: INodeParameters = {}) => {
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

const ids = ({ items }: PollResult) => items?.map(({ json }) => json.id) ?? null;
const like = (pattern: RegExp) => expect.stringMatching(pattern) as string;

test('A poll sends one request, with the key, and emits logs with the fields of the API', async () => {
	finish(...Array.from({ length: 300 }, (_, i) => `video-${i}`));
	const trigger = await activate();
	const [video] = finish('one');
	service.sandbox.clearRequests();
	expect((await trigger.poll()).items).toEqual([
		{ json: { ...video, url: `${service.sandbox.url}/files/one.mp4` } },
	]);
	expect(service.sandbox.requests).toMatchObject([
		{ method: 'GET', url: '/v1/videos', headers: { authorization: expect.any(String) as string } },
	]);
});

describe('The trigger', () => {
	test.each([
		['an ID', 'city-tour'],
		['IDs with commas between them', 'other, city-tour,'],
		['IDs on lines of their own', 'other\ncity-tour'],
		['IDs and numbers in a list', [7, ' city-tour ']],
		['a list as text', '["city-tour"]'],
		['an expression', '={{ ["city-tour"] }}'],
		['an expression that returns text', '={{ "other,city-tour" }}'],
		['an ID with a comma in a list', ['city,tour'], 'city,tour'],
	])('takes projects as %s', async (_what, projectIds, projectId = 'city-tour') => {
		const trigger = await activate('static data', { projectIds });
		finish({ id: 'of another', projectId: 'city' }, { id: 'a', projectId });
		expect(ids(await trigger.poll())).toEqual(['a']);
	});

	test.each([[''], [['']], [[null]], [[{ id: 'x' }]], [true], ['={{ undefined }}'], ['[a, b]']])(
		'fails, and misses nothing, when the choice of projects is %j',
		async (projectIds) => {
			const trigger = await activate();
			finish('a');
			trigger.parameters = { projectIds };
			await expect(trigger.activate()).rejects.toThrow("'Project Names or IDs'");
			trigger.parameters = {};
			expect(ids(await trigger.activate())).toEqual(['a']);
		},
	);

	test.each([
		['TRUE', ['a']],
		['={{ "true" }}', ['a']],
		['', null],
	])('understands a switch that is %j', async (emitExisting, expected) => {
		finish('a');
		const trigger = await setUp('static data', { parameters: { options: { emitExisting } } });
		expect(ids(await trigger.activate())).toEqual(expected);
	});

	test.each([
		["'Emit Existing Videos'", { emitExisting: 'maybe' }],
		["'Download Video'", { downloadVideo: { on: true } }],
		["'Put Output File in Field'", { downloadVideo: true, binaryPropertyName: ['data'] }],
	])('names %s when its value cannot be understood, and sends nothing', async (field, options) => {
		const trigger = await setUp('static data', { parameters: { options } });
		await expect(trigger.activate()).rejects.toMatchObject({
			name: 'NodeOperationError',
			message: expect.stringContaining(field) as string,
		});
		expect(service.sandbox.requests).toEqual([]);
	});
});

// n8n pauses a trigger for 30 minutes if a person has to act, and tries again soon otherwise.
describe('A poll that fails tells n8n its cause, and says that nothing is missed', () => {
	const BUSY = { cause: 'temporarily-unavailable' };
	test.each<[string, FaultSpec, string, number, object]>([
		[
			'a key that is not accepted',
			{ kind: 'status', status: 401 },
			'401',
			1,
			{ cause: 'credential-invalid' },
		],
		[
			'a key without the right',
			{ kind: 'status', status: 403 },
			'403',
			1,
			{ cause: 'credential-invalid' },
		],
		['a path not found', { kind: 'status', status: 404 }, '404', 1, BUSY],
		['a server error', { kind: 'status', status: 501 }, '501', 1, BUSY],
		['a web page', { kind: 'html' }, '200', 1, BUSY],
		['a connection that breaks off', { kind: 'reset' }, 'ECONNRESET', 4, BUSY],
		['a list that is missing', { kind: 'missingField', field: 'videos' }, '200', 1, BUSY],
		[
			'too many requests',
			{ kind: 'tooManyRequests', retryAfter: 'none' },
			...(['429', 4, { cause: 'rate-limited' }] as const),
		],
		[
			'a wait that is longer than a poll',
			{ kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 600 },
			...(['429', 1, { cause: 'rate-limited', retryAfterMs: 600_000 }] as const),
		],
	])('%s', async (_what, fault, httpCode, tries, failure) => {
		const trigger = await setUp();
		service.sandbox.addFault(fault);
		const { items, error } = await runWithoutWaiting(() => trigger.poll());
		expect(items).toBeNull();
		expect(error).toMatchObject({ name: 'NodeApiError', httpCode, failure });
		if (tries > 1) expect(error).toMatchObject({ description: like(/no video is missed/) });
		if ('retryAfterMs' in failure) {
			expect(error).toMatchObject({ description: like(/in 10 minutes.*no video is missed/) });
		}
		expect(service.sandbox.requests).toHaveLength(tries);
	});

	test.each(['', 'ftp://files.example', 'not an address', 'https://'])(
		'a Base URL of %j, with which nothing is forgotten',
		async (baseUrl) => {
			const trigger = await activate();
			const { credentials } = trigger;
			trigger.credentials = { ...credentials, baseUrl };
			finish('a');
			const { error } = await trigger.poll();
			expect(error?.failure).toEqual({ cause: 'configuration-invalid' });
			trigger.credentials = credentials;
			expect(ids(await trigger.poll())).toEqual(['a']);
		},
	);
});

describe('A poll ends before n8n gives it up,', () => {
	testWith('pollBudget', 'also if the service does not answer', async () => {
		const trigger = await setUp('static data', { budgetMs: 1_200 });
		await trigger.activate();
		service.sandbox.addFault({ kind: 'hang' });
		expect((await trigger.poll()).error).toMatchObject({ httpCode: 'ECONNABORTED' });
	});

	testWith(
		'pollBudget',
		'also if the clock is set back: it waits only if there is time',
		async () => {
			const now = Date.now.bind(Date);
			for (const [budgetMs, requests] of [
				[5_000, 1],
				[12_000, 2],
			]) {
				const trigger = await setUp('static data', { budgetMs });
				await trigger.activate();
				service.sandbox.clearRequests();
				const seconds = 5;
				const id = service.sandbox.addFault({
					kind: 'tooManyRequests',
					retryAfter: 'seconds',
					seconds,
				});
				const stopListening = service.sandbox.onRequest(() => {
					jest.spyOn(Date, 'now').mockImplementation(() => now() - 3_600_000);
				});
				const { error, tookMs } = await runWithoutWaiting(async () => {
					const startedAt = jest.now();
					return { ...(await trigger.poll()), tookMs: jest.now() - startedAt };
				});
				stopListening();
				jest.restoreAllMocks();
				service.sandbox.removeFault(id);
				expect(error).toMatchObject({ httpCode: '429', failure: { retryAfterMs: 5_000 } });
				expect(tookMs).toBeLessThan(Number(budgetMs));
				expect(service.sandbox.requests).toHaveLength(Number(requests));
			}
		},
	);

	testWith(
		'durableCursors',
		'and one that hangs does not hold up the next one for longer',
		async () => {
			const trigger = await activate();
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
		},
	);
});

describe.each(STORAGES)(
	'Where the service sends tags, the trigger, with its state in %s,',
	(storage) => {
		test.each(['strong', 'weak'] as const)(
			'reads the log only when it has changed, by a %s tag',
			async (etags) => {
				service.sandbox.configure({ etags });
				const status = () => service.sandbox.requests.at(-1)?.status;
				const trigger = await activate(storage);
				for (let i = 0; i < 2; i++) {
					expect(await trigger.poll()).toEqual({ items: null });
					expect(status()).toBe(304);
				}
				finish('a');
				expect(ids(await trigger.poll())).toEqual(['a']);
				expect(status()).toBe(200);
				expect(ids(await trigger.poll())).toBeNull();
				expect(status()).toBe(304);
			},
		);

		test('asks as ever where it sends none, and writes nothing without news', async () => {
			service.sandbox.configure({ etags: 'none' });
			const trigger = await activate(storage);
			await trigger.poll();
			const before = trigger.state;
			await trigger.poll();
			expect(service.sandbox.requests.at(-1)?.headers).not.toHaveProperty('if-none-match');
			expect(trigger.state).toBe(before);
		});
	},
);

describe('With durable cursors', () => {
	testWith(
		'durableCursors',
		"the first poll's cursor is kept only until a later one is saved",
		async () => {
			const trigger = await activate('durable cursors');
			expect(trigger.database.staticData).toContain(`"${STATE_KEY}"`);
			for (const id of ['a', 'b']) {
				finish(id);
				expect(ids(await trigger.poll())).toEqual([id]);
			}
			expect(trigger.database.staticData).not.toContain(`"${STATE_KEY}"`);
			expect(trigger.database.row).toContain('"videos"');
		},
	);

	testWith(
		'durableCursors',
		'an n8n that has none continues after the last poll that started an execution',
		async () => {
			const parameters = { options: { emitExisting: true } };
			finish('a', 'b');
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
});

describe('"Fetch test event"', () => {
	test('says that there is no video yet', async () => {
		const trigger = await setUp();
		await expect(trigger.fetchTestEvent()).rejects.toMatchObject({
			message: 'There is no finished video to show yet',
			description: like(/^When a video is finished/),
		});
		finish('a');
		trigger.parameters = { projectIds: ['project-city-tour'] };
		await expect(trigger.fetchTestEvent()).rejects.toMatchObject({
			description: like(/'Project Names or IDs'/),
		});
	});

	test('is to be fetched again later while the service is busy, for no poll comes by itself', async () => {
		const trigger = await setUp();
		service.sandbox.addFault({ kind: 'tooManyRequests', retryAfter: 'none' });
		const fetching = runWithoutWaiting(async () => await trigger.fetchTestEvent());
		await expect(fetching).rejects.toMatchObject({
			httpCode: '429',
			description: like(/^The request was sent 4 times\. Fetch the test event again later\./),
		});
	});
});
