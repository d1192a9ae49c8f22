import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { OPERATIONS, PROJECT } from '../support/engine/OPERATIONS';
import { playLives } from '../support/engine/playLives';
import { runNode, startNode } from '../support/engine/runNode';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();
const ADD = {
	...OPERATIONS['queue.add'],
	projectId: { __rl: true, mode: 'id', value: `={{ $json.project ?? '${PROJECT}' }}` },
	waitForCompletion: true,
};
const WAIT = {
	resource: 'queue',
	operation: 'wait',
	queueId: '={{ $json.queueId }}',
	projectId: { __rl: true, mode: 'id', value: '={{ $json.project }}' },
};
const ERROR_OUTPUT = { onError: 'continueErrorOutput' as const };

/** Runs on a fake clock that the sandbox follows. */
async function run(
	parameters: INodeParameters,
	items: IDataObject[] = [{}],
	settings: Partial<INode> = {},
) {
	const setup = { ...service.setup(parameters), items, settings };
	return await runWithoutWaiting(async () => await runNode(setup), service.sandbox);
}

const countRequests = (operation: string, containing = '') =>
	service.sandbox.requests.filter(
		(request) => request.operation === operation && request.url.includes(containing),
	).length;

/** Lists the main account's video log, oldest first. */
async function listVideos() {
	const { items } = await service.run({ ...OPERATIONS['video.getAll'], returnAll: true });
	return items.map(({ json }) => json).reverse();
}

const getQueued = () => service.sandbox.readState().queue;

/** Sets the time until each queue item is finished, in the order in which they are queued. */
const finishAfter = (...seconds: number[]) => {
	playLives(service.sandbox, ...seconds.map((each) => ({ processingMs: each * 1000 })));
};

describe('Queue > Add with waiting', () => {
	test('returns the finished video', async () => {
		const { items, error } = await run(ADD);
		expect(error).toBeUndefined();
		expect(countRequests('queue.add')).toBe(1);
		expect(countRequests('queue.getProgress')).toBe(2);
		// Before its add, and when the list must show it.
		expect(countRequests('video.getAll')).toBe(2);
		const [video] = await listVideos();
		const { queueId } = getQueued()[0] ?? {};
		expect(items).toEqual([
			{
				json: {
					queueId,
					projectId: PROJECT,
					status: 'completed',
					generationProgress: 100,
					renderProgress: 100,
					video: expect.objectContaining({ id: video?.id, projectId: PROJECT }) as object,
					videoUrl: expect.stringContaining(`/files/${video?.id as string}`) as string,
					createdAt: expect.any(String) as string,
				},
				pairedItem: { item: 0 },
			},
		]);
	});

	test('lets 50 items wait together: each is looked at once an interval, the video log once a second at most', async () => {
		const seconds = Array.from({ length: 50 }, (_, i) => 5 + (i % 16));
		finishAfter(...seconds);
		const startedAt = service.sandbox.clock.now();
		const projects = service.sandbox.addProjects(
			'main',
			Array.from({ length: 50 }, () => ({})),
		);
		service.sandbox.setCredits('main', 50);
		const { items, found } = await run(
			{ ...ADD, waitOptions: { pollingInterval: 2 } },
			projects.map(({ id }) => ({ project: id })),
		);
		const waitedSeconds = (service.sandbox.clock.now() - startedAt) / 1000;
		expect(items).toHaveLength(50);
		expect(items.map(({ json }) => json.projectId)).toEqual(projects.map(({ id }) => id));
		expect(
			items.every(({ json }) => (json.video as IDataObject | null)?.projectId === json.projectId),
		).toBe(true);
		expect(found.items).toEqual(projects.map(({ id }) => ({ project: id })));
		// The slowest one, its listing delay, and 2 seconds.
		expect(waitedSeconds).toBeLessThanOrEqual(20 + 10 + 2);
		for (const { json } of items) {
			expect(countRequests('queue.getProgress', json.queueId as string)).toBeLessThanOrEqual(
				waitedSeconds / 2 + 1,
			);
		}
		expect(countRequests('video.getAll')).toBeLessThanOrEqual(waitedSeconds + 1);
	});

	test('names the candidates where the API cannot tell two videos apart', async () => {
		finishAfter(5, 5, 45);
		const { items } = await run({ ...ADD, waitOptions: { videosAtOnce: 3 } }, [{}, {}, {}]);
		const ids = (await listVideos()).map(({ id }) => id as string);
		for (const { json } of items.slice(0, 2)) {
			expect(json).toMatchObject({ status: 'completed', video: null, videoUrl: null });
			expect((json.videoCandidates as IDataObject[]).map(({ id }) => id).sort()).toEqual(
				ids.slice(0, 2).sort(),
			);
		}
		expect(items[2]?.json.video).toMatchObject({ id: ids[2] });
	});

	test('goes by the address that the progress tells', async () => {
		finishAfter(1000);
		service.sandbox.addFault({
			kind: 'statusWord',
			word: 'baking',
			videoUrl: 'http://127.0.0.1/v.mp4',
			operation: 'queue.getProgress',
		});
		const { items } = await run(ADD);
		expect(items[0]?.json).toMatchObject({ status: 'baking', videoUrl: 'http://127.0.0.1/v.mp4' });
	});

	test.each([
		['in capitals', 'COMPLETED', {}],
		['of the user', 'im Kasten', { completedStatuses: 'fertig, IM KASTEN' }],
	])('knows a status %s', async (_what, word, waitOptions) => {
		service.sandbox.addFault({
			kind: 'statusWord',
			word,
			insteadOf: 'completed',
			operation: 'queue.getProgress',
		});
		const { items } = await run({ ...ADD, waitOptions });
		expect(items[0]?.json).toMatchObject({ status: word });
	});

	test('fails an item whose generation fails, beside its neighbours, with what a repair needs', async () => {
		const { items, errorItems, found } = await run(
			ADD,
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

	test('gives up an item whose status never changes, and says how to go on', async () => {
		service.sandbox.addFault({
			kind: 'statusWord',
			word: 'thinking',
			operation: 'queue.getProgress',
			containing: '',
		});
		const { errorItems } = await run({ ...ADD, waitOptions: { timeout: 65 } }, [{}], ERROR_OUTPUT);
		expect(errorItems[0]?.json).toMatchObject({
			error: 'The video was not finished within 65 seconds',
			message: expect.stringMatching(
				/still being made.*"thinking".*Queue > Wait.*'Timeout'/,
			) as string,
			details: { queueId: getQueued()[0]?.queueId, lastStatus: 'thinking' },
		});
		expect(countRequests('queue.getProgress')).toBe(65 / 5);
	});

	test('ends the other waits at once when one fails and the node stops, and lists every queue ID with its status', async () => {
		finishAfter(10_000, 10_000);
		service.sandbox.changeProject('project-city-tour', { fails: true });
		const together = { ...ADD, waitOptions: { videosAtOnce: 2 } };
		const { error, items } = await run(together, [{}, {}, { project: 'project-city-tour' }]);
		expect(items).toEqual([]);
		expect(error?.context.itemIndex).toBe(2);
		const [first, second, third] = getQueued().map(({ queueId }) => queueId);
		expect(error?.description).toContain(
			`${first} (processing), ${second} (processing), ${third} (failed)`,
		);
		const before = service.sandbox.requests.length;
		await new Promise((resolve) => setImmediate(resolve));
		expect(service.sandbox.requests).toHaveLength(before);
	});

	test('reads its options before anything is spent', async () => {
		for (const [waitOptions, message] of [
			[{ pollingInterval: 0 }, "'Polling Interval' must be 1 second or more"],
			[{ timeout: 'soon' }, "'Timeout' must be 1 second or more"],
			[{ listingDelay: -1 }, "'Listing Delay' must be 0 seconds or more"],
			[{ videosAtOnce: 1.5 }, "'Videos at Once' must be a whole number of 1 or more"],
		] as const) {
			const { error } = await run({ ...ADD, waitOptions });
			expect(error?.message).toBe(message);
		}
		expect(service.sandbox.requests).toEqual([]);
	});
});

describe('Queue > Wait', () => {
	async function queueVideo(project = PROJECT) {
		const parameters = { ...OPERATIONS['queue.add'], projectId: project };
		const { items } = await service.run(parameters);
		service.sandbox.clearRequests();
		return items[0]?.json.queueId as string;
	}

	test('returns the finished video of a queue item that is still running, also among older videos', async () => {
		service.sandbox.addVideos('main', [{ projectId: PROJECT }, { projectId: PROJECT }]);
		finishAfter(40);
		const queueId = await queueVideo();
		const { items, error } = await run(WAIT, [{ queueId, project: PROJECT }]);
		expect(error).toBeUndefined();
		expect(items[0]?.json).toMatchObject({ queueId, status: 'completed', projectId: PROJECT });
		expect(items[0]?.json.video).toMatchObject({
			id: (await listVideos())[2]?.id,
		});
	});

	test('fails for a queue item that is not there, after a few checks', async () => {
		const queueId = await queueVideo();
		service.sandbox.removeQueueItem(queueId);
		const { error } = await run(WAIT, [{ queueId, project: PROJECT }]);
		expect(error).toMatchObject({
			httpCode: '404',
			message: 'The video service has no queue item with this ID',
		});
		expect(countRequests('queue.getProgress')).toBe(4);
	});
});

test.each(['soon', "={{ new Date('soon') }}"])(
	"A 'Queued At' that is no date (%s) is refused before anything is sent",
	async (queuedAt) => {
		const { error } = await run({ ...WAIT, queuedAt }, [{ queueId: 'x', project: PROJECT }]);
		expect(error?.message).toBe("'Queued At' must be a date");
		expect(service.sandbox.requests).toEqual([]);
	},
);

test('An added item that no look finds has left the queue: its candidates are listed', async () => {
	finishAfter(1);
	service.sandbox.addFault({ kind: 'status', status: 404, operation: 'queue.getProgress' });
	const { items } = await run(ADD);
	expect(items).toMatchObject([{ json: { video: null, videoCandidateCount: 1 } }]);
});

test('A list that fails for half a minute when it must show a video costs no video', async () => {
	finishAfter(1);
	const stopListening = service.sandbox.onRequest(({ operation }) => {
		if (operation !== 'queue.add') return;
		service.sandbox.addFault({ kind: 'status', status: 503, operation: 'video.getAll', times: 5 });
	});
	const { items } = await run(ADD);
	stopListening();
	expect(items[0]?.json.video).toMatchObject({ id: getQueued()[0]?.videoId });
});

test('Items whose addresses have expired read the list together', async () => {
	finishAfter(1, 1, 1);
	service.sandbox.configure({ signedUrls: true });
	service.sandbox.addFault({ kind: 'status', status: 403, operation: 'video.file', times: 3 });
	const projects = ['product-teaser', 'city-tour', 'launch-film'];
	const rows = projects.map((name) => ({ project: `project-${name}` }));
	const { items } = await run({ ...ADD, downloadVideo: true }, rows);
	expect(items.map(({ binary }) => binary?.data?.mimeType)).toEqual(rows.map(() => 'video/mp4'));
	const operations = service.sandbox.requests.map(({ operation }) => operation);
	const afterwards = operations.slice(operations.indexOf('video.file'));
	expect(afterwards.filter((operation) => operation === 'video.getAll')).toHaveLength(1);
});

test('An item that has left the queue is settled, although the service is busy in between', async () => {
	finishAfter(1);
	const busy = { kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 5 } as const;
	for (const nth of [2, 4, 6, 8]) {
		service.sandbox.addFault({ ...busy, operation: 'queue.getProgress', nth });
	}
	service.sandbox.addFault({ kind: 'status', status: 404, operation: 'queue.getProgress' });
	const { items } = await run(ADD);
	expect(items).toMatchObject([{ json: { video: null, videoCandidateCount: 1 } }]);
	expect(countRequests('queue.getProgress')).toBeLessThan(9);
});

describe('A progress that says', () => {
	const answer = (details: IDataObject) =>
		service.sandbox.addFault({
			...{ kind: 'status', status: 200, operation: 'queue.getProgress' },
			body: { status: 'success', details },
		});
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

	test('that it still runs at the timeout has the item tell what another wait needs', async () => {
		answer({ status: 'rendering' });
		const row = { queueId: 'q1', project: PROJECT, createdAt: '2026-01-15T12:00:00.000Z' };
		const parameters = { ...PROGRESS, waitOptions: { timeout: 10 } };
		const { errorItems } = await run(parameters, [row], ERROR_OUTPUT);
		const { queueId, createdAt } = row;
		expect(errorItems[0]?.json.details).toMatchObject({
			...{ queueId, projectId: PROJECT, createdAt, lastStatus: 'rendering' },
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

describe('Pressing stop', () => {
	test('while 50 items wait ends the execution within a second, and nothing is left to be sent', async () => {
		service.sandbox.setCredits('main', 50);
		const items = Array.from({ length: 50 }, () => ({}));
		await runWithoutWaiting(async () => {
			const started = await startNode({
				...service.setup({ ...ADD, waitOptions: { pollingInterval: 1, videosAtOnce: 50 } }),
				items,
			});
			await service.sandbox.waitForRequests({ count: 50, operation: 'queue.getProgress' });
			const stoppedAt = performance.now();
			started.stop();
			const { run: execution } = await started.result;
			expect(performance.now() - stoppedAt).toBeLessThan(1000);
			expect(execution.status).toBe('canceled');
			expect(jest.getTimerCount()).toBe(0);
		}, service.sandbox);
		expect(countRequests('queue.getProgress')).toBe(50);
		// Before the first add.
		expect(countRequests('video.getAll')).toBe(1);
	});
});

test('Items share a read of the list only if their Request Options are the same', async () => {
	const requestOptions = { timeout: '={{ $json.timeout }}' };
	const PROJECTS = [PROJECT, 'project-city-tour'];
	const countReadsBefore = async (timeouts: number[]) => {
		service.sandbox.clearRequests();
		await run(
			{ ...ADD, requestOptions },
			timeouts.map((timeout, index) => ({ timeout, project: PROJECTS[index] })),
		);
		const operations = service.sandbox.requests.map(({ operation }) => operation);
		return operations
			.slice(0, operations.lastIndexOf('queue.add'))
			.filter((operation) => operation === 'video.getAll').length;
	};
	expect(await countReadsBefore([20_000, 20_000])).toBe(1);
	expect(await countReadsBefore([20_000, 30_000])).toBe(2);
});
