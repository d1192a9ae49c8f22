type Measure = () => Promise<number>;

function getMedian(values: number[]): number {
	return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

/**
 * Compares our node with another way, after one run of each that does not count: it fills caches and
 * compiles code. Changes of the machine's speed, and what one run does to the next, affect both.
 *
 * @returns the medians of both, and of their ratio
 */
export async function compareInTurn(measureOurs: Measure, measureOther: Measure, pairs: number) {
	for (const warmUp of [measureOurs, measureOther]) await warmUp();
	const ours: number[] = [];
	const other: number[] = [];
	for (let pair = 0; pair < pairs; pair++) {
		if (pair % 2 === 0) ours.push(await measureOurs());
		other.push(await measureOther());
		if (pair % 2 === 1) ours.push(await measureOurs());
	}
	const ratios = ours.map((each, pair) => each / (other[pair] ?? NaN));
	return { ours: getMedian(ours), other: getMedian(other), ratio: getMedian(ratios) };
}
