/** The name of the credential type, whose `authenticate` signs every request. */
export const CREDENTIAL = 'videoGenerationApi';

/** A problem of the credential that a person has to correct. */
export class CredentialProblem extends Error {
	constructor(
		readonly problem: string,
		readonly whatToDo: string,
	) {
		super(`${problem}. ${whatToDo}`);
	}
}

const OPEN = 'Open the Video Generation API credential and';

/** An address, with or without a scheme, on the machine of n8n, or of its container. */
const LOCAL =
	/^(https?:\/\/)?(localhost|host\.docker\.internal|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/i;

/** The end of an address that is copied from the API's documentation: its version, or one of its endpoints. */
const ENDPOINT =
	/\/v1(?:\/(?:videos|projects|user\/account|(?:videos\/)?queue\/(?:add|clear|progress.*)))?\/?$/i;

/**
 * The service's address, such as `https://api.example.com`, from the "Base URL" as a person pastes it: also with quotes,
 * without a scheme, or with a trailing slash or endpoint, a query or a fragment. @throws a CredentialProblem
 */
export function parseBaseUrl(pasted: unknown): string {
	const text = trimPasted(pasted);
	if (text === '') {
		throw new CredentialProblem("'Base URL' is empty", `${OPEN} enter the address of the service.`);
	}
	const hasScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(text);
	const isLocal = LOCAL.test(text);
	const address = hasScheme ? text : `${isLocal ? 'http' : 'https'}://${text}`;
	const url = URL.canParse(address) ? new URL(address) : undefined;
	// A name without a dot, a port or a scheme may be the key, which would be looked up, and logged. So may one with a
	// part that is longer than names can have: a signed token has dots.
	const hasHost = hasScheme || isLocal || /^[^/?#]*[.:]/.test(text);
	const isName = hasHost && !/[^.]{64}/.test(url?.hostname ?? '');
	const isWeb = url && /^https?:$/.test(url.protocol) && !url.username && !url.password;
	if (!isWeb || !isName) {
		throw new CredentialProblem(
			"'Base URL' is not a web address",
			`${OPEN} enter an address like https://api.example.com.`,
		);
	}
	const path = url.pathname
		.replace(/\/{2,}/g, '/')
		.replace(ENDPOINT, '')
		.replace(/\/$/, '');
	return url.origin + path;
}

/** Spaces and quotes, straight or typographic, which are often copied with a text. */
const AROUND =
	/^[\s"'`\u00ab\u00bb\u2018-\u201f\u2039\u203a]{1,80}|[\s"'`\u00ab\u00bb\u2018-\u201f\u2039\u203a]{1,80}$/g;

/** A text without what cannot be seen, such as a soft hyphen, and without quotes around it. */
function trimPasted(pasted: unknown): string {
	const visible = typeof pasted === 'string' ? pasted.replace(/\p{Cf}/gu, '') : '';
	return visible.trim().replace(AROUND, '');
}

/** The key, which may be pasted with quotes, a line break or "Bearer". @throws a CredentialProblem if it cannot be sent */
export function parseApiKey(pasted: unknown): string {
	const key = trimPasted(trimPasted(pasted).replace(/^Bearer\s+/i, ''));
	if (/^[\x21-\x7e]+$/.test(key)) return key;
	const problem =
		key === ''
			? 'is empty'
			: 'contains characters that are not allowed, such as spaces or line breaks';
	const whatToDo = `${OPEN} paste the key from the developers page of your account.`;
	throw new CredentialProblem(`'API Key' ${problem}`, whatToDo);
}
