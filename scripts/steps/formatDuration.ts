/** A duration as a person reads it: `3.2 s`, `4 min 10 s`. */
export function formatDuration(durationMs: number): string {
	const seconds = Math.round(durationMs / 100) / 10;
	if (seconds < 60) return `${seconds.toFixed(1)} s`;
	const whole = Math.round(durationMs / 1000);
	return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
