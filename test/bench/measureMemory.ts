const SAMPLE_MS = 5;

export interface MemoryMeasure<T> {
	result: T;
	seconds: number;
	/** Memory of this process before the work, and its peak (bytes). */
	idleBytes: number;
	peakBytes: number;
}

/** Does some work, and samples the memory of this process meanwhile. */
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
