import { pause } from './pause';

/**
 * The number of jobs that begin without a break: n8n takes up to a millisecond to prepare a request.
 * They are counted and not timed, since jobs that begin together do most of their work later.
 */
const MAX_BEGUN = 8;

/** Does some work as soon as a slot is free. */
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
