import { createSlots } from '../../../nodes/VideoGeneration/download/createSlots';

describe('Slots', () => {
	test('let so many works run at once, the others in their order, also after a failed one', async () => {
		const takeSlot = createSlots(2);
		const ends: ((reason?: Error) => void)[] = [];
		const started: number[] = [];
		const works = [0, 1, 2, 3].map((i) =>
			takeSlot(async () => {
				started.push(i);
				await new Promise<void>((resolve, reject) => {
					ends[i] = (reason) => {
						if (reason) reject(reason);
						else resolve();
					};
				});
				return i;
			}),
		);
		expect(started).toEqual([0, 1]);
		ends[1]?.(new Error('failed'));
		await expect(works[1]).rejects.toThrow('failed');
		expect(started).toEqual([0, 1, 2]);
		ends[2]?.();
		expect(await works[2]).toBe(2);
		expect(started).toEqual([0, 1, 2, 3]);
		ends[0]?.();
		ends[3]?.();
		expect(await Promise.all([works[0], works[3]])).toEqual([0, 3]);
		const late = takeSlot(async () => await Promise.resolve('late'));
		expect(await late).toBe('late');
	});
});
