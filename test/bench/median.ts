/** Returns the middle value; for an even number of values, the upper of the two in the middle. */
export function median(values: number[]): number {
	return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}
