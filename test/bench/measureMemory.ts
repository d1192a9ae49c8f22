const SAMPLE_MS = 5;

export interface MemoryMeasure<T> {
	result: T;
	seconds: number;
	/** Memory of this process before, and at the most (bytes). */
	idleBytes: number;
	peakBytes: number;
}

/** Does some work, and looks at the memory of this process all the while. */
export async function measureMemory<T>(work: () => Promise<T>): Promise<MemoryMeasure<T>> {
	global.gc?.();
	const idleBytes = process.memoryUsage.rss();
	let peakBytes = idleBytes;
	const sampling = setInterval(() => {
		peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
	}, SAMPLE_MS);
	const startedAt = performance.now();
	try {
		const result = await work();
		const seconds = (performance.now() - startedAt) / 1000;
		return { result, seconds, idleBytes, peakBytes };
	} finally {
		clearInterval(sampling);
	}
}
