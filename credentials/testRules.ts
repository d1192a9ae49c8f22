import type { ICredentialTestRequest } from 'n8n-workflow';

const NOT_THE_SERVICE =
	"This is not the address of the video generation service. Check 'Base URL'.";

const REDIRECTED =
	"The address redirects, and the key is never sent to another address. Enter the new address in 'Base URL'.";

const COPY_KEY = 'Copy the key again from the developers page of your account.';

const REFUSED = `The service does not accept this key. ${COPY_KEY}`;

/** n8n shows no rule the body of an HTTP error, so the text names both who may have answered. */
const DENIED = `The service does not accept this key, or a firewall or a login page in front of it refuses n8n. ${COPY_KEY} If it is right, ask those who run the service or your network to let n8n through.`;

const byStatus = (message: string, ...statuses: number[]) =>
	statuses.map((value) => ({ type: 'responseCode', properties: { value, message } }));

const byBody = (message: string, key: string, value: unknown) => ({
	type: 'responseSuccessBody',
	properties: { key, value, message },
});

/**
 * A test passes unless a rule matches, and a rule on the body matches when the key's value is exactly the
 * rule's. So a web page is recognized by the account's missing fields, which are `undefined`.
 */
export const credentialTestRules = [
	...byStatus(REDIRECTED, 301, 302, 303, 307, 308),
	...byStatus(DENIED, 401, 403),
	...byStatus(NOT_THE_SERVICE, 404, 405),
	byBody(NOT_THE_SERVICE, 'status', undefined),
	byBody(REFUSED, 'status', 'error'),
	byBody(NOT_THE_SERVICE, 'usage', undefined),
] as ICredentialTestRequest['rules'];
