import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import { OPERATIONS, PROJECT } from '../support/engine/OPERATIONS';
import { getOwnVideoId, planVideos } from '../support/engine/planVideos';
import { runNode, startNode } from '../support/engine/runNode';
import { passTime, runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { interceptLookUps } from '../support/n8nServer/TestCredentialsHelper';
import { useBinaryStore } from '../support/engine/useBinaryStore';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();
useBinaryStore();

const TOUR = 'project-city-tour';
const CONTINUE = { onError: 'continueErrorOutput' } as const;
const byId = (value: string) => ({ __rl: true, mode: 'id', value });
const GENERATE = {
	...{ resource: 'video', operation: 'generate', downloadVideo: false },
	projectId: byId(`={{ $json.project ?? '${PROJECT}' }}`),
};
const WAIT = {
	...{ resource: 'queue', operation: 'wait', downloadVideo: false },
	projectId: byId(PROJECT),
};

const play = async <T>(start: () => Promise<T>) => await runWithoutWaiting(start, service.sandbox);

const run = async (
	items: IDataObject[],
	parameters: INodeParameters = {},
	settings: Partial<INode> = {},
) =>
	await play(
		async () =>
			await runNode({ ...service.setup({ ...GENERATE, ...parameters }), items, settings }),
	);

const playSeconds = (...seconds: number[]) => {
	planVideos(service.sandbox, ...seconds.map((each) => ({ processingMs: each * 1_000 })));
};

/** The most videos of a project that were in the making at the same time. */
function countAtOnce(seconds: number[], project = PROJECT): number {
	const spans = service.sandbox.charges
		.map(({ at, projectId }, i) => ({ at, projectId, endsAt: at + (seconds[i] ?? 0) * 1_000 }))
		.filter(({ projectId }) => projectId === project);
	return Math.max(
		...spans.map((one) => spans.filter(({ at, endsAt }) => at <= one.at && one.at < endsAt).length),
	);
}

const getIds = (items: { json: IDataObject }[]) =>
	items.map(({ json }) => (json.video as IDataObject | null)?.id);
const getOwnIds = (items: { json: IDataObject }[]) =>
	items.map(({ json }) => getOwnVideoId(service.sandbox, json));
const ofOneProject = (count: number) => Array.from({ length: count }, (_, row) => ({ row }));

afterEach(() => {
	jest.restoreAllMocks();
});

describe('Videos of one project', () => {
	test('are made one after the other, so that each row gets its own', async () => {
		const seconds = [20, 20, 20, 5, 41];
		playSeconds(...seconds);
		const { items, error } = await run(ofOneProject(5));
		expect(error).toBeUndefined();
		expect(getIds(items)).toEqual(getOwnIds(items));
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 1, 2, 3, 4].map((item) => ({ item })),
		);
		expect(countAtOnce(seconds)).toBe(1);
	});

	test.each([300, 2_000, 9_000])(
		'go to their rows also where the list shows them %d ms before the progress does',
		async (leadMs) => {
			const { sandbox } = service;
			planVideos(
				sandbox,
				...[20_000, 21_000, 22_500].map((processingMs) => ({
					processingMs: processingMs - leadMs,
				})),
			);
			// The progress says "processing" for a while after the list shows the video.
			const masked = new Set<string>();
			const stop = sandbox.onRequest(() => {
				for (const { queueId, at } of sandbox.charges) {
					if (masked.has(queueId)) continue;
					masked.add(queueId);
					const fault = sandbox.addFault({
						...{ kind: 'statusWord', word: 'processing', insteadOf: 'completed' },
						...{ operation: 'queue.getProgress', containing: queueId },
					});
					setTimeout(
						() => {
							sandbox.removeFault(fault);
						},
						at + 20_000 - sandbox.clock.now(),
					);
				}
			});
			const { items, error } = await run(ofOneProject(3));
			stop();
			expect(error).toBeUndefined();
			expect(getIds(items)).toEqual(getOwnIds(items));
		},
	);

	test('are made beside those of other projects', async () => {
		const seconds = [40, 40, 40, 40];
		playSeconds(...seconds);
		const startedAt = service.sandbox.clock.now();
		const { items, error } = await run([{}, { project: TOUR }, {}, { project: TOUR }]);
		expect(error).toBeUndefined();
		expect(getIds(items)).toEqual(getOwnIds(items));
		expect(countAtOnce(seconds)).toBe(1);
		expect(countAtOnce(seconds, TOUR)).toBe(1);
		expect(service.sandbox.clock.now() - startedAt).toBeLessThan(2 * 56_000);
	});

	test("are made beside each other up to 'Videos at Once'", async () => {
		const seconds = [40, 100, 40, 40];
		playSeconds(...seconds);
		const { items } = await run(ofOneProject(4), { waitOptions: { videosAtOnce: 2 } });
		expect(items).toHaveLength(4);
		expect(countAtOnce(seconds)).toBe(2);
	});

	test('are not followed by another one when they fail and the node stops', async () => {
		playSeconds(20, 20);
		service.sandbox.addFault({
			...{ kind: 'statusWord', word: 'failed', operation: 'queue.getProgress', times: 1 },
		});
		const { error } = await run([{}, {}, { project: TOUR }, { project: TOUR }]);
		expect(error?.message).toBe('The video could not be generated');
		expect(service.sandbox.charges.map(({ projectId }) => projectId)).toEqual([PROJECT, TOUR]);
	});

	test('are not taken for that of an add whose response was lost long before, however short they are', async () => {
		playSeconds(4, 4);
		service.sandbox.addFault({ kind: 'reset', phase: 'after', operation: 'queue.add', nth: 1 });
		const requestOptions = { batching: { batch: { batchSize: 1, batchInterval: 100_000 } } };
		const { items, errorItems } = await run(ofOneProject(2), { requestOptions }, CONTINUE);
		expect(errorItems).toHaveLength(1);
		expect(getIds(items)).toEqual(getOwnIds(items));
	});

	test('are made although the credential cannot be read for the first one, which fails alone', async () => {
		playSeconds(5);
		let lookUps = 0;
		interceptLookUps((found) => {
			lookUps += 1;
			if (lookUps > 1) return found;
			throw new Error('Connection terminated unexpectedly');
		});
		const options = { maxTries: 1 };
		const { items, errorItems } = await run(ofOneProject(2), { options }, CONTINUE);
		expect(errorItems.map(({ json }) => json.row)).toEqual([0]);
		expect(items).toHaveLength(1);
		expect(getIds(items)).toEqual(getOwnIds(items));
	});

	test('are followed by the next one before they are downloaded', async () => {
		playSeconds(20, 20);
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

	test('that wait for their turn end within a second when the execution is stopped', async () => {
		playSeconds(600);
		await play(async () => {
			const items = ofOneProject(500);
			const waitOptions = { pollingInterval: 1 };
			const started = await startNode({ ...service.setup({ ...GENERATE, waitOptions }), items });
			await service.sandbox.waitForRequests({ count: 1, operation: 'queue.getProgress' });
			const stoppedAt = performance.now();
			started.stop();
			const { run: execution } = await started.result;
			expect(performance.now() - stoppedAt).toBeLessThan(1_000);
			expect(execution.status).toBe('canceled');
			expect(jest.getTimerCount()).toBe(0);
		});
		expect(service.sandbox.charges).toHaveLength(1);
	});

	test.each([0, 1.5, 'many'])("are not queued with %p 'Videos at Once'", async (videosAtOnce) => {
		const { error } = await run([{}], { waitOptions: { videosAtOnce } });
		expect(error?.message).toBe("'Videos at Once' must be a whole number of 1 or more");
		expect(service.sandbox.requests).toEqual([]);
	});
});

describe('A video that is finished before this execution looks at it', () => {
	const addOld = () => {
		const createdAt = '2025-01-01T00:00:00.000Z';
		service.sandbox.addVideos('main', [{ id: 'old', projectId: PROJECT, createdAt }]);
	};

	test('is told apart by the date of its add when the execution is retried', async () => {
		addOld();
		playSeconds(2_400);
		const setup = { ...service.setup(GENERATE), items: [{}] };
		const first = await play(async () => await runNode(setup));
		expect(first.error?.message).toBe('The video was not finished within 1800 seconds');
		passTime(3_600_000);
		service.sandbox.clock.advance(3_600_000);
		const { items, error } = await play(async () => await runNode({ ...setup, failed: first.run }));
		expect(error).toBeUndefined();
		expect(getIds(items)).toEqual(getOwnIds(items));
		expect(service.sandbox.charges).toHaveLength(1);
	});

	test.each(['', '.toDateTime()', '.toDateTime().toJSDate()'])(
		"is told apart by 'Queued At'%s",
		async (conversion) => {
			addOld();
			const { items: added } = await service.run(OPERATIONS['queue.add']);
			service.sandbox.clock.advance(60_000);
			const parameters = {
				...{ ...WAIT, queueId: '={{ $json.queueId }}' },
				...{ projectId: byId(PROJECT), queuedAt: `={{ $json.createdAt${conversion} }}` },
			};
			const setup = { ...service.setup(parameters), items: added.map(({ json }) => json) };
			const { items } = await play(async () => await runNode(setup));
			expect(items).toHaveLength(1);
			expect(getIds(items)).toEqual(getOwnIds(items));
		},
	);
});

describe('A look that fails', () => {
	test.each<[string, Partial<FaultSpec>]>([
		['with 401', { kind: 'status', status: 401 }],
		['with a redirect', { kind: 'redirect', location: '/maintenance' }],
		['with a web page', { kind: 'html' }],
	])('%s ends no wait, unless it fails four times in a row', async (_, fault) => {
		playSeconds(100);
		const spec = { ...fault, operation: 'queue.getProgress' } as FaultSpec;
		service.sandbox.addFault({ ...spec, times: 3, skip: 2 });
		const { items, error } = await run([{}]);
		expect(error).toBeUndefined();
		expect(getIds(items)).toEqual(getOwnIds(items));
		playSeconds(100);
		service.sandbox.addFault({ ...spec, skip: 2 });
		service.sandbox.clearRequests();
		const { error: lasting } = await run([{}]);
		expect(lasting).toBeDefined();
		const looks = service.sandbox.requests.filter(
			({ operation }) => operation === 'queue.getProgress',
		);
		expect(looks).toHaveLength(6);
	});
});

describe('An entry that names the queue ID', () => {
	test.each(['field', 'address'] as const)(
		'lets all rows but the first come out as soon as they are finished (%s)',
		async (entriesNameQueueId) => {
			service.sandbox.configure({ entriesNameQueueId });
			playSeconds(20, 20, 20);
			const startedAt = service.sandbox.clock.now();
			const { items } = await run(ofOneProject(3));
			expect(getIds(items)).toEqual(getOwnIds(items));
			// Listing Delay is waited for once.
			expect(service.sandbox.clock.now() - startedAt).toBeLessThan(3 * 20_000 + 10_000 + 3_500);
		},
	);
});

test('An entry that names the queue ID of an item that waits for it ends the reads of the list', async () => {
	service.sandbox.configure({ entriesNameQueueId: 'field' });
	const videos = [{ processingMs: 20_000 }, { processingMs: 20_000, logDelayMs: 5_000 }];
	planVideos(service.sandbox, ...videos, { processingMs: 6_000, logDelayMs: 9_000 });
	const { items } = await run([{}, {}, { project: TOUR }], { waitOptions: { videosAtOnce: 2 } });
	expect(getIds(items)).toEqual(getOwnIds(items));
	const reads = service.sandbox.requests.filter(({ operation }) => operation === 'video.getAll');
	expect(reads.length).toBeLessThanOrEqual(7);
});

test('What an earlier try has queued is waited for before the next add of its project', async () => {
	service.sandbox.addFault({ kind: 'status', status: 403, operation: 'queue.add', nth: 1 });
	const seconds = [40, 20];
	playSeconds(...seconds);
	const retry = { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 };
	const { items } = await run(
		ofOneProject(2),
		{ waitOptions: { timeout: 30 } },
		{ ...CONTINUE, ...retry },
	);
	expect(getIds(items)).toEqual(getOwnIds(items));
	expect(items).toHaveLength(2);
	expect(countAtOnce(seconds)).toBe(1);
});

test('A retry gives no item the video that an earlier execution gave to another', async () => {
	// The second item is still made when the first execution ends, long before the third video.
	playSeconds(20, 100);
	const waitOptions = { timeout: '={{ $json.timeout }}' };
	const setup = {
		...service.setup({ ...GENERATE, waitOptions: { ...waitOptions, videosAtOnce: 2 } }),
		items: [{ timeout: 1_800 }, { timeout: 60 }],
	};
	const first = await play(async () => await runNode(setup));
	expect(first.error?.message).toBe('The video was not finished within 60 seconds');
	service.sandbox.clock.advance(600_000);
	passTime(600_000);
	const { items } = await play(async () => await runNode({ ...setup, failed: first.run }));
	expect(getIds(items)).toEqual(getOwnIds(items));
});

test('A wait whose Queue ID was corrected before a retry returns the video of the corrected one', async () => {
	playSeconds(20, 20);
	const added = [];
	for (let count = 0; count < 2; count++) {
		const { items } = await service.run(OPERATIONS['queue.add']);
		added.push(items[0]?.json ?? {});
		service.sandbox.clock.advance(30_000);
	}
	service.sandbox.configure({ videoUrlInDetails: true });
	service.sandbox.addFault({ kind: 'status', status: 404, operation: 'video.file', times: 1 });
	const createSetup = ({ queueId, createdAt }: IDataObject) => ({
		...service.setup({
			...{ resource: 'queue', operation: 'wait', downloadVideo: true },
			...{ queueId: queueId as string, queuedAt: createdAt as string },
			projectId: byId(PROJECT),
			waitOptions: { listingDelay: 5 },
		}),
		items: [{}],
	});
	const [wrong = {}, right = {}] = added;
	const { run: failed } = await play(async () => await runNode(createSetup(wrong)));
	const { items } = await play(async () => await runNode({ ...createSetup(right), failed }));
	expect(getIds(items)).toEqual([getOwnVideoId(service.sandbox, right)]);
});

test('A moment without the database of n8n fails no row', async () => {
	playSeconds(20, 20, 20);
	jest.spyOn(Math, 'random').mockReturnValue(0);
	let failures = 3;
	interceptLookUps((found) => {
		failures -= 1;
		if (failures >= 0) throw new Error('Connection terminated');
		return found;
	});
	const { items, error } = await run(ofOneProject(3));
	expect(failures).toBeLessThan(0);
	expect(error).toBeUndefined();
	expect(getIds(items)).toEqual(getOwnIds(items));
});
