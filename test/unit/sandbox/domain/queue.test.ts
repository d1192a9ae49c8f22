import type { Account } from '../../../../sandbox/domain/model';
import { addQueueItem } from '../../../../sandbox/domain/queue';
import { clearQueueItem } from '../../../../sandbox/domain/queue';
import { createStore } from '../../../../sandbox/domain/store';
import { endQueueItem } from '../../../../sandbox/domain/queue';
import { getQueueItem } from '../../../../sandbox/domain/queue';
import { listVideos } from '../../../../sandbox/domain/lists';
import { SEED_PROJECTS } from '../../../../sandbox/domain/SEED_PROJECTS';
import type { Store } from '../../../../sandbox/domain/store';

const NOW = Date.parse('2026-01-15T12:00:00.000Z');
const { teaser, costly, failing, foreign } = SEED_PROJECTS;

let store: Store;
let main: Account;
let other: Account;

beforeEach(() => {
	store = createStore({ seed: 1, credits: 4 });
	main = pickAccount('main');
	other = pickAccount('other');
});

function pickAccount(id: string): Account {
	const account = store.accounts.get(id);
	if (!account) throw new Error(`No account ${id}`);
	return account;
}
const add = (projectId: string = teaser.id, now = NOW) =>
	addQueueItem(store, main, { projectId }, now);

describe('adding to the queue', () => {
	it('takes the cost of the project from the credits', () => {
		add();
		expect(main.credits).toBe(3);
		add(costly.id);
		expect(main.credits).toBe(0);
	});
	it('is refused without enough credits, and then costs nothing', () => {
		add();
		add();
		expect(() => add(costly.id)).toThrow(
			expect.objectContaining({ code: 'insufficientCredits' }) as Error,
		);
		expect(main.credits).toBe(2);
		expect(store.queue.size).toBe(2);
	});
	it.each([foreign.id, 'no-project', ''])('is refused for project "%s"', (projectId) => {
		expect(() => add(projectId)).toThrow(
			expect.objectContaining({ code: 'invalidInput' }) as Error,
		);
		expect(main.credits).toBe(4);
	});
	it('keeps what was asked for', () => {
		const input = { projectId: teaser.id, overwriteSettings: true, customPrompt: 'A cat' };
		expect(addQueueItem(store, main, input, NOW)).toMatchObject(input);
	});
	it('is charged for good, whatever becomes of the item', () => {
		const input = { projectId: costly.id, overwriteSettings: true, customPrompt: 'A cat' };
		const { queueId, videoId } = addQueueItem(store, main, input, NOW);
		const plain = add(teaser.id, NOW + 1);
		clearQueueItem(store, main, queueId, NOW + 2);
		store.settings.endedItemsLeaveAfterMs = 0;
		listVideos(store, main, NOW + 9000);
		expect(store.queue.size).toBe(0);
		expect(store.charges).toEqual([
			{ ...input, queueId, accountId: 'main', cost: 3, at: NOW, videoId },
			{
				...{ queueId: plain.queueId, accountId: 'main', projectId: teaser.id },
				...{ customPrompt: null, overwriteSettings: false, cost: 1, at: NOW + 1 },
				videoId: plain.videoId,
			},
		]);
	});
	it("takes the project's durations before the sandbox's", () => {
		store.settings.durations.pendingMs = 10;
		store.projects.set(teaser.id, { ...teaser, durations: { renderingMs: 20 } });
		expect(add().durations).toEqual({
			...{ pendingMs: 10, processingMs: 4000, renderingMs: 20 },
			logDelayMs: 0,
		});
	});
});

describe('a queue item', () => {
	it('is unknown to every account but its own', () => {
		const { queueId } = add();
		const notFound = expect.objectContaining({ code: 'notFound' }) as Error;
		expect(() => getQueueItem(store, other, queueId, NOW)).toThrow(notFound);
		expect(() => {
			clearQueueItem(store, other, queueId, NOW);
		}).toThrow(notFound);
		expect(getQueueItem(store, main, queueId, NOW).queueId).toBe(queueId);
	});
	it('is gone for good when it is cleared, and never becomes a video', () => {
		const { queueId } = add();
		clearQueueItem(store, main, queueId, NOW + 7999);
		expect(() => getQueueItem(store, main, queueId, NOW + 9000)).toThrow('not found');
		expect(listVideos(store, main, NOW + 9000)).toEqual([]);
	});
	it('leaves its video when it is cleared after its end, also if nobody has looked before', () => {
		const { queueId, videoId } = add();
		clearQueueItem(store, main, queueId, NOW + 8000);
		expect(listVideos(store, main, NOW + 8000)).toMatchObject([{ id: videoId }]);
	});
	it('stays readable after its end', () => {
		const { queueId } = add();
		expect(getQueueItem(store, main, queueId, NOW + 9e9).queueId).toBe(queueId);
	});
	it('leaves the queue some time after its end where the store is set to that', () => {
		store.settings.endedItemsLeaveAfterMs = 500;
		const { queueId } = add();
		const failed = add(failing.id);
		expect(getQueueItem(store, main, queueId, NOW + 8499).queueId).toBe(queueId);
		expect(() => getQueueItem(store, main, queueId, NOW + 8500)).toThrow('not found');
		expect(() => getQueueItem(store, main, failed.queueId, NOW + 8500)).toThrow('not found');
		expect(listVideos(store, main, NOW + 8500)).toHaveLength(1);
	});
	it('can be ended once', () => {
		const item = add();
		endQueueItem(store, item, 'completed', NOW + 10);
		endQueueItem(store, item, 'completed', NOW + 20);
		expect(listVideos(store, main, NOW + 30)).toMatchObject([
			{ createdAt: '2026-01-15T12:00:00.010Z' },
		]);
		expect(() => {
			endQueueItem(store, item, 'failed', NOW + 40);
		}).toThrow(expect.objectContaining({ code: 'conflict' }) as Error);
	});
});

describe('the video log', () => {
	it('gets one entry for each completed item, at the time of its end', () => {
		const { videoId } = add();
		expect(listVideos(store, main, NOW + 7999)).toEqual([]);
		const log = {
			...{ id: videoId, url: null, projectId: teaser.id },
			createdAt: '2026-01-15T12:00:08.000Z',
		};
		expect(listVideos(store, main, NOW + 9_000)).toEqual([log]);
		expect(listVideos(store, main, NOW + 10_000)).toEqual([log]);
		expect(listVideos(store, other, NOW + 10_000)).not.toContainEqual(log);
	});
	it('gets nothing for a failed item', () => {
		add(failing.id);
		expect(listVideos(store, main, NOW + 9e9)).toEqual([]);
	});
	it('lists videos in the order of their ends, not of their orders', () => {
		const [slow, fast] = [add(), add()];
		fast.durations.renderingMs = 0;
		expect(listVideos(store, main, NOW + 9000).map(({ id }) => id)).toEqual([
			fast.videoId,
			slow.videoId,
		]);
	});
	it('can be written by another clock, in whole seconds', () => {
		Object.assign(store.settings, { logClockSkewMs: -3_999, logWholeSeconds: true });
		add();
		expect(listVideos(store, main, NOW + 8000)).toMatchObject([
			{ createdAt: '2026-01-15T12:00:04Z' },
		]);
	});
	it('can be late, even for an item that has left the queue', () => {
		store.settings.endedItemsLeaveAfterMs = 0;
		store.settings.durations.logDelayMs = 1000;
		const { queueId, videoId } = add();
		expect(() => getQueueItem(store, main, queueId, NOW + 8000)).toThrow('not found');
		expect(listVideos(store, main, NOW + 8999)).toEqual([]);
		expect(listVideos(store, main, NOW + 9000)).toMatchObject([
			{ id: videoId, createdAt: '2026-01-15T12:00:09.000Z' },
		]);
		expect(store.queue.size).toBe(0);
	});
});

it('the same seed makes the same store and the same ids, whatever the order of the ends', () => {
	const replay = (seed: number) => {
		store = createStore({ seed });
		main = pickAccount('main');
		const items = [add(), add()];
		return { foreign: listVideos(store, pickAccount('other'), NOW), items };
	};
	expect(replay(3)).toEqual(replay(3));
	expect(replay(3)).not.toEqual(replay(4));
});
