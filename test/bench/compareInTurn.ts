type Measure = () => Promise<number>;

/** A figure: our time as a multiple of the time of a peer. */
interface Figure {
	name: string;
	peer: string;
	/** Maximum of the multiple. */
	limit: number;
	pairs: number;
}

function getMedian(values: number[]): number {
	return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

/**
 * Compares our code with another way, after one run of each that does not count: it fills caches and
 * compiles code. Changes of the machine's speed, and what one run does to the next, affect both.
 *
 * Prints the medians of both, in milliseconds, and of their ratio. Over its limit, the process fails.
 */
export async function compareInTurn(
	{ name, peer, limit, pairs }: Figure,
	measureOurs: Measure,
	measureOther: Measure,
): Promise<void> {
	for (const warmUp of [measureOurs, measureOther]) await warmUp();
	const ours: number[] = [];
	const other: number[] = [];
	for (let pair = 0; pair < pairs; pair++) {
		if (pair % 2 === 0) ours.push(await measureOurs());
		other.push(await measureOther());
		if (pair % 2 === 1) ours.push(await measureOurs());
	}
	const ratio = getMedian(ours.map((each, pair) => each / (other[pair] ?? NaN)));
	const [ourMs, otherMs] = [ours, other].map((values) => getMedian(values).toFixed(1));
	const isGood = ratio <= limit;
	const times = `${ourMs} ms, ${peer} ${otherMs} ms. ${ratio.toFixed(2)} times`;
	console.log(`${name}: ${times}, limit ${limit}: ${isGood ? 'good' : 'OVER THE LIMIT'}`);
	if (!isGood) process.exitCode = 1;
}
