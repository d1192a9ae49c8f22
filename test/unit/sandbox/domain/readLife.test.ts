import fc from 'fast-check';
import { getItemState } from '../../../../sandbox/domain/lifeCycle';

const DURATIONS = { pendingMs: 1000, processingMs: 4000, renderingMs: 2000, logDelayMs: 0 };
const ITEM = {
	createdAt: 50_000,
	durations: DURATIONS,
	outcome: 'completed',
	forced: null,
} as const;

const running = (status: string, generationProgress: number, renderProgress: number) => ({
	...{ status, generationProgress, renderProgress },
	endedAt: null,
});

describe("a queue item's life", () => {
	it.each([
		[0, running('pending', 0, 0)],
		[999, running('pending', 0, 0)],
		[1000, running('processing', 0, 0)],
		[3000, running('processing', 50, 0)],
		[4999, running('processing', 99, 0)],
		[5000, running('rendering', 100, 0)],
		[6500, running('rendering', 100, 75)],
		[7000, { status: 'completed', generationProgress: 100, renderProgress: 100, endedAt: 57_000 }],
		[9e9, { status: 'completed', generationProgress: 100, renderProgress: 100, endedAt: 57_000 }],
	])('after %i ms', (ageMs, life) => {
		expect(getItemState(ITEM, ITEM.createdAt + ageMs)).toEqual(life);
	});

	it('ends in the middle of processing when the generation fails', () => {
		const item = { ...ITEM, outcome: 'failed' } as const;
		expect(getItemState(item, 53_399)).toEqual(running('processing', 59, 0));
		const failed = { status: 'failed', generationProgress: 60, renderProgress: 0, endedAt: 53_400 };
		expect(getItemState(item, 53_400)).toEqual(failed);
		expect(getItemState(item, 9e9)).toEqual(failed);
	});

	it('can be ended by force, from that moment on', () => {
		const completed = { ...ITEM, forced: { outcome: 'completed', at: 52_000 } } as const;
		expect(getItemState(completed, 51_999).status).toBe('processing');
		expect(getItemState(completed, 52_000)).toMatchObject({ status: 'completed', endedAt: 52_000 });

		const failed = { ...ITEM, forced: { outcome: 'failed', at: 56_000 } } as const;
		expect(getItemState(failed, 90_000)).toEqual({
			...{ status: 'failed', generationProgress: 100, renderProgress: 50 },
			endedAt: 56_000,
		});
	});

	it('may skip every stage', () => {
		const durations = { pendingMs: 0, processingMs: 0, renderingMs: 0, logDelayMs: 0 };
		const completed = { status: 'completed', endedAt: 50_000 };
		expect(getItemState({ ...ITEM, durations }, 50_000)).toMatchObject(completed);
	});

	it('never goes back, and its progress is always a whole percentage', () => {
		const stage = fc.integer({ min: 0, max: 10_000 });
		const durations = fc.record({
			...{ pendingMs: stage, processingMs: stage, renderingMs: stage },
			logDelayMs: stage,
		});
		const order = ['pending', 'processing', 'rendering', 'completed', 'failed'];
		fc.assert(
			fc.property(durations, fc.boolean(), stage, stage, (given, fails, first, later) => {
				const item = {
					...ITEM,
					durations: given,
					outcome: fails ? 'failed' : 'completed',
				} as const;
				const before = getItemState(item, item.createdAt + first);
				const after = getItemState(item, item.createdAt + first + later);
				expect(order.indexOf(after.status)).toBeGreaterThanOrEqual(order.indexOf(before.status));
				for (const field of ['generationProgress', 'renderProgress'] as const) {
					expect(Number.isInteger(after[field])).toBe(true);
					expect(after[field]).toBeGreaterThanOrEqual(before[field]);
					expect(after[field]).toBeLessThanOrEqual(100);
				}
			}),
		);
	});
});
