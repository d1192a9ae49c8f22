/** A duration as a person reads it: `3.2 s`, `4 min 10 s`. */
export function formatDuration(durationMs: number): string {
	const seconds = durationMs / 1000;
	if (seconds < 60) return `${seconds.toFixed(1)} s`;
	const whole = Math.round(seconds);
	return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
