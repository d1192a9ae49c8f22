import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import { readVideoFile } from '../../sandbox/files/readVideoFile';
import {
	GENERATE,
	LISTING_DELAY,
	POLLING_INTERVAL,
	PROJECT,
	WAIT,
} from '../support/engine/OPERATIONS';
import { ERROR_OUTPUT, type NodeResult } from '../support/engine/runNode';
import { passTime } from '../support/engine/runWithoutWaiting';
import { useBinaryStore } from '../support/engine/useBinaryStore';
import { useSandbox } from '../support/engine/useSandbox';
import { like } from '../support/like';

const service = useSandbox();
useBinaryStore();

const run = async (
	parameters: INodeParameters,
	items: IDataObject[] = [{}],
	settings: Partial<INode> = {},
	failed?: NodeResult,
) => await service.run(parameters, { items, settings, ...(failed && { failed: failed.run }) });

const { countSent } = service;

const getQueued = () => service.sandbox.readState().queue;

/** Expects the video of the first queue item. */
const expectFirstVideo = ({ items }: NodeResult) => {
	expect(items[0]?.json.video).toMatchObject({ id: getQueued()[0]?.videoId });
};

const failLooks = (fault: FaultSpec) =>
	service.sandbox.addFault({ ...fault, operation: 'queue.getProgress' });

describe('Video > Generate', () => {
	test('returns the finished video', async () => {
		const { items, error } = await run(GENERATE);
		expect(error).toBeUndefined();
		expect(countSent('queue.add')).toBe(1);
		// Two until its end, and two while it waits for the list: the service may tell its address by then.
		expect(countSent('queue.getProgress')).toBe(4);
		// Before its add, and when the list must show it.
		expect(countSent('video.getAll')).toBe(2);
		const { queueId, videoId = '?' } = getQueued()[0] ?? {};
		expect(items).toEqual([
			{
				json: {
					queueId,
					projectId: PROJECT,
					status: 'completed',
					generationProgress: 100,
					renderProgress: 100,
					video: expect.objectContaining({ id: videoId, projectId: PROJECT }) as object,
					videoUrl: expect.stringContaining(`/files/${videoId}`) as string,
					createdAt: expect.any(String) as string,
				},
				pairedItem: { item: 0 },
			},
		]);
	});

	test('lets 20 items wait together: each is looked at once an interval, the video log once a second at most', async () => {
		service.planVideos(...Array.from({ length: 20 }, (_, i) => 5 + (i % 16)));
		const startedAt = service.sandbox.clock.now();
		const projects = service.sandbox.addProjects(
			'main',
			Array.from({ length: 20 }, () => ({})),
		);
		const rows = projects.map(({ id }) => ({ project: id }));
		const waitOptions = { pollingInterval: 2, listingDelay: LISTING_DELAY };
		const { items, found } = await run({ ...GENERATE, waitOptions }, rows);
		const waitedSeconds = (service.sandbox.clock.now() - startedAt) / 1000;
		expect(items.map(({ json }) => (json.video as IDataObject).projectId)).toEqual(
			projects.map(({ id }) => id),
		);
		expect(found.items).toEqual(rows);
		// The slowest one, its listing delay, and 2 seconds.
		expect(waitedSeconds).toBeLessThanOrEqual(20 + LISTING_DELAY + 2);
		const looks = items.map(({ json }) => countSent('queue.getProgress', json.queueId as string));
		expect(Math.max(...looks)).toBeLessThanOrEqual(waitedSeconds / 2 + 1);
		expect(countSent('video.getAll')).toBeLessThanOrEqual(waitedSeconds + 1);
	});

	test.each<[string, IDataObject, IDataObject]>([
		['an address, whatever its status', { word: 'baking', videoUrl: 'http://127.0.0.1/v.mp4' }, {}],
		['a usual word in capitals', { word: 'COMPLETED' }, {}],
		[
			"a word of 'Completed Statuses'",
			{ word: 'im Kasten' },
			{ completedStatuses: 'fertig, IM KASTEN' },
		],
	])('knows a finished item by %s', async (_what, told, waitOptions) => {
		failLooks({ kind: 'statusWord', insteadOf: 'completed', ...(told as { word: string }) });
		const { items } = await run({ ...GENERATE, waitOptions } as INodeParameters);
		const { word, ...address } = told;
		expect(items[0]?.json).toMatchObject({ status: word, ...address });
	});

	test.each(['TIMED_OUT', 'Timeout', 'moderated'])(
		'knows a failed item by a usual word: %s',
		async (word) => {
			failLooks({ kind: 'statusWord', insteadOf: 'failed', word });
			const broken = { project: 'project-broken-storyboard' };
			const { errorItems } = await run(GENERATE, [broken], ERROR_OUTPUT);
			expect(errorItems[0]?.json.error).toBe('The video could not be generated');
		},
	);

	test('fails an item whose generation fails, beside its neighbours, with what a repair needs', async () => {
		const { items, errorItems, found } = await run(
			GENERATE,
			[{}, { project: 'project-broken-storyboard' }, { project: 'project-city-tour' }],
			ERROR_OUTPUT,
		);
		expect(items.map(({ json }) => json.projectId)).toEqual([PROJECT, 'project-city-tour']);
		expect(errorItems.map(({ json }) => json)).toEqual([
			expect.objectContaining({
				error: 'The video could not be generated',
				message: expect.stringContaining('the status is "failed"') as string,
				details: {
					queueId: getQueued()[1]?.queueId,
					projectId: 'project-broken-storyboard',
					createdAt: expect.any(String) as string,
					lastStatus: 'failed',
					mayBeQueued: false,
				},
			}),
		]);
		expect(found.errorItems).toEqual([{ project: 'project-broken-storyboard' }]);
	});

	test.each([
		['pending', 65, /^To go on .*'Timeout'\. .*still being made\. Its last status was "pending"\./],
		[
			'thinking',
			65,
			/^To go on .*'Timeout'\. .*"thinking" for 60 seconds\. .*'Completed Statuses' under 'Wait Options'/,
		],
		['thinking', 5, /^To go on (?!.*for \d+ seconds).*"thinking" means that: first add it to/],
	])(
		'gives up an item that stays %s, after %i seconds, and says first how to go on',
		async (word, timeout, message) => {
			failLooks({ kind: 'statusWord', word });
			const waitOptions = { timeout, pollingInterval: POLLING_INTERVAL };
			const parameters = { ...GENERATE, waitOptions };
			const { errorItems } = await run(parameters, [{}], ERROR_OUTPUT);
			expect(errorItems[0]?.json).toMatchObject({
				error: `The video was not finished within ${timeout} seconds`,
				message: like(message),
				details: {
					queueId: getQueued()[0]?.queueId,
					projectId: PROJECT,
					createdAt: expect.any(String) as string,
					lastStatus: word,
				},
			});
			expect(countSent('queue.getProgress')).toBe(timeout / POLLING_INTERVAL);
		},
	);

	test('ends the other waits at once when one fails and the node stops, and lists every queue ID with its status', async () => {
		// The add of another project does not wait for those of the first.
		service.planVideos(10_000, 10, 10_000);
		service.sandbox.changeProject('project-city-tour', { fails: true });
		const together = { ...GENERATE, waitOptions: { videosAtOnce: 2 } };
		const startedAt = service.sandbox.clock.now();
		const { error, items } = await run(together, [{}, {}, { project: 'project-city-tour' }]);
		expect(items).toEqual([]);
		expect(error?.context.itemIndex).toBe(2);
		const [first, , second] = getQueued().map(({ queueId }) => queueId);
		expect(error?.description).toContain(`${first} (processing), ${second} (processing)`);
		expect(service.sandbox.clock.now() - startedAt).toBeLessThan(15_000);
	});
});

test('Queue > Wait fails for a queue item that is not there, after a few checks', async () => {
	const [queueId = ''] = await service.queueVideos(1);
	service.sandbox.removeQueueItem(queueId);
	const { error } = await run(WAIT, [{ queueId, project: PROJECT }]);
	expect(error).toMatchObject({
		httpCode: '404',
		message: 'The video service has no queue item with this ID',
	});
	expect(countSent('queue.getProgress')).toBe(4);
});

test.each<[string, Partial<FaultSpec>]>([
	['with 400', { kind: 'status', status: 400 }],
	['with 401', { kind: 'status', status: 401 }],
	['with a web page', { kind: 'html' }],
])('A look that fails %s ends no wait, unless it fails four times in a row', async (_, fault) => {
	service.planVideos(100, 100);
	const spec = { ...fault, skip: 2 } as FaultSpec;
	failLooks({ ...spec, times: 3 });
	expectFirstVideo(await run(GENERATE));
	failLooks(spec);
	service.sandbox.clearRequests();
	const { error } = await run(GENERATE);
	expect(error?.description).toMatch(/^The video is queued and paid for\./);
	expect(error?.description).not.toContain("'Custom Prompt'");
	expect(countSent('queue.getProgress')).toBe(6);
});

describe('An entry of the list that names a queue ID', () => {
	beforeEach(() => {
		service.sandbox.configure({ entriesNameQueueId: 'field' });
	});

	test('ends its wait, whatever its status is called', async () => {
		failLooks({ kind: 'statusWord', word: 'archived' });
		const { items } = await run(GENERATE);
		expect(items[0]?.json.video).toMatchObject({ queueId: items[0]?.json.queueId });
	});

	test('ends the wait of Queue > Wait with the status of its progress', async () => {
		const { items } = await run(GENERATE);
		const { queueId, status } = items[0]?.json ?? {};
		const { items: waited } = await run(WAIT, [{ queueId, project: PROJECT }]);
		expect(waited[0]?.json).toMatchObject({ queueId, status, video: { queueId } });
	});

	test('is not certain beside another one that names it', async () => {
		const { sandbox } = service;
		const stop = sandbox.onRequest(({ operation }) => {
			if (operation !== 'queue.getProgress') return;
			stop();
			const [item] = getQueued();
			sandbox.addVideos('main', [{ queueId: item?.queueId }, { queueId: item?.queueId }]);
		});
		expect((await run(GENERATE)).items[0]?.json.video).toBeNull();
	});
});

test('An item that has left the queue is settled, although the service is busy in between', async () => {
	service.planVideos(1);
	const busy = { kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 5 } as const;
	for (const nth of [2, 4, 6, 8]) failLooks({ ...busy, nth });
	failLooks({ kind: 'status', status: 404 });
	expectFirstVideo(await run(GENERATE));
	expect(countSent('queue.getProgress')).toBeLessThan(9);
});

describe('A pause that the service asks for ends after two minutes:', () => {
	const DAY = { kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 86_400 } as const;

	test('a look that is asked for a day does not hold its lane until the timeout', async () => {
		failLooks({ ...DAY, times: 1 });
		expectFirstVideo(await run(GENERATE));
		const { at = 0 } = service.sandbox.charges[0] ?? {};
		expect(service.sandbox.clock.now() - at).toBeLessThan(5_000 + 120_000 + 10_000 + 1_000);
	});

	test('a list that asks for a day gives a row its video after them', async () => {
		service.sandbox.addFault({ ...DAY, operation: 'video.getAll', nth: 2 });
		expectFirstVideo(await run(GENERATE));
	});

	test('a look that is asked for a minute while the list is awaited is the last one, for the list comes first', async () => {
		service.planVideos(1);
		failLooks({ ...DAY, seconds: 60, nth: 2 });
		const waitOptions = { pollingInterval: 1, listingDelay: LISTING_DELAY };
		expectFirstVideo(await run({ ...GENERATE, waitOptions }));
		expect(countSent('queue.getProgress')).toBe(2);
	});
});

describe('A progress that says', () => {
	const answer = (details: IDataObject) =>
		failLooks({ kind: 'status', status: 200, body: { status: 'success', details } });
	const PROGRESS = { ...WAIT, queuedAt: '={{ $json.createdAt }}' };

	test('why a video failed has the item say so', async () => {
		const error = 'The prompt violates the content policy';
		answer({ status: 'failed', error });
		const { errorItems } = await run(PROGRESS, [{ queueId: 'q1' }], ERROR_OUTPUT);
		expect(errorItems[0]?.json).toMatchObject({
			message: expect.stringContaining(`The service said: "${error}"`) as string,
			details: { serviceMessage: error },
		});
	});

	test('nothing of its status is a failed look', async () => {
		answer({ renderProgress: 5 });
		const { errorItems } = await run(PROGRESS, [{ queueId: 'q1' }], ERROR_OUTPUT);
		expect(errorItems[0]?.json.error).toBe(
			"The response from the video service has no 'details.status'",
		);
	});

	test("that it is completed ends the wait, also where 'Completed Statuses' is there and empty", async () => {
		answer({ status: 'completed' });
		const waitOptions = { completedStatuses: ' ', failedStatuses: '' };
		const { items } = await run({ ...PROGRESS, waitOptions }, [{ queueId: 'q1' }]);
		expect(items).toMatchObject([{ json: { status: 'completed' } }]);
	});
});

test.each([
	['between answers', [404, 404, 200, 404, 404, 200, 404]],
	['with another refusal between', [404, 404, 403, 404, 404, 404]],
])(
	'A queue item that the service does not know for a moment (404 again and again, %s) is waited for as before',
	async (_what, statuses) => {
		for (const [index, status] of statuses.entries()) {
			if (status !== 200) failLooks({ kind: 'status', status, nth: index + 1 });
		}
		service.planVideos(39);
		expectFirstVideo(await run(GENERATE));
		expect(countSent('queue.getProgress')).toBe(8 + 2);
	},
);

describe('A gateway that answers "404 page not found" while the service starts anew', () => {
	const GATEWAY: FaultSpec = { kind: 'status', status: 404, body: '404 page not found', skip: 1 };

	test('for 50 seconds ends no wait', async () => {
		service.planVideos(120);
		// The item is looked at every five seconds.
		failLooks({ ...GATEWAY, times: 10 });
		expectFirstVideo(await run(GENERATE));
	});

	test('for minutes ends it, but no retry, which looks at it again', async () => {
		service.planVideos(400);
		failLooks(GATEWAY);
		const first = await run(GENERATE);
		expect(first.error?.message).toContain('no longer in the queue');
		service.sandbox.clearFaults();
		failLooks({ ...GATEWAY, skip: 0, times: 3 });
		service.sandbox.clock.advance(400_000);
		passTime(400_000);
		expectFirstVideo(await run(GENERATE, [{}], {}, first));
		expect(service.sandbox.charges).toHaveLength(1);
	});
});

test('A retry of an item that has left the queue for good sends one look, and fails as before', async () => {
	service.planVideos(600);
	const { sandbox } = service;
	const stop = sandbox.onRequest(({ operation }) => {
		const [item] = getQueued();
		if (operation === 'queue.getProgress' && item && !item.left)
			sandbox.removeQueueItem(item.queueId);
	});
	const first = await run(GENERATE);
	stop();
	sandbox.clearRequests();
	const retry = await run(GENERATE, [{}], {}, first);
	expect(retry.error?.message).toBe(first.error?.message);
	expect(countSent('queue.getProgress')).toBe(1);
});

test("A 'Queued At' that is no date is refused before anything is sent", async () => {
	const { error } = await run({ ...WAIT, queuedAt: 'soon' }, [{ queueId: 'x', project: PROJECT }]);
	expect(error?.message).toBe("'Queued At' must be a date");
	expect(service.sandbox.requests).toEqual([]);
});

test('Items whose addresses have expired read the list together before they are downloaded again', async () => {
	service.planVideos(1, 1, 1);
	service.sandbox.configure({ signedUrls: true });
	service.sandbox.addFault({ kind: 'status', status: 403, operation: 'video.file', times: 3 });
	const projects = ['product-teaser', 'city-tour', 'city-tour'];
	const rows = projects.map((name) => ({ project: `project-${name}` }));
	const settings = { ...ERROR_OUTPUT, retryOnFail: true, maxTries: 2, waitBetweenTries: 0 };
	const { items } = await run({ ...GENERATE, downloadVideo: true }, rows, settings);
	expect(items.map(({ binary }) => binary?.data?.mimeType)).toEqual(rows.map(() => 'video/mp4'));
	for (const { json } of items) {
		const own = getQueued().find(({ queueId }) => queueId === json.queueId);
		expect(json.videoUrl).toContain(own?.videoId);
	}
	const operations = service.sandbox.requests.map(({ operation }) => operation);
	const file = 'video.file';
	expect(operations.slice(-5)).toEqual([file, 'video.getAll', file, file, file]);
});

test.each([-3_600_000, 3_600_000])(
	'A clock of this machine that is set by %d ms neither holds up, ends nor changes a wait',
	async (byMs) => {
		service.planVideos(25);
		const stop = service.sandbox.onRequest(({ operation }) => {
			if (operation !== 'queue.getProgress') return;
			stop();
			jest.setSystemTime(Date.now() + byMs);
		});
		const waitOptions = { ...GENERATE.waitOptions, timeout: 60 };
		expectFirstVideo(await run({ ...GENERATE, waitOptions }));
		expect(countSent('queue.getProgress')).toBe(5 + 2);
		const waitedMs = service.sandbox.clock.now() - (service.sandbox.charges[0]?.at ?? 0);
		expect(waitedMs).toBeGreaterThanOrEqual(35_000);
		expect(waitedMs).toBeLessThan(35_500);
	},
);

test('The word "canceled" as a status fails the item, and the execution is an error', async () => {
	const word = 'Cancelled';
	failLooks({ kind: 'statusWord', word });
	const { error, run: execution } = await run(GENERATE);
	expect(error?.message).toBe('The video could not be generated');
	expect(error?.description).toContain(`the status is "${word}"`);
	expect(error?.description).not.toContain("the other items' videos");
	expect(execution.status).toBe('error');
});

describe('Download Video', () => {
	const GENERATE_FILE = { ...GENERATE, downloadVideo: true };

	test('has the finished item of Queue > Wait carry its file, by default, which alone Retry On Fail does again', async () => {
		const items = (await service.queueVideos(1)).map((queueId) => ({ queueId, project: PROJECT }));
		service.sandbox.addFault({ kind: 'status', status: 404, operation: 'video.file', nth: 1 });
		const parameters = { ...WAIT, downloadVideo: undefined, binaryPropertyName: 'film' };
		const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 };
		const { items: waited } = await run(parameters, items, settings);
		expect(waited[0]?.json).toMatchObject({ status: 'completed', video: { projectId: PROJECT } });
		expect(waited[0]?.binary?.film).toMatchObject({
			mimeType: 'video/mp4',
			bytes: readVideoFile('product-teaser').length,
		});
		expect(waited[0]?.pairedItem).toEqual({ item: 0 });
		const operations = service.sandbox.requests.map(({ operation }) => operation);
		const fromFile = operations.slice(operations.indexOf('video.file'));
		expect(fromFile).toEqual(['video.file', 'video.getAll', 'video.file']);
	});

	test('of a video whose entry has no address says that it is not listed', async () => {
		service.sandbox.addFault({ kind: 'missingField', field: 'videos.0.url' });
		const { errorItems } = await run(GENERATE_FILE, [{}], ERROR_OUTPUT);
		expect(errorItems[0]?.json).toMatchObject({
			error: 'The video could not be identified, so it was not downloaded',
			details: { queueId: expect.any(String) as string },
		});
	});

	test('that fails tells where the video is, and queues nothing again', async () => {
		service.sandbox.addFault({ kind: 'status', status: 404, operation: 'video.file' });
		const { errorItems } = await run(GENERATE_FILE, [{}], ERROR_OUTPUT);
		expect(errorItems[0]?.json).toMatchObject({
			error: 'There is no video at this address (404)',
			// The execution succeeds, so n8n offers no retry.
			message: like(/^The video is finished.*use Video > Download/),
			details: {
				queueId: service.sandbox.charges[0]?.queueId,
				videoUrl: expect.stringContaining('/files/') as string,
				httpCode: '404',
				mayBeQueued: false,
			},
		});
		expect(service.sandbox.charges).toHaveLength(1);
	});
});
