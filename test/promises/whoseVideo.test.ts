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
 * The rules by themselves stand in a table ("tables/waiting/ownVideos.test.ts"), what a process knows of accounts, keys and
 * queue IDs in "tables/waiting/accountVideos.test.ts", and the laws of random executions
 * ("laws/videoLaws.ts") hold that no item is given another one's; here stands what those do not draw.
 */

import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { byId, GENERATE, OPERATIONS, PROJECT, WAIT } from '../support/engine/OPERATIONS';
import { loadPackageAnew } from '../support/engine/loadPackage';
import { playTogether } from '../support/engine/playTogether';
import { ERROR_OUTPUT, type NodeResult } from '../support/engine/runNode';
import { passTime } from '../support/engine/runWithoutWaiting';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();

const TOUR = 'project-city-tour';

const run = async (
	parameters: INodeParameters,
	items: IDataObject[] = [{}],
	settings: Partial<INode> = {},
) => await service.run(parameters, { items, settings });

/** Expects so many items, each with its own video. */
function expectOwn({ items }: Pick<NodeResult, 'items'>, length = 1) {
	expect(service.listGiven(items)).toEqual(Array(length).fill('own'));
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

describe('Certain is the address that the progress tells: an item', () => {
	beforeEach(() => {
		service.sandbox.configure({ videoUrlInDetails: true });
	});

	test('waits for no entry, and is given no other', async () => {
		service.sandbox.configure({ durations: { logDelayMs: 10_000_000 } });
		service.sandbox.addVideos('main', [{ projectId: PROJECT }]);
		service.planVideos({ processingMs: 9_000, logDelayMs: 10_000_000 });
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
		service.planVideos({ processingMs: 9_000, logDelayMs: 10_000_000 });
		const stop = leaveWhenFinished();
		const { items } = await run(GENERATE);
		stop();
		expect(items[0]?.json.videoUrl).toContain(sandbox.charges[0]?.videoId);
	});
});

describe("Rule 2: an item's video is new to it. An old entry", () => {
	test.each(['', '.toDateTime()', '.toDateTime().toJSDate()'])(
		"is told apart by 'Queued At'%s",
		async (conversion) => {
			const old = { projectId: PROJECT, createdAt: '2025-01-01T00:00:00.000Z' };
			service.sandbox.addVideos('main', [old]);
			const { items: added } = await service.run(OPERATIONS['queue.add']);
			service.sandbox.clock.advance(60_000);
			const parameters = { ...WAIT, queuedAt: `={{ $json.createdAt${conversion} }}` };
			const { queueId, createdAt } = added[0]?.json ?? {};
			expectOwn(await run(parameters, [{ queueId, createdAt, project: PROJECT }]));
		},
	);

	test('may be the own one of an item without a date that was never seen running: none is given, though there is only one', async () => {
		const [queueId = ''] = await service.queueVideos(1);
		service.sandbox.clock.advance(60_000);
		const { items } = await run(WAIT, [{ queueId, project: PROJECT }]);
		expect(items[0]?.json).toMatchObject({ video: null, videoUrl: null });
		const { error } = await run({ ...WAIT, downloadVideo: true }, [{ queueId, project: PROJECT }]);
		expect(error?.description).toMatch(
			/Its video may be the newest video of project .* Find it in /,
		);
	});
});

test('Rule 3: an item without a date that an earlier try of Retry On Fail found running is given its own', async () => {
	service.sandbox.addVideos('main', [
		{ id: 'old', projectId: PROJECT, createdAt: '2025-01-01T00:00:00.000Z' },
	]);
	service.planVideos(30.5);
	const [queueId = ''] = await service.queueVideos(1);
	const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1_000 };
	const parameters = { ...WAIT, waitOptions: { timeout: 30 } };
	expectOwn(await run(parameters, [{ queueId, project: PROJECT }], settings));
});

describe('Where the dates of videos are of another clock than those of queue items, or of another zone,', () => {
	const advice = /two clocks: .*Queue > Add, followed by Queue > Wait without 'Queued At'/;
	beforeEach(() => {
		service.sandbox.configure({ logAheadMs: -2 * 3_600_000 });
	});

	test('the file of a row is not downloaded, and the error says what to do', async () => {
		const { error } = await run({ ...GENERATE, downloadVideo: true });
		expect(error?.description).toMatch(advice);
	});

	test('a row is not given its video, and what the hint says gives each row its own, also just after it', async () => {
		const { items, run: execution } = await run(GENERATE);
		expect(items).toMatchObject([{ json: { video: null } }]);
		const [{ hints = [] } = {}] = execution.data.resultData.runData['Video Generation'] ?? [];
		expect(hints).toMatchObject([{ message: expect.stringMatching(advice) as string }]);
		passTime(120_000);
		const { items: added } = await service.run(OPERATIONS['queue.add']);
		const parameters = { ...WAIT, projectId: byId(PROJECT) };
		expectOwn(await run(parameters, [{ queueId: added[0]?.json.queueId }]));
	});
});

describe('Rule 4: the list that settles an item shows its video. A log that', () => {
	test('lags by far more is not waited for: the item comes out without a video', async () => {
		service.planVideos({ processingMs: 9_000, logDelayMs: 10_000_000 });
		const { items } = await run(GENERATE);
		expect(items[0]?.json).toMatchObject({
			status: 'completed',
			video: null,
			videoUrl: null,
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
		expect(error?.description).toContain('the list of videos could not be read');
		const seconds = (service.sandbox.clock.now() - startedAt) / 1000;
		// Settled after 20 s.
		expect(seconds).toBeGreaterThan(45);
		expect(seconds).toBeLessThan(51);
	});
});

test('Rule 5: a video is not given to an item of a retry in another process, which reads what n8n keeps, if it was given to another', async () => {
	const { sandbox } = service;
	// The second item is still made when the first execution ends, long before the third video.
	service.planVideos(20, 100);
	const waitOptions = { timeout: '={{ $json.timeout }}', videosAtOnce: 2 };
	const parameters = { ...GENERATE, waitOptions };
	const items = [{ timeout: 1_800 }, { timeout: 60 }];
	const first = await service.run(parameters, { items });
	expect(first.error?.message).toBe('The video was not finished within 60 seconds');
	sandbox.clock.advance(600_000);
	passTime(600_000);
	const retry = { items, failed: first.run, loadNodes: loadPackageAnew };
	expectOwn(await service.run(parameters, retry), 2);
});

test("A retry with the word that was missing in 'Completed Statuses' is given its own video, though the try before took the item for running", async () => {
	const { sandbox } = service;
	sandbox.addFault({ kind: 'statusWord', word: 'fertig', operation: 'queue.getProgress' });
	service.planVideos(15);
	const first = await run({ ...GENERATE, waitOptions: { timeout: 120 } });
	expect(first.error?.description).toContain('"fertig"');
	const retried = { ...GENERATE, waitOptions: { completedStatuses: 'fertig' } };
	const retry = await service.run(retried, { failed: first.run });
	expectOwn(retry);
});

test('None, though there must be one: a service that lists its videos late gives no row the late video of one before it, though finished items leave the queue', async () => {
	service.planVideos(
		{ processingMs: 5_000, logDelayMs: 30_000 },
		{ processingMs: 25_000, logDelayMs: 10_000_000 },
	);
	const stop = leaveWhenFinished();
	const { items } = await run(GENERATE, [{}, {}]);
	stop();
	expect(items.map(({ json }) => json.video)).toEqual([null, null]);
});

describe('An item that has left the queue (404 for 15 seconds)', () => {
	test('is given the only video that can be its own', async () => {
		service.planVideos(9);
		service.sandbox.configure({ endedItemsLeaveAfterMs: 0 });
		expectOwn(await run(GENERATE));
		// After 10, 15, 20 and 25 seconds, and twice while it waits for the list.
		expect(service.countSent('queue.getProgress')).toBe(1 + 4 + 2);
	});

	test('is given it after another execution was stopped, whose video is listed by then', async () => {
		service.sandbox.configure({ endedItemsLeaveAfterMs: 0, durations: { processingMs: 20_000 } });
		const [, next] = await playTogether(service.sandbox, [
			service.begin(GENERATE, { stopAfterMs: 10_000 }),
			service.begin(GENERATE, { afterMs: 40_000 }),
		]);
		expectOwn({ items: next?.result.items ?? [] });
	});

	test('comes out with the address that another wait for it has seen, though no list shows its video', async () => {
		service.planVideos({ processingMs: 20_000, logDelayMs: 10_000_000 });
		service.sandbox.configure({ videoUrlInDetails: true, endedItemsLeaveAfterMs: 6_000 });
		const { items } = await service.run(OPERATIONS['queue.add']);
		const waits = [5, 60].map((pollingInterval) => {
			const parameters = { ...WAIT, waitOptions: { pollingInterval } };
			return service.begin(parameters, { items: items.map(({ json }) => json) });
		});
		const endings = await playTogether(service.sandbox, waits);
		const urls = endings.flatMap(({ result }) => result.items.map(({ json }) => json.videoUrl));
		expect(urls).toEqual(Array(2).fill(expect.stringContaining('/files/')));
	});

	test('fails when no video appears, long before the timeout, and the error says so', async () => {
		const { sandbox } = service;
		service.planVideos(600);
		const stop = sandbox.onRequest(() => {
			const [charge] = sandbox.charges;
			if (!charge || sandbox.clock.now() < charge.at + 15_000) return;
			stop();
			sandbox.clear(charge.queueId);
		});
		const { errorItems } = await run(GENERATE, [{}], ERROR_OUTPUT);
		const [charge] = sandbox.charges;
		expect(errorItems[0]?.json).toMatchObject({
			error: 'The queue item is no longer in the queue, and no new video appeared',
			message: expect.stringMatching(/deleted or is finished.*Video > Get Many/) as string,
			details: { queueId: charge?.queueId, lastStatus: 'processing' },
		});
		// Cleared after 15 s, gone for 15 s, and the listing delay.
		expect(sandbox.clock.now() - (charge?.at ?? 0)).toBeLessThan(46_500);
	});

	test('fails when it is there again and has failed, and is given no other video', async () => {
		const { sandbox } = service;
		service.planVideos(22);
		sandbox.changeProject(PROJECT, { fails: true });
		const operation = 'queue.getProgress';
		// Gone after 10, 15, 20 and 25 seconds, and there again while the list is waited for.
		sandbox.addFault({ kind: 'status', status: 404, operation, skip: 1, times: 4 });
		const stop = sandbox.onRequest(({ operation: requested }) => {
			if (requested !== operation || service.countSent(operation) < 5) return;
			stop();
			const createdAt = new Date(sandbox.clock.now()).toISOString();
			sandbox.addVideos('main', [{ projectId: PROJECT, createdAt }]);
		});
		const { errorItems, items } = await run(GENERATE, [{}], ERROR_OUTPUT);
		expect(items).toEqual([]);
		expect(errorItems[0]?.json).toMatchObject({
			error: 'The video could not be generated',
			details: { lastStatus: 'failed' },
		});
	});
});

test('The list of videos is read in time for all items that begin to wait together, however soon they are finished', async () => {
	service.planVideos(0.5, 0.5, 0.5);
	const projects = [PROJECT, TOUR, 'project-launch-film'];
	const parameters = { ...OPERATIONS['queue.add'], projectId: byId('={{ $json.project }}') };
	const rows = projects.map((project) => ({ project }));
	const { items: added } = await service.run(parameters, { items: rows });
	const items = added.map(({ json }, row) => ({ ...json, ...rows[row] }));
	expectOwn(await run(WAIT, items), 3);
});
