/** The name of the credential type, whose `authenticate` signs every request. */
export const CREDENTIAL = 'videoGenerationApi';

/** A problem of the credential that a person has to correct: what it is, and what to do. */
export class CredentialProblem extends Error {
	constructor(
		readonly field: 'apiKey' | 'baseUrl',
		readonly problem: string,
		readonly whatToDo: string,
	) {
		super(`${problem}. ${whatToDo}`);
	}
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/i;

/**
 * The service's address, from the "Base URL" as a person pastes it: with spaces or quotes around it, without
 * a scheme, with a trailing slash, a trailing `/v1`, a query or a fragment.
 *
 * @returns an http or https address without a trailing slash, e.g. `https://api.example.com`
 * @throws a CredentialProblem when it is not an address
 */
export function parseBaseUrl(pasted: unknown): string {
	const text = trimPasted(pasted);
	if (text === '') {
		throw new CredentialProblem(
			'baseUrl',
			"'Base URL' is empty",
			'Open the Video Generation API credential and enter the address of the service.',
		);
	}
	const withScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(text)
		? text
		: `${LOOPBACK.test(text) ? 'http' : 'https'}://${text}`;
	const url = URL.canParse(withScheme) ? new URL(withScheme) : undefined;
	if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password) {
		throw new CredentialProblem(
			'baseUrl',
			"'Base URL' is not a web address",
			'Open the Video Generation API credential and enter an address like https://api.example.com.',
		);
	}
	const path = trimSlashes(trimSlashes(url.pathname).replace(/\/v1$/i, ''));
	return url.origin + path;
}

/** Removes the slashes at the end. */
function trimSlashes(path: string): string {
	let { length } = path;
	while (path[length - 1] === '/') length -= 1;
	return path.slice(0, length);
}

/** Spaces and quotes, straight or typographic, which are often copied with a text. */
const AROUND =
	/^[\s"'`\u00ab\u00bb\u2018-\u201f\u2039\u203a]{1,80}|[\s"'`\u00ab\u00bb\u2018-\u201f\u2039\u203a]{1,80}$/g;

/** A text as it is meant: without what cannot be seen, such as a soft hyphen, and without quotes around it. */
function trimPasted(pasted: unknown): string {
	if (typeof pasted !== 'string') return '';
	return pasted
		.replace(/\p{Cf}/gu, '')
		.trim()
		.replace(AROUND, '');
}

/** The key alone, from a paste that may carry quotes, a line break or the word "Bearer". */
function trimApiKey(pasted: unknown): string {
	return trimPasted(trimPasted(pasted).replace(/^Bearer\s+/i, ''));
}

/** Whether a trimmed key can stand in a header; any other key is never sent. */
function isSendableKey(key: string): boolean {
	return /^[\x21-\x7e]+$/.test(key);
}

/** @throws a CredentialProblem when the key cannot be sent */
export function parseApiKey(pasted: unknown): string {
	const key = trimApiKey(pasted);
	if (isSendableKey(key)) return key;
	throw key === ''
		? new CredentialProblem(
				'apiKey',
				"'API Key' is empty",
				'Open the Video Generation API credential and paste the key from the developers page of your account.',
			)
		: new CredentialProblem(
				'apiKey',
				"'API Key' contains characters that are not allowed, such as spaces or line breaks",
				'Copy it again from the developers page of your account.',
			);
}

/**
 * Identifies an account, however its credential was pasted.
 *
 * @throws a CredentialProblem when "Base URL" is not an address
 */
export function getAccountKey({ baseUrl, apiKey }: Record<string, unknown>): string {
	return `${parseBaseUrl(baseUrl)}\n${trimApiKey(apiKey)}`;
}
