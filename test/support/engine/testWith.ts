import type { INode } from 'n8n-workflow';
import * as n8nCore from 'n8n-core';
import * as n8nWorkflow from 'n8n-workflow';

/** No sign of its own: n8n's engine holds rules about hosts by itself since about the same version. */
const HAS_CREDENTIAL_RULES = 'getCredentialOwnRequestAllowedDomains' in n8nWorkflow;

/**
 * What is not there in every engine that the tests run in: where it is, and what users of the others
 * have instead (the README's table says so), or why it is not tested there.
 */
const FEATURES = {
	errorDetails: {
		isThere: 'redactedHeaders' in n8nWorkflow,
		instead: 'a failed item is `{ error: { message, details }, message }`',
	},
	durableCursors: {
		isThere: 'PollTriggerExecutor' in n8nCore,
		instead: "the trigger keeps its state in the workflow's static data only",
	},
	pollBudget: {
		isThere: 'getPollBudgetMs' in n8nCore.PollContext.prototype,
		instead: 'n8n sets no time limit for a poll',
	},
	errorCauses: {
		isThere: new n8nWorkflow.NodeApiError({} as INode, new Error() as never).cause !== undefined,
		instead: 'the credential test has stock texts of n8n for HTTP statuses',
	},
	/** No sign of its own, either: since about the same version. */
	halfFiles: {
		isThere: 'redactedHeaders' in n8nWorkflow,
		instead: 'the stored part of a file that breaks off is deleted with its execution only',
	},
	outputSchemas: {
		isThere: 'loadOutputSchema' in n8nCore,
		untested: "n8n's server looks the schemas up, and not its engine",
	},
	ownCalls: {
		isThere: HAS_CREDENTIAL_RULES,
		instead: 'agents of version 2 and older cannot use a credential that HTTP Request may not use',
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

/** A test that needs a feature; without it, it is skipped, and its name says why. */
export function testWith(feature: Feature, name: string, run: () => Promise<void>): void {
	const { isThere, ...reasons } = FEATURES[feature];
	if (isThere) test(name, run);
	else if ('instead' in reasons) test.skip(`${name} (not here: ${reasons.instead})`, run);
	else test.skip(`${name} (not tested here: ${reasons.untested})`, run);
}
