/** The node binary, and the script of n8n to run with it. */
interface Provided {
	node: string;
	n8n: string;
}

const VARIABLE = 'VIDEO_GENERATION_E2E';

/** Tells the workers of jest what they start. */
export function keepProvided(provided: Provided): void {
	process.env[VARIABLE] = JSON.stringify(provided);
}

export function readProvided(): Provided {
	const kept = process.env[VARIABLE];
	if (!kept) throw new Error('Run these tests with "npm run test:e2e"');
	return JSON.parse(kept) as Provided;
}
