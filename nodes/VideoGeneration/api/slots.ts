/** Does some work once a slot is free. */
export type TakeSlot = <T>(work: () => Promise<T>) => Promise<T>;

/** Limits how much work is done at the same time; the rest waits in its order. */
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
