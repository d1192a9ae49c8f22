/*
 * Lanes: the videos of one project are made one after the other, whichever execution of this process makes
 * them, so that each row gets its own, unless the service tells which video is an item's: then several are
 * made at once. Who takes which place is in "tables/adds/lanes.test.ts". That executions of all kinds get their own
 * videos is a law of random executions ("laws/videoLaws.ts"), and that they wait for no free place one of workers
 * ("laws/workers.test.ts"); here stands what those do not draw.
 */

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { SettingsChange } from '../../sandbox/domain/settings';
import { GENERATE, OPERATIONS, PROJECT } from '../support/engine/OPERATIONS';
import { getOwnVideoId } from '../support/engine/planVideos';
import { type Beginning, type Ending, playTogether } from '../support/engine/playTogether';
import {
	ERROR_OUTPUT,
	type NodeResult,
	type NodeSetup,
	startNode,
} from '../support/engine/runNode';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { useBinaryStore } from '../support/engine/useBinaryStore';
import { useSandbox } from '../support/engine/useSandbox';
import { like } from '../support/like';

const service = useSandbox();
useBinaryStore();

const TOUR = 'project-city-tour';

/** Video > Generate for these rows, or another operation. */
const begin = (items: IDataObject[], more: Parameters<typeof service.begin>[1] = {}) =>
	service.begin(GENERATE, { items, ...more });

const play = async <T>(...executions: Beginning<T>[]) =>
	await playTogether(service.sandbox, executions);

/** Runs one execution. */
const run = async (items: IDataObject[], parameters: INodeParameters = {}) =>
	await service.run({ ...GENERATE, ...parameters }, { items });

const ofOneProject = (count: number) => Array.from({ length: count }, (_, row) => ({ row }));
const listItems = (endings: Ending<NodeResult>[]) => endings.flatMap(({ result }) => result.items);

function expectOwnVideos(items: { json: IDataObject }[], count: number): void {
	expect(service.listGiven(items)).toEqual(Array(count).fill('own'));
}

afterEach(() => {
	jest.restoreAllMocks();
});

describe('Videos of one project', () => {
	test('are not followed by another one when they fail and the node stops', async () => {
		service.planVideos(20, 20);
		const operation = 'queue.getProgress';
		service.sandbox.addFault({ kind: 'statusWord', word: 'failed', operation, times: 1 });
		const { error } = await run([{}, {}, { project: TOUR }, { project: TOUR }]);
		expect(error?.message).toBe('The video could not be generated');
		expect(service.sandbox.charges.map(({ projectId }) => projectId)).toEqual([PROJECT, TOUR]);
	});

	test('that are made with two keys of one account are each told from the one before', async () => {
		// A list that is read less than a minute before an add may not show the video of the other key yet.
		service.planVideos(20, 20, 20, 20);
		const { apiKey, otherApiKey } = service.sandbox.accounts.main;
		const executions = [apiKey, otherApiKey, apiKey, otherApiKey].map((key) => {
			const credentials = { baseUrl: service.sandbox.url, apiKey: key };
			return begin([{}], { credentials });
		});
		expectOwnVideos(listItems(await play(...executions)), 4);
	});

	test('are followed by the next one before they are downloaded', async () => {
		service.planVideos(20, 20);
		const order: string[] = [];
		const stop = service.sandbox.onRequest(({ operation }) => {
			if (operation === 'queue.add' || operation === 'video.file') order.push(operation);
		});
		service.sandbox.addFault({ kind: 'status', status: 503, operation: 'video.file', times: 1 });
		const { items } = await run(ofOneProject(2), { downloadVideo: true });
		stop();
		expect(items.every(({ binary }) => binary?.data !== undefined)).toBe(true);
		// The first file is requested again a while after its failure.
		expect(order.indexOf('video.file', 2)).toBeGreaterThan(order.lastIndexOf('queue.add'));
	});
});

test('Rows of one run whose Request Options differ are made in one lane', async () => {
	service.planVideos(20, 20, 20, 20);
	const requestOptions = { timeout: '={{ $json.timeout }}' };
	const rows = [10_000, 20_000, 10_000, 20_000].map((timeout) => ({ timeout }));
	expectOwnVideos((await run(rows, { requestOptions })).items, 4);
	const { charges } = service.sandbox;
	const pauses = charges.slice(1).map(({ at }, i) => at - (charges[i]?.at ?? at));
	expect(Math.min(...pauses)).toBeGreaterThan(20_000);
});

test.each<[string, SettingsChange['videoUrlInDetails']]>([
	['stops telling', 4],
	['tells only of every other one', 'everyOther'],
])(
	'Where a service %s which video is whose, none is given a wrong one, and those that were being made then are lost once',
	async (how, videoUrlInDetails) => {
		service.sandbox.configure({ videoUrlInDetails });
		const count = 20;
		service.planVideos(...Array.from({ length: count }, (_, i) => 20 + (i % 3)));
		// What another address of the service tells is not known there yet.
		const baseUrl = `${service.sandbox.url}/${how.replaceAll(' ', '-')}`;
		const credentials = { ...service.setup(GENERATE).credentials, baseUrl };
		const [ending] = await play(begin(ofOneProject(count), { credentials }));
		const items = ending?.result.items ?? [];
		const given = items.filter(({ json }) => json.videoUrl !== null);
		for (const { json } of given) {
			expect(json.videoUrl).toContain(getOwnVideoId(service.sandbox, json));
		}
		expect(items).toHaveLength(count);
		expect(count - given.length).toBeLessThanOrEqual(10);
		// It is made alone again.
		expect(items.slice(-3).every(({ json }) => json.videoUrl !== null)).toBe(true);
	},
);

describe('A place is not held idle:', () => {
	test("n8n's pause between batches passes before an item takes its place", async () => {
		service.planVideos(20, 20, 20, 20);
		const requestOptions = { batching: { batch: { batchSize: 1, batchInterval: 600_000 } } };
		const { parameters } = service.setup({ ...GENERATE, requestOptions });
		const endings = await play(begin([{}, {}], { parameters }), begin([{}], { afterMs: 60_000 }));
		expectOwnVideos(listItems(endings), 3);
		const [, form] = endings;
		expect((form?.endedAt ?? Infinity) - (form?.startedAt ?? 0)).toBeLessThan(40_000);
	});

	test('a row after such a pause gets its own video, also if somebody else has made one meanwhile', async () => {
		const { sandbox } = service;
		service.planVideos(1, 5);
		const requestOptions = { batching: { batch: { batchSize: 1, batchInterval: 20_000 } } };
		const { parameters } = service.setup({ ...GENERATE, requestOptions });
		const add = () => sandbox.addVideos('main', [{ projectId: PROJECT }]);
		const stranger = { afterMs: 16_000, start: async () => await Promise.resolve(add()) };
		const [ending] = await play<unknown>(begin([{}, {}], { parameters }), stranger);
		expectOwnVideos((ending?.result as NodeResult).items, 2);
	});

	test('an add that is not answered holds up no other project', async () => {
		const { sandbox } = service;
		service.planVideos(20, 20);
		sandbox.addFault({ kind: 'hang', operation: 'queue.add', containing: 'hangs' });
		const hanging = await startNode({
			...service.setup(GENERATE),
			items: [{ prompt: 'hangs' }, { project: TOUR, prompt: 'same run' }],
		});
		await sandbox.waitForRequests({ operation: 'queue.add', count: 2 });
		const adds = sandbox.requests.filter(({ operation }) => operation === 'queue.add');
		expect(adds.map(({ body }) => (body as IDataObject).customPrompt)).toEqual([
			'hangs',
			'same run',
		]);
		hanging.stop();
		expect((await hanging.result).run.status).toBe('canceled');
	});
});

test("Nothing is paid for that the workflow's own timeout would end, also after a turn and the wait of a rate limit: the item says so", async () => {
	service.planVideos(60, 60);
	const limit = { kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 60 } as const;
	service.sandbox.addFault({ ...limit, operation: 'queue.add', nth: 2 });
	const workflowSettings = { executionTimeout: 160 };
	const { errorItems, items } = await service.run(GENERATE, {
		items: [{}, {}],
		settings: ERROR_OUTPUT,
		workflowSettings,
	});
	expectOwnVideos(items, 1);
	expect(errorItems[0]?.json).toMatchObject({
		error: "The workflow's timeout would end before this video is finished",
		message: like(/'Timeout Workflow'/),
	});
	expect(service.sandbox.charges).toHaveLength(1);
});

// What n8n ends an execution by stands in tables/n8n/execution.test.ts.
test('A run that a failed row has ended waits for what it has paid for, if n8n runs the node again: everybody gets their own', async () => {
	service.planVideos(60, 60, 60, 60);
	service.sandbox.addFault({ operation: 'video.file', kind: 'status', status: 503, times: 4 });
	const endings = await play(
		begin([{}, {}, {}], {
			parameters: { ...GENERATE, downloadVideo: true },
			settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1_000 },
		}),
		begin([{}], { afterMs: 71_000 }),
	);
	expectOwnVideos(listItems(endings), 4);
});

describe("What is left of n8n's timeout", () => {
	const OUT_OF_TIME = "The workflow's timeout would end before this video is finished";
	test.each<[string, Partial<NodeSetup>]>([
		[
			'of the workflow, after nodes that took long',
			{ workflowSettings: { executionTimeout: 300 }, startedMsAgo: 250_000 },
		],
		['of the instance', { endsInMs: 50_000 }],
	])('%s, must be enough for the video, by the one before', async (_whose, limits) => {
		service.planVideos(60, 60);
		await service.run(GENERATE);
		const { errorItems } = await service.run(GENERATE, { settings: ERROR_OUTPUT, ...limits });
		expect(errorItems[0]?.json.error).toBe(OUT_OF_TIME);
		expect(service.sandbox.charges).toHaveLength(1);
	});

	test('is no less for a video that was stopped where n8n ends nothing', async () => {
		service.planVideos(20, 100_000, 20);
		const [, , last] = await play(
			begin([{}]),
			begin([{}], { afterMs: 60_000, stopAfterMs: 25 * 60_000 }),
			begin([{}], { afterMs: 40 * 60_000, workflowSettings: { executionTimeout: 1_200 } }),
		);
		expect(last?.result.error).toBeUndefined();
	});

	test('must be enough for a video that n8n has cut off, which is paid once', async () => {
		service.planVideos(600);
		const endsInMs = 40_000;
		await play(begin([{}], { endsInMs, stopAfterMs: endsInMs }));
		const { errorItems } = await service.run(GENERATE, { settings: ERROR_OUTPUT, endsInMs });
		expect(errorItems[0]?.json.error).toBe(OUT_OF_TIME);
		expect(service.sandbox.charges).toHaveLength(1);
	});
});

describe('A failed row of a service that drops it is not given the video of', () => {
	let stop: () => void;
	beforeEach(() => {
		const { sandbox } = service;
		sandbox.configure({ endedItemsLeaveAfterMs: 0, finishedItemsStay: true });
		stop = sandbox.onRequest(({ body }) => {
			const isFailing = (body as IDataObject | undefined)?.customPrompt === 'failing';
			sandbox.changeProject(PROJECT, { fails: isFailing });
		});
	});
	afterEach(() => {
		stop();
	});

	test.each([
		['an execution that was stopped', GENERATE, 8_000],
		['an add of Queue > Add that was not confirmed', OPERATIONS['queue.add'], undefined],
	])('%s', async (_whose, parameters, stopAfterMs) => {
		service.planVideos(30, 5);
		const lost = { kind: 'reset', phase: 'after', operation: 'queue.add', nth: 1 } as const;
		if (stopAfterMs === undefined) service.sandbox.addFault(lost);
		const [, failing] = await play(
			begin([{ prompt: 'other' }], { parameters, stopAfterMs }),
			begin([{ prompt: 'failing' }], { afterMs: 9_000 }),
		);
		expect(service.listPaid()).toEqual(['other', 'failing']);
		const [item] = failing?.result.items ?? [];
		expect(item?.json.video ?? null).toBeNull();
	});

	test('a row that was settled before it, and could not be told its own', async () => {
		service.sandbox.configure({ finishedItemsStay: false });
		service.planVideos(1, 5);
		// So the other row has left the queue for good before.
		const fault = { kind: 'status', status: 401, operation: 'queue.getProgress', nth: 1 } as const;
		service.sandbox.addFault(fault);
		const waitOptions = { videosAtOnce: 2 };
		const [both] = await play(
			begin([{ prompt: 'failing' }, { prompt: 'other' }], {
				parameters: { ...GENERATE, waitOptions },
				settings: ERROR_OUTPUT,
			}),
		);
		const items = [...(both?.result.items ?? []), ...(both?.result.errorItems ?? [])];
		expect(items.map(({ json }) => json.video ?? null)).toEqual([null, null]);
	});

	test('an add that has no response yet', async () => {
		const { clock, onRequest } = service.sandbox;
		service.planVideos(14, 12);
		const hang = { kind: 'hang', phase: 'after', operation: 'queue.add' } as const;
		service.sandbox.addFault({ ...hang, containing: 'hangs' });
		const countSleeping = () => {
			const waitedMs = clock.now() - (service.sandbox.charges[1]?.at ?? Infinity);
			return waitedMs >= 0 && waitedMs < 299_999 ? 1 : 0;
		};
		const { parameters } = service.setup({ ...GENERATE, waitOptions: { videosAtOnce: 2 } });
		const rows = [{ prompt: 'failing' }, { prompt: 'hangs' }];
		const { start } = begin(rows, { parameters, settings: ERROR_OUTPUT });
		const { errorItems, items } = await runWithoutWaiting(start, {
			clock,
			onRequest,
			countSleeping,
		});
		expect(service.listPaid()).toEqual(['failing', 'hangs']);
		expect(service.listGiven(items)).toEqual(['none']);
		expect(errorItems).toHaveLength(1);
	});
});
