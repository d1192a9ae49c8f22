import { getItemState } from '../../../sandbox/domain/lifeCycle';
import { useSandboxClient } from '../../support/sandbox/useSandboxClient';

const DURATIONS = {
	pendingMs: 1000,
	processingMs: 4000,
	renderingMs: 2000,
	logDelayMs: 0,
	urlDelayMs: 0,
};
const ITEM = {
	startsAt: 50_000,
	durations: DURATIONS,
	outcome: 'completed',
	finishedAt: null,
} as const;

const running = (status: string, generationProgress: number, renderProgress: number) => ({
	...{ status, generationProgress, renderProgress, endedAt: null },
});
const completed = (endedAt: number) => ({
	...{ status: 'completed', generationProgress: 100, renderProgress: 100, endedAt },
});

describe('The state of a queue item', () => {
	it.each([
		[0, running('pending', 0, 0)],
		[999, running('pending', 0, 0)],
		[1000, running('processing', 0, 0)],
		[3000, running('processing', 50, 0)],
		[4999, running('processing', 99, 0)],
		[5000, running('rendering', 100, 0)],
		[6500, running('rendering', 100, 75)],
		[7000, completed(57_000)],
		[9e9, completed(57_000)],
	])('after %i ms', (ageMs, state) => {
		expect(getItemState(ITEM, ITEM.startsAt + ageMs)).toEqual(state);
	});

	it('is failed from the middle of processing when the generation fails', () => {
		const item = { ...ITEM, outcome: 'failed' } as const;
		expect(getItemState(item, 53_399)).toEqual(running('processing', 59, 0));
		for (const now of [53_400, 9e9]) {
			expect(getItemState(item, now)).toEqual({
				...{ status: 'failed', generationProgress: 60, renderProgress: 0, endedAt: 53_400 },
			});
		}
	});
});

const service = useSandboxClient();
const advance = (ms: number) => {
	service.sandbox.clock.advance(ms);
};
const getItems = () => service.sandbox.readState().queue;

describe('A queue item', () => {
	it('never becomes a video when it is cleared while it runs', async () => {
		const queueId = await service.queue();
		advance(7999);
		await service.client.post('/v1/queue/clear', { queueId });
		advance(1000);
		expect(await service.getStatus(queueId)).toBe(404);
		expect(await service.listVideos()).toEqual([]);
	});
	it('leaves its video when it is cleared after its end, even if the clear is the first request', async () => {
		const queueId = await service.queue();
		advance(8000);
		await service.client.post('/v1/queue/clear', { queueId });
		expect(await service.listVideos()).toHaveLength(1);
	});
	it('waits for its turn when the service makes one at a time', async () => {
		service.sandbox.configure({ maxAtOnce: 1 });
		const [first, second, third] = [
			await service.queue(),
			await service.queue(),
			await service.queue(),
		];
		advance(8000);
		expect(await service.getStatus(first)).toBe('completed');
		expect(await service.getStatus(second)).toBe('pending');
		advance(1000);
		expect(await service.getStatus(second)).toBe('processing');
		await service.client.post('/v1/queue/clear', { queueId: second });
		advance(7999);
		expect(await service.getStatus(third)).toBe('rendering');
		advance(1);
		expect(await service.getStatus(third)).toBe('completed');
	});
	it('ends once', async () => {
		const queueId = await service.queue();
		for (const ms of [10, 10]) {
			advance(ms);
			service.sandbox.finish(queueId);
		}
		expect(await service.listVideos()).toMatchObject([{ createdAt: '2026-01-15T12:00:00.010Z' }]);
		const failed = await service.queue(service.sandbox.projects.failing.id);
		advance(9000);
		expect(() => {
			service.sandbox.finish(failed);
		}).toThrow(expect.objectContaining({ code: 'conflict' }) as Error);
	});
});

describe('The video log', () => {
	it('gets one entry for each completed item, with the time of its end', async () => {
		await service.queue();
		await service.queue(service.sandbox.projects.failing.id);
		const [{ videoId } = { videoId: '' }] = getItems();
		advance(7999);
		expect(await service.listVideos()).toEqual([]);
		const log = {
			id: videoId,
			url: `${service.sandbox.url}/files/${videoId}.mp4`,
			projectId: service.sandbox.projects.teaser.id,
			createdAt: '2026-01-15T12:00:08.000Z',
		};
		for (const ms of [1001, 1000]) {
			advance(ms);
			expect(await service.listVideos()).toEqual([log]);
		}
	});
	it('lists videos in the order in which they were finished', async () => {
		await service.queue();
		const fast = await service.queue();
		service.sandbox.changeQueueItem(fast, { durations: { renderingMs: 0 } });
		const [first, second] = getItems();
		advance(9000);
		const ids = (await service.listVideos()).map(({ id }) => id);
		expect(ids).toEqual([second?.videoId, first?.videoId]);
	});
	it('can be late, even for an item that has left the queue', async () => {
		service.sandbox.configure({ endedItemsLeaveAfterMs: 0, durations: { logDelayMs: 1000 } });
		const queueId = await service.queue();
		advance(8000);
		expect(await service.getStatus(queueId)).toBe(404);
		advance(999);
		expect(await service.listVideos()).toEqual([]);
		advance(1);
		expect(await service.listVideos()).toMatchObject([{ createdAt: '2026-01-15T12:00:09.000Z' }]);
		expect(getItems()).toEqual([]);
	});
});

it('Every accepted add is charged once and forever', async () => {
	const { costly, teaser } = service.sandbox.projects;
	const prompt = { projectId: costly.id, overwriteSettings: true, customPrompt: 'A cat' };
	const queueId = (await service.add(prompt)).data.newQueueItem.queueId;
	await service.add({ projectId: 'unknown' });
	await service.queue();
	const [one, two] = getItems();
	await service.client.post('/v1/queue/clear', { queueId });
	service.sandbox.configure({ endedItemsLeaveAfterMs: 0 });
	advance(9000);
	const at = Date.parse('2026-01-15T12:00:00.000Z');
	const charges = [
		{ ...prompt, queueId, accountId: 'main', cost: 3, at, videoId: one?.videoId },
		{
			...{ projectId: teaser.id, overwriteSettings: false, customPrompt: null },
			...{ queueId: two?.queueId, accountId: 'main', cost: 1, at, videoId: two?.videoId },
		},
	];
	expect(getItems()).toEqual([]);
	expect(service.sandbox.charges).toEqual(charges);
	service.sandbox.reset();
	expect(service.sandbox.charges).toEqual([]);
});
