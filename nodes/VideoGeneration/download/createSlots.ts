/**
 * A few are enough to fill a line and to pass over a slow host. More of them finish no sooner, and
 * where n8n is set to keep files in memory, each file on its way is held there as a whole.
 */
export const DOWNLOADS_AT_ONCE = 4;

/** Does some work once a slot is free. */
export type TakeSlot = <T>(work: () => Promise<T>) => Promise<T>;

/** Lets so many works run at the same time, in the order in which they come. */
export function createSlots(count: number): TakeSlot {
	const waiting: (() => void)[] = [];
	let free = count;
	return async (work) => {
		if (free > 0) free -= 1;
		else await new Promise<void>((resolve) => waiting.push(resolve));
		try {
			return await work();
		} finally {
			const next = waiting.shift();
			if (next) next();
			else free += 1;
		}
	};
}
