interface Provided {
	/** The node binary, and the script of n8n to run with it. */
	node: string;
	n8n: string;
	/** A user folder of n8n that contains only the packed package; each test's n8n gets a copy. */
	template: string;
}

/** Returns the paths of the installation that `npm run test:e2e` made before it started jest. */
export function readProvided(): Provided {
	const kept = process.env.VIDEO_GENERATION_E2E;
	if (!kept) throw new Error('Run these tests with "npm run test:e2e"');
	return JSON.parse(kept) as Provided;
}
