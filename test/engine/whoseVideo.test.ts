/*
 * Whose video. Certain, whoever else is there: the address that the progress tells, and an entry that names the
 * queue ID. Otherwise an item's own is the only entry that
 *
 * 1. is of its project and account,
 * 2. is new to it: first shown after its add was sent, or, of an item that was queued elsewhere, not dated
 *    before it was,
 * 3. was not first shown more than Listing Delay before a look that found it running,
 * 4. stands in the list that settles it, the first one that is asked for Listing Delay after its end,
 * 5. is no other item's.
 *
 * Several: none is given. None, though there must be one: the project's items are given none from then on.
 * The laws of random executions ("random/videoLaws.ts") hold this for everything that can happen; here each rule
 * has its examples.
 */

import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { byId, GENERATE, OPERATIONS, PROJECT, WAIT } from '../support/engine/OPERATIONS';
import { getOwnVideoId, planVideos } from '../support/engine/planVideos';
import { runNode } from '../support/engine/runNode';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();

const TOUR = 'project-city-tour';

/** Makes all videos of a project at the same time. */
const TOGETHER = { ...GENERATE, waitOptions: { videosAtOnce: 1_000 } };

const play = async <T>(start: () => Promise<T>) => await runWithoutWaiting(start, service.sandbox);

const start = async (
	parameters: INodeParameters,
	items: IDataObject[] = [{}],
	settings: Partial<INode> = {},
) => await runNode({ ...service.setup(parameters), items, settings });

const run = async (...setup: Parameters<typeof start>) =>
	await play(async () => await start(...setup));

const count = (operation: string) =>
	service.sandbox.requests.filter((request) => request.operation === operation).length;

const getOwnId = (json: IDataObject) => getOwnVideoId(service.sandbox, json) ?? '';

/** Queues a video that no execution waits for. */
async function queueVideo(parameters: INodeParameters = {}) {
	const { items } = await service.run({ ...OPERATIONS['queue.add'], ...parameters });
	service.sandbox.clearRequests();
	return items[0]?.json.queueId as string;
}

/** Expects each video to be the item's own, or none. */
function expectOwnOrNone(outputs: IDataObject[]) {
	for (const { video, videoUrl, ...json } of outputs) {
		if (video !== null) expect((video as IDataObject).id).toBe(getOwnId(json));
		expect(videoUrl).toBe((video as IDataObject | null)?.url ?? null);
	}
}

/** Clears the first queue item with the first progress request after this time. */
function clearAfter(seconds: number) {
	const { sandbox } = service;
	const startedAt = sandbox.clock.now();
	const stop = sandbox.onRequest(({ operation }) => {
		const [charge] = sandbox.charges;
		if (operation !== 'queue.getProgress' || !charge) return;
		if (sandbox.clock.now() - startedAt < seconds * 1000) return;
		stop();
		void fetch(`${sandbox.url}/v1/queue/clear`, {
			method: 'POST',
			headers: { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' },
			body: JSON.stringify({ queueId: charge.queueId }),
		});
	});
}

/** Has each finished item leave the queue as soon as the list is read again. @returns what ends this */
function leaveWhenFinished() {
	const { sandbox } = service;
	return sandbox.onRequest(({ operation }) => {
		if (operation !== 'video.getAll') return;
		for (const { queueId, status, left } of sandbox.readState().queue) {
			if (status === 'completed' && !left) sandbox.removeQueueItem(queueId);
		}
	});
}

const CONTINUE = { onError: 'continueErrorOutput' } as const;

describe('Certain is the address that the progress tells: an item', () => {
	beforeEach(() => {
		service.sandbox.configure({ videoUrlInDetails: true });
	});

	test('waits for no entry, and is given no other', async () => {
		service.sandbox.configure({ durations: { logDelayMs: 10_000_000 } });
		service.sandbox.addVideos('main', [{ projectId: PROJECT }]);
		planVideos(service.sandbox, { processingMs: 9_000, logDelayMs: 10_000_000 });
		const { items } = await run(GENERATE);
		const [charge] = service.sandbox.charges;
		expect(items[0]?.json).toMatchObject({
			video: null,
			videoUrl: expect.stringContaining(charge?.videoId ?? '') as string,
		});
		// Reads of the log are a second apart.
		expect(service.sandbox.clock.now() - (charge?.at ?? 0)).toBeLessThan(11_500);
	});

	test('comes out with its address, though it leaves the queue before its video is listed', async () => {
		const { sandbox } = service;
		planVideos(sandbox, { processingMs: 9_000, logDelayMs: 10_000_000 });
		const stop = leaveWhenFinished();
		const { items } = await run(GENERATE);
		stop();
		expect(items[0]?.json.videoUrl).toContain(sandbox.charges[0]?.videoId);
	});
});

describe('Rule 1: a video is of the project and account of its item, which', () => {
	const FOREIGN = 'project-garden-story';
	const runWithKeys = async (parameters: INodeParameters, items: IDataObject[]) =>
		await play(
			async () =>
				await runNode({
					parameters,
					credentials: { baseUrl: service.sandbox.url, apiKey: '={{ $json.key }}' },
					items,
				}),
		);

	test('waits for, looks up and gives each video with the key of its item', async () => {
		const { main, other } = service.sandbox.accounts;
		const { items, error } = await runWithKeys(GENERATE, [
			{ key: main.apiKey, project: PROJECT },
			{ key: other.apiKey, project: FOREIGN },
		]);
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => (json.video as IDataObject).id)).toEqual(
			items.map(({ json }) => getOwnId(json)),
		);
		for (const { operation, headers, url } of service.sandbox.requests) {
			if (operation !== 'queue.getProgress') continue;
			const charge = service.sandbox.charges.find(({ queueId }) => url.includes(queueId));
			const owner = charge?.accountId === 'other' ? other : main;
			expect(headers.authorization).toBe(`Bearer ${owner.apiKey}`);
		}
	});
});

describe("Rule 2: an item's video is new to it. An old entry", () => {
	const addOld = (more: IDataObject = {}) => {
		const createdAt = '2025-01-01T00:00:00.000Z';
		service.sandbox.addVideos('main', [{ id: 'old', projectId: PROJECT, createdAt, ...more }]);
	};

	test('takes no video from an item when the list could not be read before its add', async () => {
		addOld();
		service.sandbox.addFault({
			...{ kind: 'status', status: 500, operation: 'video.getAll', nth: 1 },
		});
		const { items } = await run(GENERATE);
		expect(items[0]?.json.video).toMatchObject({ id: getOwnId(items[0]?.json ?? {}) });
	});

	test('is not given to an item when its date cannot be read', async () => {
		addOld({ createdAt: 'never' });
		planVideos(service.sandbox, { processingMs: 28_000, logDelayMs: 6_000 });
		const { items } = await run(GENERATE);
		expect(items[0]?.json.video).toMatchObject({ id: getOwnId(items[0]?.json ?? {}) });
	});

	test.each([-600_000, 600_000])(
		'is known where the clock of the log is off by %d ms',
		async (skew) => {
			const { sandbox } = service;
			sandbox.configure({ logClockSkewMs: skew, logWholeSeconds: true });
			const createdAt = new Date(sandbox.clock.now() - 300_000 + skew).toISOString();
			sandbox.addVideos('main', [{ projectId: PROJECT, createdAt }]);
			planVideos(sandbox, { processingMs: 28_000, logDelayMs: 6_000 });
			const { items } = await run(GENERATE);
			expect(items[0]?.json.video).toMatchObject({ id: getOwnId(items[0]?.json ?? {}) });
		},
	);

	test('may be the own one of an item without a date that was never seen running: none is given, though there is only one', async () => {
		const queueId = await queueVideo();
		service.sandbox.clock.advance(60_000);
		const { items } = await run(WAIT, [{ queueId, project: PROJECT }]);
		expect(items[0]?.json).toMatchObject({ video: null, videoUrl: null });
		const { error } = await run({ ...WAIT, downloadVideo: true }, [{ queueId, project: PROJECT }]);
		expect(error?.description).toMatch(/^It may be this one: 1 video of project .* Find it in /);
	});
});

describe("Rule 3: an item's video is not listed long before its end. An old entry", () => {
	test('is not given to an item when the list lacked it before its first look', async () => {
		const createdAt = '2025-01-01T00:00:00.000Z';
		service.sandbox.addVideos('main', [{ id: 'old', projectId: PROJECT, createdAt }]);
		planVideos(service.sandbox, { processingMs: 28_000, logDelayMs: 6_000 });
		const queueId = await queueVideo();
		const body = { status: 'success', message: 'No videos found', videos: [] };
		service.sandbox.addFault({
			...{ kind: 'status', status: 200, body, operation: 'video.getAll', nth: 1 },
		});
		const { items } = await run(WAIT, [{ queueId, project: PROJECT }]);
		expect(items[0]?.json).toMatchObject({ video: null });
	});
});

describe('Rule 4: the list that settles an item shows its video. A log that', () => {
	test.each([2, 20])(
		'lags by the listing delay of %d s still gives it to the only item',
		async (lag) => {
			service.sandbox.configure({ durations: { logDelayMs: lag * 1000 } });
			const { items } = await run({ ...GENERATE, waitOptions: { listingDelay: lag } });
			expect(items[0]?.json.video).toMatchObject({ id: getOwnId(items[0]?.json ?? {}) });
		},
	);

	test('lags by far more is not waited for: the item comes out without a video', async () => {
		planVideos(service.sandbox, { processingMs: 9_000, logDelayMs: 10_000_000 });
		const { items } = await run(GENERATE);
		expect(items[0]?.json).toMatchObject({
			...{ status: 'completed', video: null, videoUrl: null },
		});
		const [charge] = service.sandbox.charges;
		const seconds = (service.sandbox.clock.now() - (charge?.at ?? 0)) / 1000;
		// Looked at after 10 s, and settled after 20 s.
		expect(seconds).toBeGreaterThanOrEqual(20);
		expect(seconds).toBeLessThan(21);
	});

	test('cannot be read then is tried for 30 s, and the error of the download says so', async () => {
		const fault = { kind: 'status', status: 503, operation: 'video.getAll', skip: 1 } as const;
		service.sandbox.addFault(fault);
		const startedAt = service.sandbox.clock.now();
		const { error } = await run({ ...GENERATE, downloadVideo: true });
		expect(error?.message).toBe('The video could not be identified, so it was not downloaded');
		expect(error?.description).toContain('The list of videos could not be read');
		const seconds = (service.sandbox.clock.now() - startedAt) / 1000;
		expect(seconds).toBeGreaterThan(20);
		expect(seconds).toBeLessThan(51);
	});

	test('cannot be read is read again when the service asks to be', async () => {
		service.sandbox.addFault({
			...{ kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 7 },
			...{ operation: 'video.getAll', times: 1 },
		});
		planVideos(service.sandbox, { processingMs: 9_000 });
		const reads: number[] = [];
		service.sandbox.onRequest(({ operation, at }) => {
			if (operation === 'video.getAll') reads.push(at);
		});
		const { items } = await run(GENERATE);
		expect(items[0]?.json.video).not.toBeNull();
		expect((reads[1] ?? 0) - (reads[0] ?? 0)).toBeGreaterThanOrEqual(7_000);
	});
});

describe("Rule 5: an item's video is no other item's. Videos whose log lags", () => {
	test.each([
		[{ processingMs: 13_000 }, { processingMs: 14_000, logDelayMs: 8_000 }],
		[
			{ processingMs: 3_000, logDelayMs: 9_000 },
			{ processingMs: 14_000, logDelayMs: 8_000 },
		],
		[{ processingMs: 11_000, logDelayMs: 10_000 }, { processingMs: 12_000 }],
	])('go to the right one of two items, %j and %j', async (...videos) => {
		planVideos(service.sandbox, ...videos);
		const { items, error } = await run(TOGETHER, [{}, {}]);
		expect(error).toBeUndefined();
		expect(items).toHaveLength(2);
		expectOwnOrNone(items.map(({ json }) => json));
	});

	test('are not given to an item while one that was given up may own them', async () => {
		planVideos(
			service.sandbox,
			{ processingMs: 24_000 },
			{ processingMs: 14_000, logDelayMs: 9_500 },
		);
		const timeout = '={{ $json.timeout }}';
		const { items, errorItems } = await run(
			{ ...GENERATE, waitOptions: { timeout } },
			[{ timeout: 12 }, { timeout: 100 }],
			{ onError: 'continueErrorOutput' },
		);
		expect(errorItems).toHaveLength(1);
		expect(items).toHaveLength(1);
		expectOwnOrNone(items.map(({ json }) => json));
	});

	test('are not given to the sibling of an item that was called failed', async () => {
		const { sandbox } = service;
		planVideos(sandbox, { processingMs: 23_000 }, { processingMs: 28_000, logDelayMs: 6_000 });
		const stop = sandbox.onRequest(({ operation }) => {
			const [first] = sandbox.charges;
			if (operation !== 'queue.getProgress' || !first) return;
			stop();
			const containing = first.queueId;
			sandbox.addFault({ kind: 'statusWord', word: 'failed', operation, containing, times: 1 });
		});
		const { items, errorItems } = await run(GENERATE, [{}, {}], { onError: 'continueErrorOutput' });
		expect(errorItems).toHaveLength(1);
		expectOwnOrNone(items.map(({ json }) => json));
	});

	test('are given to all input items with the same queue ID', async () => {
		planVideos(service.sandbox, { processingMs: 15_000 });
		const queueId = await queueVideo();
		const { items } = await run(WAIT, [
			{ queueId, project: PROJECT },
			{ queueId, project: PROJECT },
		]);
		expect(items.map(({ json }) => (json.video as IDataObject | null)?.id)).toEqual([
			...[getOwnId({ queueId }), getOwnId({ queueId })],
		]);
	});
});

describe('None, though there must be one: a service that lists its videos late', () => {
	test('gives no row the late video of one before it, though finished items leave the queue', async () => {
		planVideos(
			service.sandbox,
			...[
				{ processingMs: 5_000, logDelayMs: 30_000 },
				{ processingMs: 25_000, logDelayMs: 10_000_000 },
			],
		);
		const stop = leaveWhenFinished();
		const { items } = await run(GENERATE, [{}, {}]);
		stop();
		expect(items.map(({ json }) => json.video)).toEqual([null, null]);
	});

	test('has no item of the project given a video from then on', async () => {
		planVideos(
			service.sandbox,
			{ processingMs: 3_000, logDelayMs: 25_000 },
			{ processingMs: 35_000 },
			{ processingMs: 35_000 },
		);
		const { items } = await run(GENERATE, [{}, {}, { project: TOUR }]);
		expect(items.map(({ json }) => (json.video as IDataObject | null)?.id)).toEqual([
			...[undefined, undefined, getOwnId(items[2]?.json ?? {})],
		]);
	});
});

describe('An item that has left the queue (404 for 15 seconds)', () => {
	test('is given the only video that can be its own', async () => {
		planVideos(service.sandbox, { processingMs: 9_000 });
		service.sandbox.configure({ endedItemsLeaveAfterMs: 0 });
		const { items, error } = await run(GENERATE);
		expect(error).toBeUndefined();
		// After 10, 15, 20 and 25 seconds.
		expect(count('queue.getProgress')).toBe(1 + 4);
		expect(items[0]?.json.video).toMatchObject({ id: getOwnId(items[0]?.json ?? {}) });
	});

	test('fails when no video appears, long before the timeout, and the error says so', async () => {
		planVideos(service.sandbox, { processingMs: 600_000 });
		clearAfter(15);
		const { errorItems } = await run(GENERATE, [{}], CONTINUE);
		expect(errorItems[0]?.json).toMatchObject({
			error: 'The queue item is no longer in the queue, and no new video appeared',
			message: expect.stringMatching(/deleted or is finished.*Video > Get Many/) as string,
			details: { queueId: service.sandbox.charges[0]?.queueId, lastStatus: 'processing' },
		});
		const [charge] = service.sandbox.charges;
		// Cleared after 15 s, gone for 15 s, and the listing delay.
		expect(service.sandbox.clock.now() - (charge?.at ?? 0)).toBeLessThan(46_500);
	});

	test('takes nothing from the rows after it', async () => {
		planVideos(
			service.sandbox,
			...[{ processingMs: 600_000 }, { processingMs: 20_000 }, { processingMs: 20_000 }],
		);
		clearAfter(15);
		const { items, errorItems } = await run(GENERATE, [{}, {}, {}], CONTINUE);
		expect(errorItems).toHaveLength(1);
		expect(items.map(({ json }) => (json.video as IDataObject | null)?.id)).toEqual(
			items.map(({ json }) => getOwnId(json)),
		);
		expect(items).toHaveLength(2);
	});
});

describe('The list of videos is read', () => {
	test.each(['strong', 'none'] as const)(
		'at most five times in half a minute, and once a minute after that (tags: %s)',
		async (etags) => {
			service.sandbox.configure({ etags });
			const countReads = async (seconds: number) => {
				planVideos(service.sandbox, { processingMs: seconds * 1_000 });
				service.sandbox.clearRequests();
				const { items } = await run(GENERATE);
				expectOwnOrNone(items.map(({ json }) => json));
				return count('video.getAll');
			};
			expect(await countReads(30)).toBeLessThanOrEqual(5);
			expect(await countReads(1_700)).toBeLessThanOrEqual(1_700 / 60 + 3);
		},
	);

	test('so seldom that ten items of two minutes fit into 100 requests in 15 minutes', async () => {
		planVideos(service.sandbox, ...Array.from({ length: 10 }, () => ({ processingMs: 120_000 })));
		const { items } = await run(
			GENERATE,
			Array.from({ length: 10 }, () => ({})),
		);
		expect(items.map(({ json }) => (json.video as IDataObject | null)?.id)).toEqual(
			items.map(({ json }) => getOwnId(json)),
		);
		expect(count('video.getAll')).toBeLessThanOrEqual(50);
	});

	test('in time for all items that begin to wait together, however soon they are finished', async () => {
		const videos = Array.from({ length: 3 }, () => ({ processingMs: 500 }));
		planVideos(service.sandbox, ...videos);
		const projects = [PROJECT, TOUR, 'project-launch-film'];
		const items: IDataObject[] = [];
		for (const project of projects) {
			items.push({ queueId: await queueVideo({ projectId: byId(project) }), project });
		}
		const { items: finished, error } = await run(WAIT, items);
		expect(error).toBeUndefined();
		expect(finished.map(({ json }) => (json.video as IDataObject | null)?.id)).toEqual(
			finished.map(({ json }) => getOwnId(json)),
		);
	});
});
