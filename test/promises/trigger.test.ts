import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type { INodeParameters, WorkflowActivateMode } from 'n8n-workflow';
import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import type { PollResult, Storage, TriggerSetup } from '../support/n8nServer/ActiveTrigger';
import { ActiveTrigger, STATE_KEY, STORAGES } from '../support/n8nServer/ActiveTrigger';
import { passTime, runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { TestCredentialsHelper } from '../support/n8nServer/TestCredentialsHelper';
import { testWith } from '../support/engine/testWith';
import { useBinaryStore } from '../support/engine/useBinaryStore';
import { useSandbox } from '../support/engine/useSandbox';
import { like } from '../support/like';
import { loadSchema } from '../support/schemas/loadSchema';

// What a trigger emits over time, whatever happens to it, stands in laws/triggerHistories.test.ts.

const service = useSandbox();
useBinaryStore();

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

/** Adds videos to the main account that are finished now. */
const finish = (...videos: (string | { id: string; url?: string; projectId?: string })[]) =>
	service.sandbox.addVideos(
		'main',
		videos.map((video) => (typeof video === 'string' ? { id: video } : video)),
	);

const ids = ({ items }: PollResult) => items?.map(({ json }) => json.id) ?? null;

test('A poll sends one request, with the key, and emits logs as Video > Get Many does, with what people use first', async () => {
	finish(...Array.from({ length: 300 }, (_, i) => `video-${i}`));
	const trigger = await activate();
	const [video] = finish('one');
	service.sandbox.clearRequests();
	const { items } = await trigger.poll();
	expect(items).toMatchObject([
		{ json: { ...video, url: `${service.sandbox.url}/files/one.mp4` } },
	]);
	const fields = Object.keys(loadSchema('video.getAll').properties ?? {});
	expect(Object.keys(items?.[0]?.json ?? {})).toEqual(fields);
	expect(service.sandbox.requests).toMatchObject([
		{ method: 'GET', url: '/v1/videos', headers: { authorization: expect.any(String) as string } },
	]);
});

test("An account that was empty has no older video emitted where this machine's clock is years behind the service's", async () => {
	const { clock } = service.sandbox;
	const now = clock.now();
	jest.spyOn(Date, 'now').mockReturnValue(now - 2 * 365 * 24 * 3_600_000);
	const trigger = await activate();
	const createdAt = new Date(now - 30 * 24 * 3_600_000).toISOString();
	service.sandbox.addVideos('main', [{ id: 'old', createdAt }, { id: 'new' }]);
	expect(ids(await trigger.poll())).toEqual(['new']);
	jest.restoreAllMocks();
});

test('Two files of one poll never have the same name', async () => {
	const trigger = await activate('static data', { options: { downloadVideo: true } });
	finish('output', { id: 'other', url: `${service.sandbox.url}/files/other/output.mp4` });
	const { items } = await trigger.poll();
	expect(items?.map(({ binary }) => binary?.data?.fileName)).toEqual([
		'output.mp4',
		'output-2.mp4',
	]);
});

test.each(STORAGES)(
	'A damaged state in %s is said once in the log of n8n, and what is sound of it stays',
	async (storage) => {
		const warn = jest.spyOn(Container.get(Logger), 'warn');
		const trigger = await activate(storage);
		finish('a', 'b');
		expect(ids(await trigger.poll())).toEqual(['a', 'b']);
		const { database } = trigger;
		const damage = (text: string) => text.replace(/"(\d+)":\d{13}/g, '"$1":{"valueOf":1}');
		database.staticData = damage(database.staticData);
		if (database.row !== undefined) database.row = damage(database.row);
		finish('c');
		expect(ids(await trigger.activate())).toEqual(['c']);
		expect(warn).toHaveBeenCalledWith(like(/found a damaged state/));
		warn.mockClear();
		finish('d');
		expect(ids(await trigger.poll())).toEqual(['d']);
		expect(warn).not.toHaveBeenCalled();
		warn.mockRestore();
	},
);

test('Videos whose date cannot be read are emitted, until so many are listed that n8n has a line in its log', async () => {
	const warn = jest.spyOn(Container.get(Logger), 'warn');
	const addUndated = (count: number, name: string) =>
		service.sandbox.addVideos(
			'main',
			Array.from({ length: count }, (_, i) => ({ id: `${name}-${i}`, createdAt: '05.07.2026' })),
		);
	finish('dated');
	addUndated(1_000, 'existing');
	const trigger = await activate();
	addUndated(1, 'next');
	expect(ids(await trigger.poll())).toEqual(['next-0']);
	addUndated(1, 'later');
	expect(ids(await trigger.poll())).toBeNull();
	expect(warn.mock.calls).toEqual(
		Array(2).fill([like(/over 1,000 videos without a readable date/)]),
	);
	finish('new');
	expect(ids(await trigger.poll())).toEqual(['new']);
	warn.mockRestore();
});

describe('The trigger', () => {
	test.each([
		['an ID', 'city-tour'],
		['IDs with commas between them', 'other, city-tour,'],
		['IDs on lines of their own', 'other\ncity-tour'],
		['IDs and numbers in a list', [7, ' city-tour ']],
		['an expression', '={{ ["city-tour"] }}'],
		['an expression that returns text', '={{ "other,city-tour" }}'],
		['an ID with a comma in a list', ['city,tour'], 'city,tour'],
	])('takes projects as %s', async (_what, projectIds, projectId = 'city-tour') => {
		const trigger = await activate('static data', { projectIds });
		finish({ id: 'of another', projectId: 'city' }, { id: 'a', projectId });
		expect(ids(await trigger.poll())).toEqual(['a']);
	});

	test.each([[''], [['']], [[null]], [[{ id: 'x' }]], [true], ['={{ undefined }}'], ['["a"]']])(
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
	const INVALID = { cause: 'credential-invalid' };
	const BUSY = { cause: 'temporarily-unavailable' };
	const LIMITED = { cause: 'rate-limited' };
	const TOO_LATE = { kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 600 } as const;
	test.each<[string, FaultSpec, string, number, object]>([
		['a key that is not accepted', { kind: 'status', status: 401 }, '401', 1, INVALID],
		['a path not found', { kind: 'status', status: 404 }, '404', 1, BUSY],
		['a server error', { kind: 'status', status: 501 }, '501', 1, BUSY],
		['a web page', { kind: 'html' }, '200', 1, BUSY],
		['a connection that breaks off', { kind: 'reset' }, 'ECONNRESET', 4, BUSY],
		['too many requests', { kind: 'tooManyRequests', retryAfter: 'none' }, '429', 4, LIMITED],
		['a longer wait than a poll', TOO_LATE, '429', 1, { ...LIMITED, retryAfterMs: 600_000 }],
	])('%s', async (_what, fault, httpCode, tries, failure) => {
		const trigger = await activate();
		finish('a');
		service.sandbox.clearRequests();
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

	test.each(['unreachable', 'busy'])(
		'a service that is %s while the workflow is published: there is no next poll',
		async (how) => {
			const kind = how === 'busy' ? 'tooManyRequests' : 'reset';
			service.sandbox.addFault({ kind, retryAfter: 'none' });
			const trigger = await setUp();
			const publishing = runWithoutWaiting(() => trigger.activate({}, 'activate'));
			await expect(publishing).rejects.toMatchObject({
				description: like(/Publish the workflow again later\./),
			});
			await expect(publishing).rejects.not.toMatchObject({ description: like(/next poll/) });
		},
	);

	test.each(['', 'ftp://files.example', 'not an address', 'https://'])(
		'a Base URL of %j, with which nothing is forgotten',
		async (baseUrl) => {
			const trigger = await activate();
			const { credentials } = trigger;
			trigger.credentials = { ...credentials, baseUrl };
			finish('a');
			const { error } = await trigger.poll();
			expect(error?.failure).toMatchObject({ cause: like(/-invalid$/) });
			trigger.credentials = credentials;
			expect(ids(await trigger.poll())).toEqual(['a']);
		},
	);
});

describe('A poll ends before n8n gives it up,', () => {
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
				const fault = { kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 5 } as const;
				const id = service.sandbox.addFault(fault);
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

	test('and one that hangs holds up the others no longer, whenever it ends', async () => {
		const trigger = await activate();
		finish('a');
		const ends: (() => void)[] = [];
		const lookUp = jest.spyOn(TestCredentialsHelper.prototype, 'getDecrypted');
		const hang = async () => {
			await new Promise<void>((resolve) => ends.push(resolve));
			return trigger.credentials;
		};
		lookUp.mockImplementationOnce(hang).mockImplementationOnce(hang);
		const first = trigger.poll();
		expect(await trigger.poll()).toEqual({ items: null });
		await runWithoutWaiting(async () => {
			jest.advanceTimersByTime(300_000);
			const second = trigger.poll();
			// The first one ends while the second one hangs.
			ends[0]?.();
			expect(ids(await first)).toEqual(['a']);
			finish('b');
			expect(await trigger.poll()).toEqual({ items: null });
			ends[1]?.();
			expect(ids(await second)).toEqual(['b']);
		});
		lookUp.mockRestore();
	});
});

describe('While the service is down', () => {
	const refuse = () => service.sandbox.addFault({ kind: 'status', status: 401 });
	const publish = async (trigger: ActiveTrigger, mode: WorkflowActivateMode) =>
		await runWithoutWaiting(async () => await trigger.activate({}, mode));

	test.each(['init', 'leadershipChange'] as const)(
		'a start of n8n (%s) succeeds, says so in the log, and the next poll tells of it',
		async (mode) => {
			const warn = jest.spyOn(Container.get(Logger), 'warn');
			const trigger = await activate();
			finish('a');
			refuse();
			expect(await publish(trigger, mode)).toEqual({ items: null });
			expect(warn).toHaveBeenCalledWith(
				like(/start: The video service did not accept the API key/),
			);
			warn.mockRestore();
			expect((await trigger.poll()).error).toMatchObject({ httpCode: '401' });
			service.sandbox.clearFaults();
			expect(ids(await trigger.poll())).toEqual(['a']);
		},
	);

	testWith(
		'pollBudget',
		'the time that the scheduler allows is that of the downloads, too',
		async () => {
			const parameters = { options: { downloadVideo: true } };
			const trigger = await setUp('static data', { budgetMs: 240_000, parameters });
			await trigger.activate();
			service.addVideo();
			const pause = { kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 100 } as const;
			service.sandbox.addFault({ ...pause, operation: 'video.file', times: 1 });
			const { items } = await runWithoutWaiting(async () => await trigger.poll(), service.sandbox);
			expect(items?.[0]?.json).not.toHaveProperty('downloadError');
		},
	);

	testWith(
		'pollBudget',
		"the scheduler's polls fail only when n8n has run for a while",
		async () => {
			const uptime = jest.spyOn(performance, 'now').mockReturnValue(179_000);
			const trigger = await setUp('static data', { budgetMs: 36_000 });
			refuse();
			expect(await trigger.poll()).toEqual({ items: null });
			await expect(trigger.activate()).rejects.toMatchObject({ httpCode: '401' });
			uptime.mockReturnValue(181_000);
			expect((await trigger.poll()).error).toMatchObject({ httpCode: '401' });
			uptime.mockRestore();
		},
	);
});

describe.each(STORAGES)('With its state in %s, the trigger', (storage) => {
	test('reads the list only when its tag has changed', async () => {
		service.sandbox.configure({ etags: 'weak' });
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
	});

	test('asks as ever where the service sends no tag, and writes nothing without news', async () => {
		service.sandbox.configure({ etags: 'none' });
		const trigger = await activate(storage);
		await trigger.poll();
		const before = trigger.state;
		await trigger.poll();
		expect(service.sandbox.requests.at(-1)?.headers).not.toHaveProperty('if-none-match');
		expect(trigger.state).toBe(before);
	});
});

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
		'the one that n8n saves together with an execution counts, if another has changed as often',
		async () => {
			const trigger = await activate('durable cursors');
			finish('a', 'b');
			expect(ids(await trigger.poll())).toEqual(['a', 'b']);
			const { row = '' } = trigger.database;
			const { cursor } = JSON.parse(row) as { cursor: object };
			const other = { [STATE_KEY]: { ...cursor, videos: {}, tag: undefined } };
			trigger.database.staticData = JSON.stringify({ global: other });
			expect(ids(await trigger.poll())).toBeNull();
		},
	);
});

/*
 * What is emitted again, or never, after a workflow was moved or its state was lost: docs/trigger.md has a table of it.
 * n8n keeps the state in its database alone, as each storage has it.
 */
describe.each(STORAGES)('With its state in %s, a trigger', (storage) => {
	const isDurable = storage === 'durable cursors';
	/** n8n polls, a minute after the last time. @returns the IDs of what the poll emits */
	const poll = async (start: () => Promise<PollResult>) => {
		passTime(60_000);
		service.sandbox.clock.advance(60_000);
		return ids(await runWithoutWaiting(start, service.sandbox)) ?? [];
	};
	/** A trigger that has emitted "since" after a backup, and has not seen "meanwhile". */
	const play = async () => {
		const trigger = await setUp(storage);
		finish('existing');
		expect(await poll(() => trigger.activate())).toEqual([]);
		for (const id of ['one', 'two']) {
			finish(id);
			expect(await poll(() => trigger.poll())).toEqual([id]);
		}
		const backup = { ...trigger.database };
		finish('since');
		expect(await poll(() => trigger.poll())).toEqual(['since']);
		finish('meanwhile');
		return { trigger, backup };
	};

	const BOTH = ['since', 'meanwhile'];
	type Database = ActiveTrigger['database'];
	/** Whether it is a new one, what of the backup it has, and what it emits then of static data and of durable cursors. */
	test.each<[string, boolean, (backup: Database) => object, string[], string[]]>([
		['is copied, or imported in the editor,', true, () => ({}), [], []],
		["n8n's commands move to another n8n", true, ({ staticData }) => ({ staticData }), BOTH, []],
		[
			"n8n's commands import over itself",
			false,
			({ staticData }) => ({ staticData }),
			BOTH,
			['meanwhile'],
		],
		['is restored from a backup', false, (backup) => backup, BOTH, BOTH],
		['has lost its state', false, () => ({ staticData: '{}', row: undefined }), [], []],
	])('that %s emits what it does not know', async (_what, isNew, restore, plain, durable) => {
		const { trigger: old, backup } = await play();
		const trigger = isNew ? await setUp(storage) : old;
		Object.assign(trigger.database, restore(backup));
		expect(await poll(() => trigger.activate())).toEqual(isDurable ? durable : plain);
		finish('next');
		expect(await poll(() => trigger.poll())).toEqual(['next']);
	});

	test('that is published with another project while it downloads emits the videos of both', async () => {
		const options = { downloadVideo: true };
		const trigger = await setUp(storage, { parameters: { projectIds: ['A'], options } });
		await poll(() => trigger.activate());
		finish({ id: 'a', projectId: 'A' });
		const operation = 'video.file';
		service.sandbox.addFault({ kind: 'latency', delayMs: 500, operation, times: 1 });
		// n8n drops what a poll finds that began before.
		const dropped = trigger.poll({ isAbandoned: true });
		await service.sandbox.waitForRequests({ operation, count: 1 });
		trigger.parameters = { projectIds: ['A', 'B'], options };
		expect(ids(await trigger.activate())).toBeNull();
		finish({ id: 'b', projectId: 'B' });
		await dropped;
		expect(await poll(() => trigger.poll())).toEqual(['a', 'b']);
	});

	test(`whose poll n8n's database refuses ${
		isDurable ? 'emits its videos with the next one' : 'misses its videos'
	}`, async () => {
		const { trigger } = await play();
		expect(await poll(() => trigger.poll({ isRolledBack: true }))).toEqual([]);
		expect(await poll(() => trigger.poll())).toEqual(isDurable ? ['meanwhile'] : []);
	});
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
