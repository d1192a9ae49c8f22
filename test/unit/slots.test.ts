import { setImmediate } from 'node:timers/promises';
import { createSlots } from '../../nodes/VideoGeneration/api/pacing';

describe('Slots', () => {
	it('do so much work at the same time, in its order, and go on after an error', async () => {
		const takeSlot = createSlots(3);
		const begun: number[] = [];
		let working = 0;
		let most = 0;
		const results = await Promise.allSettled(
			Array.from({ length: 30 }, async (_, index) => {
				await takeSlot(async () => {
					begun.push(index);
					working += 1;
					most = Math.max(most, working);
					await setImmediate();
					working -= 1;
					if (index === 4) throw new Error('one of them fails');
				});
			}),
		);
		expect(begun).toEqual([...begun.keys()]);
		expect(begun).toHaveLength(30);
		expect(most).toBe(3);
		expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1);
	});

	it.each([
		[
			'work that takes a while, with a slot for each',
			1_000,
			async () => {
				await setImmediate();
			},
		],
		['work that is done at once, with one slot', 1, () => undefined],
	])('let n8n do something else between %s', async (_, count, work) => {
		const takeSlot = createSlots(count);
		let begun = 0;
		const all = Array.from({ length: 200 }, async () => {
			await takeSlot(() => {
				begun += 1;
				return work();
			});
		});
		const begunInTurns = [begun];
		for (let before = begun; begun < all.length; before = begun) {
			await setImmediate();
			begunInTurns.push(begun - before);
		}
		await Promise.all(all);
		expect(Math.max(...begunInTurns)).toBeLessThanOrEqual(8);
	});
});
