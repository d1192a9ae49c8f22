import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { readVideoFile } from '../../sandbox/files/readVideoFile';
import { OPERATIONS, PROJECT } from '../support/engine/OPERATIONS';
import { getOwnVideoId, playLives } from '../support/engine/playLives';
import { runNode } from '../support/engine/runNode';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { useBinaryStore } from '../support/engine/useBinaryStore';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();
useBinaryStore();

const TOUR = 'project-city-tour';
const byId = (value: string) => ({ __rl: true, mode: 'id', value });

const ADD = {
	...OPERATIONS['queue.add'],
	projectId: byId(`={{ $json.project ?? '${PROJECT}' }}`),
	waitForCompletion: true,
};

/** Makes all videos of a project at the same time. */
const TOGETHER = { ...ADD, waitOptions: { videosAtOnce: 1_000 } };

const WAIT = {
	...{ resource: 'queue', operation: 'wait', queueId: '={{ $json.queueId }}' },
	projectId: byId('={{ $json.project }}'),
};

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

const getIds = (videos: unknown) => (videos as IDataObject[]).map(({ id }) => id as string);
const getOwnId = (json: IDataObject) => getOwnVideoId(service.sandbox, json) ?? '';

/** Queues a video that no execution waits for. */
async function queueVideo(parameters: INodeParameters = {}) {
	const { items } = await service.run({ ...OPERATIONS['queue.add'], ...parameters });
	service.sandbox.clearRequests();
	return items[0]?.json.queueId as string;
}

/** Expects each video to be the item's own, or null with the item's own among the candidates. */
function expectOwnOrCandidate(outputs: IDataObject[]) {
	for (const { video, videoUrl, videoCandidates, ...json } of outputs) {
		if (video === null) {
			expect(getIds(videoCandidates)).toContain(getOwnId(json));
			expect(videoUrl).toBeNull();
		} else {
			expect((video as IDataObject).id).toBe(getOwnId(json));
			expect(videoUrl).toBe((video as IDataObject).url);
		}
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
const RETRY = { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 };
const ADD_FILE = { ...ADD, downloadVideo: true };
const WAIT_FOR_FILE = { ...WAIT, projectId: byId(PROJECT), downloadVideo: true };

describe('Videos of one project whose log lags', () => {
	test.each([
		['', '127.0.0.1'],
		[' with two names of the host', 'localhost'],
	])('go to the right one of two executions%s', async (_, host) => {
		const { sandbox } = service;
		playLives(sandbox, { processingMs: 13_000 }, { processingMs: 18_000, logDelayMs: 5_000 });
		const { apiKey } = sandbox;
		const credentials = { apiKey, baseUrl: sandbox.url.replace('127.0.0.1', host) };
		const startOther = async () =>
			await runNode({ ...service.setup(ADD), items: [{ run: 2 }], credentials });
		const results = await play(
			async () => await Promise.all([start(ADD, [{ run: 1 }]), startOther()]),
		);
		expect(results.map(({ items }) => items.length)).toEqual([1, 1]);
		expectOwnOrCandidate(results.flatMap(({ items }) => items.map(({ json }) => json)));
	});

	test.each([
		[{ processingMs: 13_000 }, { processingMs: 14_000, logDelayMs: 8_000 }],
		[
			{ processingMs: 3_000, logDelayMs: 9_000 },
			{ processingMs: 14_000, logDelayMs: 8_000 },
		],
		[{ processingMs: 11_000, logDelayMs: 10_000 }, { processingMs: 12_000 }],
	])('go to the right one of two items, %j and %j', async (...lives) => {
		playLives(service.sandbox, ...lives);
		const { items, error } = await run(TOGETHER, [{}, {}]);
		expect(error).toBeUndefined();
		expect(items).toHaveLength(2);
		expectOwnOrCandidate(items.map(({ json }) => json));
	});

	test.each([2, 20])('by the listing delay of %d s still get to the only item', async (lag) => {
		service.sandbox.configure({ durations: { logDelayMs: lag * 1000 } });
		const { items } = await run({ ...ADD, waitOptions: { listingDelay: lag } });
		expect(items[0]?.json.video).toMatchObject({ id: getOwnId(items[0]?.json ?? {}) });
	});

	test('by far more than the listing delay are not waited for: the item comes out without a video', async () => {
		playLives(service.sandbox, { processingMs: 9_000, logDelayMs: 10_000_000 });
		const { items } = await run(ADD);
		expect(items[0]?.json).toMatchObject({
			...{ status: 'completed', video: null, videoUrl: null },
			...{ videoCandidates: [], videoCandidateCount: 0 },
		});
		const [charge] = service.sandbox.charges;
		const seconds = (service.sandbox.clock.now() - (charge?.at ?? 0)) / 1000;
		// Looked at after 10 s, and settled after 20 s.
		expect(seconds).toBeGreaterThanOrEqual(20);
		expect(seconds).toBeLessThan(21);
	});

	test('are not given to an item while one that was given up may own them', async () => {
		playLives(
			service.sandbox,
			{ processingMs: 24_000 },
			{ processingMs: 14_000, logDelayMs: 9_500 },
		);
		const timeout = '={{ $json.timeout }}';
		const { items, errorItems } = await run(
			{ ...ADD, waitOptions: { timeout } },
			[{ timeout: 12 }, { timeout: 100 }],
			{ onError: 'continueErrorOutput' },
		);
		expect(errorItems).toHaveLength(1);
		expect(items).toHaveLength(1);
		expectOwnOrCandidate(items.map(({ json }) => json));
	});
});

describe('An old entry of the project', () => {
	const addOld = (more: IDataObject = {}) => {
		const createdAt = '2025-01-01T00:00:00.000Z';
		service.sandbox.addVideos('main', [{ id: 'old', projectId: PROJECT, createdAt, ...more }]);
	};
	test('is not given to an item when the list lacked it before its first look', async () => {
		addOld();
		playLives(service.sandbox, { processingMs: 28_000, logDelayMs: 6_000 });
		const queueId = await queueVideo();
		const body = { status: 'success', message: 'No videos found', videos: [] };
		service.sandbox.addFault({
			...{ kind: 'status', status: 200, body, operation: 'video.getAll', nth: 1 },
		});
		const { items } = await run(WAIT, [{ queueId, project: PROJECT }]);
		expect(items[0]?.json).toMatchObject({ video: null, videoCandidateCount: 2 });
	});

	test('takes no video from an item when the list could not be read before its add', async () => {
		addOld();
		service.sandbox.addFault({
			...{ kind: 'status', status: 500, operation: 'video.getAll', nth: 1 },
		});
		const { items } = await run(ADD);
		expect(items[0]?.json.video).toMatchObject({ id: getOwnId(items[0]?.json ?? {}) });
	});

	test('is not given to an item when its date cannot be read', async () => {
		addOld({ createdAt: 'never' });
		playLives(service.sandbox, { processingMs: 28_000, logDelayMs: 6_000 });
		const { items } = await run(ADD);
		expect(items[0]?.json.video).toMatchObject({ id: getOwnId(items[0]?.json ?? {}) });
	});
});

describe('A service that does not list videos in time', () => {
	test('gives no row the late video of one before it, though finished items leave the queue', async () => {
		playLives(
			service.sandbox,
			...[
				{ processingMs: 5_000, logDelayMs: 30_000 },
				{ processingMs: 25_000, logDelayMs: 10_000_000 },
			],
		);
		const stop = leaveWhenFinished();
		const { items } = await run(ADD, [{}, {}]);
		stop();
		expect(items.map(({ json }) => json.video)).toEqual([null, null]);
	});

	test('has no item of the project given a video from then on', async () => {
		playLives(
			service.sandbox,
			{ processingMs: 3_000, logDelayMs: 25_000 },
			{ processingMs: 35_000 },
			{ processingMs: 35_000 },
		);
		const { items } = await run(ADD, [{}, {}, { project: TOUR }]);
		expect(items.map(({ json }) => (json.video as IDataObject | null)?.id)).toEqual([
			...[undefined, undefined, getOwnId(items[2]?.json ?? {})],
		]);
	});
});

test('An item that was called failed may still be given its video: its sibling is not given it', async () => {
	const { sandbox } = service;
	playLives(sandbox, { processingMs: 23_000 }, { processingMs: 28_000, logDelayMs: 6_000 });
	const stop = sandbox.onRequest(({ operation }) => {
		const [first] = sandbox.charges;
		if (operation !== 'queue.getProgress' || !first) return;
		stop();
		const containing = first.queueId;
		sandbox.addFault({ kind: 'statusWord', word: 'failed', operation, containing, times: 1 });
	});
	const { items, errorItems } = await run(ADD, [{}, {}], { onError: 'continueErrorOutput' });
	expect(errorItems).toHaveLength(1);
	expectOwnOrCandidate(items.map(({ json }) => json));
});

test('A log that cannot be read when it must show the video is tried for 30 s, and the error of the download says so', async () => {
	const fault = { kind: 'status', status: 503, operation: 'video.getAll', skip: 1 } as const;
	service.sandbox.addFault(fault);
	const startedAt = service.sandbox.clock.now();
	const { error } = await run({ ...ADD, downloadVideo: true });
	expect(error?.message).toBe('The video could not be identified, so it was not downloaded');
	expect(error?.description).toContain('The list of videos could not be read');
	const seconds = (service.sandbox.clock.now() - startedAt) / 1000;
	expect(seconds).toBeGreaterThan(20);
	expect(seconds).toBeLessThan(51);
});

test('Input items with the same queue ID are one item', async () => {
	playLives(service.sandbox, { processingMs: 15_000 });
	const queueId = await queueVideo();
	const { items } = await run(WAIT, [
		{ queueId, project: PROJECT },
		{ queueId, project: PROJECT },
	]);
	expect(items.map(({ json }) => (json.video as IDataObject | null)?.id)).toEqual([
		...[getOwnId({ queueId }), getOwnId({ queueId })],
	]);
});

describe('An item with an address in its progress', () => {
	beforeEach(() => {
		service.sandbox.configure({ videoUrlInDetails: true });
	});

	test('waits for no entry, and is given no other', async () => {
		service.sandbox.configure({ durations: { logDelayMs: 10_000_000 } });
		service.sandbox.addVideos('main', [{ projectId: PROJECT }]);
		playLives(service.sandbox, { processingMs: 9_000, logDelayMs: 10_000_000 });
		const { items } = await run(ADD);
		const [charge] = service.sandbox.charges;
		expect(items[0]?.json).toMatchObject({
			video: null,
			videoUrl: expect.stringContaining(charge?.videoId ?? '') as string,
		});
		expect(items[0]?.json).not.toHaveProperty('videoCandidates');
		// Reads of the log are a second apart.
		expect(service.sandbox.clock.now() - (charge?.at ?? 0)).toBeLessThan(11_500);
	});

	test('comes out with its address, though it leaves the queue before its video is listed', async () => {
		const { sandbox } = service;
		playLives(sandbox, { processingMs: 9_000, logDelayMs: 10_000_000 });
		const stop = leaveWhenFinished();
		const { items } = await run(ADD);
		stop();
		expect(items[0]?.json.videoUrl).toContain(sandbox.charges[0]?.videoId);
	});
});

describe('An item that was never seen running', () => {
	test('is given no video without its address, though there is only one', async () => {
		const queueId = await queueVideo();
		service.sandbox.clock.advance(60_000);
		const { items } = await run(WAIT, [{ queueId, project: PROJECT }]);
		expect(items[0]?.json).toMatchObject({ video: null, videoUrl: null, videoCandidateCount: 1 });
		expectOwnOrCandidate(items.map(({ json }) => json));
		const { error } = await run({ ...WAIT, downloadVideo: true }, [{ queueId, project: PROJECT }]);
		expect(error?.description).toMatch(/^There is one video that it could be\. Find it in /);
	});
});

describe('A queue item that the service does not know for a moment', () => {
	test.each([
		['between answers', [404, 404, 200, 404, 404, 200, 404]],
		['with another refusal between', [404, 404, 403, 404, 404]],
	])('(404 again and again, %s) is waited for as before', async (_what, statuses) => {
		for (const [index, status] of statuses.entries()) {
			if (status === 200) continue;
			service.sandbox.addFault({
				...{ kind: 'status', status, operation: 'queue.getProgress', nth: index + 1 },
			});
		}
		playLives(service.sandbox, { processingMs: 39_000 });
		const { items } = await run(ADD);
		expect(count('queue.getProgress')).toBe(8);
		expect(items[0]?.json.video).toMatchObject({ id: getOwnId(items[0]?.json ?? {}) });
	});

	test('(404 for 15 seconds) has left the queue: no video is its own, but its own can be it', async () => {
		playLives(service.sandbox, { processingMs: 9_000 });
		service.sandbox.configure({ endedItemsLeaveAfterMs: 0 });
		const { items, error } = await run(ADD);
		expect(error).toBeUndefined();
		// After 10, 15, 20 and 25 seconds.
		expect(count('queue.getProgress')).toBe(1 + 4);
		expect(items[0]?.json).toMatchObject({ video: null, videoUrl: null, videoCandidateCount: 1 });
		expectOwnOrCandidate(items.map(({ json }) => json));
	});
});

describe('A queue item that somebody clears', () => {
	beforeEach(() => {
		playLives(service.sandbox, { processingMs: 600_000 });
	});

	test('is not given the next video of its project', async () => {
		clearAfter(15);
		const result = play(async () => {
			const waiting = start({ ...ADD, waitOptions: { timeout: 300 } });
			await service.sandbox.waitForRequests({
				...{ count: 3, operation: 'queue.getProgress', timeoutMs: 100_000 },
			});
			service.sandbox.addVideos('main', [{ id: 'of-another', projectId: PROJECT }]);
			return await waiting;
		});
		const { items, error } = await result;
		expect(error).toBeUndefined();
		expect(items[0]?.json).toMatchObject({ video: null, videoUrl: null, videoCandidateCount: 1 });
		expect(getIds(items[0]?.json.videoCandidates)).toEqual(['of-another']);
	});

	test('fails when no video appears, long before the timeout, and the error says so', async () => {
		clearAfter(15);
		const { errorItems } = await run(ADD, [{}], CONTINUE);
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
		playLives(
			service.sandbox,
			...[{ processingMs: 600_000 }, { processingMs: 20_000 }, { processingMs: 20_000 }],
		);
		clearAfter(15);
		const { items, errorItems } = await run(ADD, [{}, {}, {}], CONTINUE);
		expect(errorItems).toHaveLength(1);
		expect(items.map(({ json }) => (json.video as IDataObject | null)?.id)).toEqual(
			items.map(({ json }) => getOwnId(json)),
		);
		expect(items).toHaveLength(2);
	});
});

describe('A key for each item', () => {
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
		const { items, error } = await runWithKeys(ADD, [
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

describe('Clocks', () => {
	test.each([-3_600_000, 3_600_000])(
		'of this machine that are set by %d ms neither hold up, end nor change a wait',
		async (byMs) => {
			playLives(service.sandbox, { processingMs: 25_000 });
			const stop = service.sandbox.onRequest(({ operation }) => {
				if (operation !== 'queue.getProgress') return;
				stop();
				jest.setSystemTime(Date.now() + byMs);
			});
			const { items, error } = await run({ ...ADD, waitOptions: { timeout: 60 } });
			expect(error).toBeUndefined();
			expect(count('queue.getProgress')).toBe(5);
			expect(items[0]?.json.video).toMatchObject({ id: getOwnId(items[0]?.json ?? {}) });
			const waitedMs = service.sandbox.clock.now() - (service.sandbox.charges[0]?.at ?? 0);
			expect(waitedMs).toBeGreaterThanOrEqual(35_000);
			expect(waitedMs).toBeLessThan(35_500);
		},
	);

	test.each([-600_000, 600_000])(
		'of the log that are off by %d ms change nothing',
		async (skew) => {
			const { sandbox } = service;
			sandbox.configure({ logClockSkewMs: skew, logWholeSeconds: true });
			const createdAt = new Date(sandbox.clock.now() - 300_000 + skew).toISOString();
			sandbox.addVideos('main', [{ projectId: PROJECT, createdAt }]);
			playLives(sandbox, { processingMs: 28_000, logDelayMs: 6_000 });
			const { items } = await run(ADD);
			expect(items[0]?.json.video).toMatchObject({ id: getOwnId(items[0]?.json ?? {}) });
		},
	);
});

describe('How often the service is asked', () => {
	test.each(['strong', 'none'] as const)(
		'the list is read at most five times in half a minute, and once a minute after that (tags: %s)',
		async (etags) => {
			service.sandbox.configure({ etags });
			const countReads = async (seconds: number) => {
				playLives(service.sandbox, { processingMs: seconds * 1_000 });
				service.sandbox.clearRequests();
				const { items } = await run(ADD);
				expectOwnOrCandidate(items.map(({ json }) => json));
				return count('video.getAll');
			};
			expect(await countReads(30)).toBeLessThanOrEqual(5);
			expect(await countReads(1_700)).toBeLessThanOrEqual(1_700 / 60 + 3);
		},
	);

	test('ten items of two minutes fit into 100 requests for the list in 15 minutes', async () => {
		playLives(service.sandbox, ...Array.from({ length: 10 }, () => ({ processingMs: 120_000 })));
		const { items } = await run(
			ADD,
			Array.from({ length: 10 }, () => ({})),
		);
		expect(items.map(({ json }) => (json.video as IDataObject | null)?.id)).toEqual(
			items.map(({ json }) => getOwnId(json)),
		);
		expect(count('video.getAll')).toBeLessThanOrEqual(50);
	});

	test('items that begin to wait together are looked at together, however soon they are finished', async () => {
		const lives = Array.from({ length: 3 }, () => ({ processingMs: 500 }));
		playLives(service.sandbox, ...lives);
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

	test('a log that cannot be read is read again when the service asks to be', async () => {
		service.sandbox.addFault({
			...{ kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 7 },
			...{ operation: 'video.getAll', times: 1 },
		});
		playLives(service.sandbox, { processingMs: 9_000 });
		const reads: number[] = [];
		service.sandbox.onRequest(({ operation, at }) => {
			if (operation === 'video.getAll') reads.push(at);
		});
		const { items } = await run(ADD);
		expect(items[0]?.json.video).not.toBeNull();
		expect((reads[1] ?? 0) - (reads[0] ?? 0)).toBeGreaterThanOrEqual(7_000);
	});

	test('an interval of more than 24.8 days is kept', async () => {
		const days = 24 * 3600;
		playLives(service.sandbox, { processingMs: 29 * days * 1000 });
		const { items, error } = await run({
			...ADD,
			waitOptions: { pollingInterval: 30 * days, timeout: 100 * days },
		});
		expect(error).toBeUndefined();
		expect(items[0]?.json.status).toBe('completed');
		expect(count('queue.getProgress')).toBe(1);
	});
});

describe('The word "canceled"', () => {
	test.each(['canceled', 'Cancelled'])(
		'as a status, %s, fails the item, and the execution is an error',
		async (word) => {
			service.sandbox.addFault({ kind: 'statusWord', word, operation: 'queue.getProgress' });
			const { error, run: execution } = await run(ADD);
			expect(error?.message).toBe('The video could not be generated');
			expect(error?.description).toContain(`the status is "${word}"`);
			expect(error?.description).not.toContain("the other items' videos");
			expect(execution.status).toBe('error');
		},
	);

	test.each([403, 429, 200])(
		'in what the service says with %d leaves the execution an error',
		async (status) => {
			const body = { status: 'error', message: 'Your subscription was canceled' };
			service.sandbox.addFault({ kind: 'status', status, body });
			for (const parameters of [ADD, OPERATIONS['account.get']]) {
				const { error, run: execution } = await run(parameters);
				expect(error?.message).not.toMatch(/canceled/i);
				expect(execution.status).toBe('error');
			}
		},
	);
});

describe('Download Video', () => {
	test.each([
		['Queue > Add', ADD_FILE],
		['Queue > Wait', WAIT_FOR_FILE],
	])('has the finished item of %s carry its file', async (name, parameters) => {
		const items = name === 'Queue > Wait' ? [{ queueId: await queueVideo() }] : [{}];
		const result = await run({ ...parameters, binaryPropertyName: 'film' }, items);
		expect(result.error).toBeUndefined();
		const [item] = result.items;
		expect(item?.json).toMatchObject({ status: 'completed', video: { projectId: PROJECT } });
		expect(item?.binary?.film).toMatchObject({
			mimeType: 'video/mp4',
			bytes: readVideoFile('product-teaser').length,
		});
		expect(item?.pairedItem).toEqual({ item: 0 });
	});

	test('of a video whose entry has no address says so', async () => {
		service.sandbox.addFault({ kind: 'missingField', field: 'videos.0.url' });
		const { errorItems } = await run(ADD_FILE, [{}], CONTINUE);
		expect(errorItems[0]?.json).toMatchObject({
			error: 'The address of the video is not a web address',
			details: { queueId: expect.any(String) as string, videoUrl: null },
		});
	});

	test('that fails tells where the video is, and queues nothing again', async () => {
		service.sandbox.addFault({ kind: 'status', status: 404, operation: 'video.file' });
		const { errorItems } = await run(ADD_FILE, [{}], CONTINUE);
		expect(errorItems[0]?.json).toMatchObject({
			error: 'There is no video at this address (404)',
			// The execution succeeds, so n8n offers no retry.
			message: expect.stringMatching(/^The video is finished.*use Video > Download/) as string,
			details: {
				queueId: service.sandbox.charges[0]?.queueId,
				videoUrl: expect.stringContaining('/files/') as string,
				httpCode: '404',
				mayBeQueued: false,
			},
		});
		expect(service.sandbox.charges).toHaveLength(1);
	});

	test('requests a file that its host does not send as often as Max Tries says', async () => {
		service.sandbox.addFault({ kind: 'status', status: 503, operation: 'video.file' });
		const { error } = await run({ ...ADD_FILE, options: { maxTries: 2 } });
		expect(error?.description).toContain('was requested 2 times');
		expect(count('video.file')).toBe(2);
	});

	test('looks for a new address as often, where the list cannot be read by then', async () => {
		const { sandbox } = service;
		sandbox.addFault({ kind: 'status', status: 404, operation: 'video.file' });
		const stop = sandbox.onRequest(({ operation }) => {
			if (operation !== 'video.file') return;
			stop();
			sandbox.clearRequests();
			sandbox.addFault({ kind: 'status', status: 503, operation: 'video.getAll' });
		});
		const { error } = await run({ ...ADD_FILE, options: { maxTries: 2 } });
		expect(error?.message).toBe('There is no video at this address (404)');
		expect(count('video.getAll')).toBe(2);
	});

	test.each([
		['Queue > Add', ADD_FILE],
		['Queue > Wait', WAIT_FOR_FILE],
	])('of %s is all that Retry On Fail does again', async (name, parameters) => {
		const items = name === 'Queue > Wait' ? [{ queueId: await queueVideo() }] : [{}];
		const before = service.sandbox.charges.length;
		service.sandbox.addFault({ kind: 'status', status: 404, operation: 'video.file', nth: 1 });
		const looks: number[] = [];
		const stop = service.sandbox.onRequest(({ operation }) => {
			if (operation === 'video.file') looks.push(count('queue.getProgress'));
		});
		const result = await run(parameters, items, RETRY);
		stop();
		expect(result.error).toBeUndefined();
		expect(result.items[0]?.binary?.data).toBeDefined();
		expect(looks).toHaveLength(2);
		expect(looks[1]).toBe(looks[0]);
		expect(service.sandbox.charges).toHaveLength(name === 'Queue > Wait' ? before : before + 1);
	});

	test('downloads nothing twice of what an earlier try has downloaded', async () => {
		playLives(service.sandbox, { processingMs: 3_000 }, { processingMs: 23_000 });
		service.sandbox.addFault({ kind: 'status', status: 404, operation: 'video.file', nth: 2 });
		const { items } = await run(ADD_FILE, [{}, {}], RETRY);
		expect(items).toHaveLength(2);
		expect(count('video.file')).toBe(3);
	});

	test('fails an item whose video cannot be told from others, with the candidates', async () => {
		const { errorItems } = await run({ ...TOGETHER, downloadVideo: true }, [{}, {}], CONTINUE);
		expect(errorItems).toHaveLength(2);
		for (const { json } of errorItems) {
			expect(json).toMatchObject({
				error: 'The video could not be identified, so it was not downloaded',
				message: expect.stringContaining('any of 2 videos') as string,
			});
			const { queueId, videoCandidates } = json.details as IDataObject;
			expect(service.sandbox.charges.map((each) => each.queueId)).toContain(queueId);
			expect(videoCandidates).toHaveLength(2);
		}
		expect(count('video.file')).toBe(0);
	});

	test('of a video that cannot be told from others says how to get the others, with the node set to stop', async () => {
		const { error } = await run({ ...ADD_FILE, waitOptions: { videosAtOnce: 2 } }, [{}, {}]);
		expect(error?.message).toContain('could not be identified');
		expect(error?.description).toMatch(/'On Error'.*'Continue', and retry the execution/);
	});

	test('is off in workflows that were saved without it', async () => {
		const { items } = await run({ ...ADD_FILE, downloadVideo: undefined });
		expect(items[0]?.binary).toBeUndefined();
		expect(count('video.file')).toBe(0);
	});
});
