/** A single slow video must not keep the items of a project from being sent for longer. */
const KEPT_FOR_MS = 3_600_000;

/** So many videos of a project count. */
const VIDEOS_KEPT = 10;

/** More projects would be those that nobody uses any more. */
const PROJECTS_KEPT = 1_000;

/**
 * How long the last videos of each project took, by its lane, the newest last: a lane goes with its last run, and
 * the next round of a loop must know it as well.
 */
const times = new Map<string, { tookMs: number; endedAt: number }[]>();

/** How long the longest of a project's last videos took, from its add to its output; undefined where none is known. */
export function findLongestMs(key: string): number | undefined {
	const kept = listKept(key);
	return kept.length === 0 ? undefined : Math.max(...kept.map(({ tookMs }) => tookMs));
}

/** Notes how long a video took. */
export function noteTime(key: string, tookMs: number): void {
	const kept = [...listKept(key), { tookMs, endedAt: performance.now() }].slice(-VIDEOS_KEPT);
	// The project that was used last stands last.
	times.delete(key);
	times.set(key, kept);
	const [oldest] = times.keys();
	if (times.size > PROJECTS_KEPT && oldest !== undefined) times.delete(oldest);
}

/** Notes that a video took longer than a time, which says nothing if another one did as well. */
export function noteMinimum(key: string, tookMs: number): void {
	if (tookMs > (findLongestMs(key) ?? 0)) noteTime(key, tookMs);
}

function listKept(key: string) {
	const since = performance.now() - KEPT_FOR_MS;
	return (times.get(key) ?? []).filter(({ endedAt }) => endedAt > since);
}
