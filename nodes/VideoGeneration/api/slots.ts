import { pause } from './pause';

/**
 * As much work begins without a break: to prepare a request takes n8n up to a millisecond. It is
 * counted, since what begins in one go does most of its work only after all of it has begun.
 */
const MAX_BEGUN = 8;

/** Does some work once a slot is free. */
export type TakeSlot = <T>(work: () => T | Promise<T>) => Promise<T>;

/**
 * Limits how much work is done at the same time; the rest waits in its order. Thousands of items may
 * ask at once, so there are breaks in which n8n does other work.
 */
export function createSlots(count: number): TakeSlot {
	const waiting: (() => void)[] = [];
	let free = count;
	let begun = 0;
	let nextBreak: Promise<void> | undefined;
	const takeBreak = async () => {
		nextBreak ??= pause(1).then(() => {
			begun = 0;
			nextBreak = undefined;
		});
		await nextBreak;
	};
	return async (work) => {
		if (free > 0) free -= 1;
		else await new Promise<void>((resolve) => waiting.push(resolve));
		try {
			while (begun >= MAX_BEGUN) await takeBreak();
			begun += 1;
			return await work();
		} finally {
			const next = waiting.shift();
			if (next) next();
			else free += 1;
			if (free === count) begun = 0;
		}
	};
}
