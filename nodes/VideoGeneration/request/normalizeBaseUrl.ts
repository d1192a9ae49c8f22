const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/i;

/**
 * The service's address as requests need it, from the "Base URL" as a person pastes it: spaces
 * around it, a missing scheme, a trailing slash, a trailing `/v1`, a query and a fragment all work.
 *
 * @returns an http or https address without a trailing slash, e.g. `https://api.example.com`
 * @throws an Error with a sentence for the user when no address can be made of it
 */
export function normalizeBaseUrl(pasted: unknown): string {
	const text = typeof pasted === 'string' ? pasted.trim() : '';
	if (text === '') {
		throw new Error(
			'The Base URL is empty. Open the Video Generation API credential and enter the address of the service in "Base URL".',
		);
	}
	const withScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(text)
		? text
		: `${LOOPBACK.test(text) ? 'http' : 'https'}://${text}`;
	const url = URL.canParse(withScheme) ? new URL(withScheme) : undefined;
	if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password) {
		throw new Error(
			'The Base URL is not a web address. Open the Video Generation API credential and enter an address like https://api.example.com in "Base URL".',
		);
	}
	const path = url.pathname.replace(/\/+$/, '').replace(/\/v1$/i, '').replace(/\/+$/, '');
	return url.origin + path;
}
