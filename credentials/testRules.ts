import type { ICredentialTestRequest } from 'n8n-workflow';

const NOT_THE_SERVICE =
	"This is not the address of the video generation service. Check 'Base URL'.";

const REDIRECTED =
	"The address redirects, and the key is never sent to another address. Enter the new address in 'Base URL'.";

const REFUSED =
	'The service does not accept this key. Copy it again from the developers page of your account.';

/** The texts for the statuses that a person can do something about; n8n has its own for the others. */
const TEXT_BY_STATUS = {
	...{ 301: REDIRECTED, 302: REDIRECTED, 303: REDIRECTED, 307: REDIRECTED, 308: REDIRECTED },
	...{ 401: REFUSED, 403: REFUSED, 404: NOT_THE_SERVICE, 405: NOT_THE_SERVICE },
};

/**
 * A test passes unless a rule matches, and a rule on the body matches when the key's value is exactly the
 * rule's. So a web page is recognized by the account's missing fields, which are `undefined`.
 */
export const credentialTestRules = [
	...Object.entries(TEXT_BY_STATUS).map(([status, message]) => ({
		type: 'responseCode',
		properties: { value: Number(status), message },
	})),
	...[
		{ key: 'status', value: undefined, message: NOT_THE_SERVICE },
		{ key: 'status', value: 'error', message: REFUSED },
		{ key: 'usage', value: undefined, message: NOT_THE_SERVICE },
	].map((properties) => ({ type: 'responseSuccessBody', properties })),
] as ICredentialTestRequest['rules'];
