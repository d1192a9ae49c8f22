/** What n8n's engine has learnt since the oldest n8n that is supported: what the oldest one does instead. */
const NEWER_FEATURES = {
	pollBudget: 'it never gives up on a poll, so there is no time to keep to',
	hostRules: 'its rules about hosts are in its server, and not in the engine',
};

/** A test that needs a feature; on the oldest n8n it is skipped, and its name says why. */
export function testWith(
	feature: keyof typeof NEWER_FEATURES,
	name: string,
	run: () => Promise<void>,
): void {
	if (process.env.VIDEO_GENERATION_OLDEST === undefined) test(name, run);
	else test.skip(`${name} (not on the oldest n8n: ${NEWER_FEATURES[feature]})`, run);
}
