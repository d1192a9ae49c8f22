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

const WARM_UPS = 3;

/** Medians: of both ways in milliseconds, and of our time as a multiple of the other one. */
interface Times {
	ourMs: number;
	otherMs: number;
	ratio: number;
}

/**
 * Measures our code and another way in turn, after runs that do not count: they fill caches and compile code.
 * Changes of the machine's speed, and what one run does to the next, affect both.
 */
export async function measureInTurn(
	pairs: number,
	measureOurs: Measure,
	measureOther: Measure,
): Promise<Times> {
	for (let run = 0; run < WARM_UPS; run++) {
		await measureOurs();
		await measureOther();
	}
	const ours: number[] = [];
	const other: number[] = [];
	for (let pair = 0; pair < pairs; pair++) {
		if (pair % 2 === 0) ours.push(await measureOurs());
		other.push(await measureOther());
		if (pair % 2 === 1) ours.push(await measureOurs());
	}
	const ratio = getMedian(ours.map((each, pair) => each / (other[pair] ?? NaN)));
	return { ourMs: getMedian(ours), otherMs: getMedian(other), ratio };
}

/** Prints the medians of measurements. Over its limit, the process fails. */
export function reportTimes({ name, peer, limit }: Omit<Figure, 'pairs'>, measured: Times[]): void {
	const get = (key: keyof Times) => getMedian(measured.map((times) => times[key]));
	const ratio = get('ratio');
	const isGood = ratio <= limit;
	const times = `${get('ourMs').toFixed(1)} ms, ${peer} ${get('otherMs').toFixed(1)} ms. ${ratio.toFixed(2)} times`;
	console.log(`${name}: ${times}, limit ${limit}: ${isGood ? 'good' : 'OVER THE LIMIT'}`);
	if (!isGood) process.exitCode = 1;
}

/** Measures both in turn in this process, and prints it. */
export async function compareInTurn(
	figure: Figure,
	measureOurs: Measure,
	measureOther: Measure,
): Promise<void> {
	reportTimes(figure, [await measureInTurn(figure.pairs, measureOurs, measureOther)]);
}
