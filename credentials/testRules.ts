import type { ICredentialTestRequest } from 'n8n-workflow';

const REDIRECTED =
	"The address redirects, and the key is never sent to another address. Enter the new address in 'Base URL'.";
const FAILING =
	'The service is not working at the moment, so the key could not be checked. Try again later.';
const NOT_THE_SERVICE =
	"This is not the address of the video generation service. Check 'Base URL'.";

const TEXT_BY_STATUS: Record<number, string> = {
	301: REDIRECTED,
	302: REDIRECTED,
	303: REDIRECTED,
	307: REDIRECTED,
	308: REDIRECTED,
	400: "The service refused the request for the account (400). Check 'API Key' and 'Base URL'.",
	401: 'The service does not accept this key. Copy it again from the developers page of your account.',
	403: 'The service does not allow this key to read the account. Copy the key again from the developers page of your account.',
	404: "There is no video generation service at this address (404). Check 'Base URL'.",
	405: NOT_THE_SERVICE,
	429: 'The service is receiving too many requests. Wait a minute and test again.',
	500: FAILING,
	502: FAILING,
	503: FAILING,
	504: FAILING,
};

/**
 * The credential test's texts for each response. A test passes unless a rule matches, and a rule on
 * the body matches when the key's value is exactly the rule's. So a web page is recognized by the
 * account's missing fields, which are `undefined`.
 */
export const credentialTestRules = [
	...Object.entries(TEXT_BY_STATUS).map(([status, message]) => ({
		type: 'responseCode',
		properties: { value: Number(status), message },
	})),
	...[
		{ key: 'status', value: undefined, message: NOT_THE_SERVICE },
		{
			key: 'status',
			value: 'error',
			message: "The service did not return the account. Check 'API Key'.",
		},
		{ key: 'usage', value: undefined, message: NOT_THE_SERVICE },
	].map((properties) => ({ type: 'responseSuccessBody', properties })),
] as ICredentialTestRequest['rules'];
