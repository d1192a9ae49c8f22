import { getItemState } from '../../../sandbox/domain/lifeCycle';
import { DEFAULT_SETTINGS } from '../../../sandbox/domain/settings';
import { useSandboxClient } from '../../support/sandbox/useSandboxClient';

const running = (status: string, generationProgress: number, renderProgress: number) => ({
	status,
	generationProgress,
	renderProgress,
	endedAt: null,
});
const ended = (status: string, progress: [number, number], endedAt: number) => ({
	...running(status, ...progress),
	endedAt,
});

test.each([
	['completed', 999, running('pending', 0, 0)],
	['completed', 1000, running('processing', 0, 0)],
	['completed', 4999, running('processing', 99, 0)],
	['completed', 5000, running('rendering', 100, 0)],
	['completed', 7250, running('rendering', 100, 75)],
	['completed', 8000, ended('completed', [100, 100], 58_000)],
	['failed', 3399, running('processing', 59, 0)],
	['failed', 3400, ended('failed', [60, 0], 53_400)],
] as const)('The state of an item that ends as %s, after %i ms', (outcome, ageMs, state) => {
	const { durations } = DEFAULT_SETTINGS;
	const item = { startsAt: 50_000, durations, outcome, finishedAt: null };
	expect(getItemState(item, item.startsAt + ageMs)).toEqual(state);
});

const service = useSandboxClient();
const advance = (ms: number) => {
	service.sandbox.clock.advance(ms);
};
const clear = async (queueId: string) => await service.client.post('/v1/queue/clear', { queueId });

describe('A queue item', () => {
	test('never becomes a video when it is cleared while it runs', async () => {
		const queueId = await service.queue();
		advance(7999);
		await clear(queueId);
		advance(1000);
		expect(await service.getStatus(queueId)).toBe(404);
		expect(await service.listVideos()).toEqual([]);
	});

	test('leaves its video when it is cleared after its end, even if the clear is the first request', async () => {
		const queueId = await service.queue();
		advance(8000);
		await clear(queueId);
		expect(await service.listVideos()).toHaveLength(1);
	});

	test('waits for its turn when the service makes one at a time', async () => {
		service.sandbox.configure({ maxAtOnce: 1 });
		const first = await service.queue();
		const second = await service.queue();
		const third = await service.queue();
		advance(8000);
		expect(await service.getStatus(first)).toBe('completed');
		expect(await service.getStatus(second)).toBe('pending');
		advance(1000);
		expect(await service.getStatus(second)).toBe('processing');
		await clear(second);
		advance(7999);
		expect(await service.getStatus(third)).toBe('rendering');
		advance(1);
		expect(await service.getStatus(third)).toBe('completed');
	});
});

describe('The video log', () => {
	test('gets one entry for each completed item, with the time of its end', async () => {
		await service.queue();
		await service.queue(service.sandbox.projects.failing.id);
		const [{ videoId, projectId } = { videoId: '', projectId: '' }] = service.sandbox.charges;
		advance(7999);
		expect(await service.listVideos()).toEqual([]);
		const url = `${service.sandbox.url}/files/${videoId}.mp4`;
		for (const ms of [1001, 1000]) {
			advance(ms);
			expect(await service.listVideos()).toEqual([
				{ id: videoId, url, projectId, createdAt: '2026-01-15T12:00:08.000Z' },
			]);
		}
	});

	test('can be late, even for an item that has left the queue', async () => {
		service.sandbox.configure({ endedItemsLeaveAfterMs: 0, durations: { logDelayMs: 1000 } });
		const queueId = await service.queue();
		advance(8000);
		expect(await service.getStatus(queueId)).toBe(404);
		advance(999);
		expect(await service.listVideos()).toEqual([]);
		advance(1);
		expect(await service.listVideos()).toMatchObject([{ createdAt: '2026-01-15T12:00:09.000Z' }]);
		expect(service.sandbox.readState().queue).toEqual([]);
	});
});
