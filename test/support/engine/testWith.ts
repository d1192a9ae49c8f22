import type { INode } from 'n8n-workflow';
import * as n8nCore from 'n8n-core';
import * as n8nWorkflow from 'n8n-workflow';

/**
 * The features below have no indicator of their own: n8n's engine applies rules about hosts since
 * about the version that has this function.
 */
const HAS_CREDENTIAL_RULES = 'getCredentialOwnRequestAllowedDomains' in n8nWorkflow;

/**
 * Features that some of the tested engines lack: whether this engine has the feature, and what
 * users of the others have instead (the README says so), or why it is not tested there.
 */
const FEATURES = {
	errorDetails: {
		isThere: 'redactedHeaders' in n8nWorkflow,
		instead: 'Failed items have [another form](docs/errors.md#a-failed-item)',
	},
	durableCursors: {
		isThere: 'PollTriggerExecutor' in n8nCore,
		instead: 'No [durable cursors](docs/trigger.md#if-n8n-is-killed)',
	},
	pollBudget: {
		// The method is on the instances, not on their prototype.
		isThere: n8nCore.PollContext.toString().includes('getPollBudgetMs'),
		instead: 'Polls have no time limit',
	},
	errorCauses: {
		isThere: new n8nWorkflow.NodeApiError({} as INode, new Error() as never).cause !== undefined,
		instead: "The credential test shows n8n's own texts",
	},
	/** This feature has no indicator of its own, either: it exists since about the same version. */
	halfFiles: {
		isThere: 'redactedHeaders' in n8nWorkflow,
		instead: 'Incomplete files stay in storage until their execution is deleted',
	},
	outputSchemas: {
		isThere: 'loadOutputSchema' in n8nCore,
		untested: "n8n's server looks the schemas up, and not its engine",
	},
	ownCalls: {
		isThere: HAS_CREDENTIAL_RULES,
		instead:
			"Agents up to version 2 can't use a credential whose **Allowed HTTP Request Domains** is **None**",
	},
	hostRules: {
		isThere: HAS_CREDENTIAL_RULES,
		untested: 'rules about hosts are in the server of n8n, if anywhere, and not in its engine',
	},
};

type Feature = keyof typeof FEATURES;

export function hasFeature(feature: Feature): boolean {
	return FEATURES[feature].isThere;
}

/** Returns the features that the tested engine lacks. */
export function listMissingFeatures(): string[] {
	return Object.keys(FEATURES).filter((feature) => !hasFeature(feature as Feature));
}

/**
 * Defines a test that needs a feature. Without the feature, the test is skipped, and its name says
 * why.
 */
export function testWith(feature: Feature, name: string, run: () => Promise<void>): void {
	const { isThere, ...reasons } = FEATURES[feature];
	if (isThere) test(name, run);
	else if ('instead' in reasons) test.skip(`${name} (not here: ${reasons.instead})`, run);
	else test.skip(`${name} (not tested here: ${reasons.untested})`, run);
}
