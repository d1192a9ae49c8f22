/** What is not there in every engine that the tests run in: where, and what is there instead. */
const FEATURES = {
	pollBudget: {
		isMissing: isOldest,
		instead: 'the oldest n8n never gives up on a poll, so there is no time to keep to',
	},
	ownCalls: {
		isMissing: isOldest,
		instead:
			"the oldest n8n keeps an agent's own calls from a credential that HTTP Request may not use",
	},
	hostRules: {
		isMissing: isOldest,
		instead: "the oldest n8n's rules about hosts are in its server, and not in the engine",
	},
};

/** A test that needs a feature; without it, it is skipped, and its name says why. */
export function testWith(
	feature: keyof typeof FEATURES,
	name: string,
	run: () => Promise<void>,
): void {
	const { isMissing, instead } = FEATURES[feature];
	if (isMissing()) test.skip(`${name} (not here: ${instead})`, run);
	else test(name, run);
}

function isOldest(): boolean {
	return process.env.VIDEO_GENERATION_OLDEST !== undefined;
}
