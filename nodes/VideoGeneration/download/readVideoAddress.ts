import type { FailureText } from '../failures/FailureText';
import { readText } from '../request/readText';

/**
 * The address of a video, as it stands in "Video URL" or in the service's video log.
 *
 * @returns the address, or what is wrong with it
 */
export function readVideoAddress(value: unknown): URL | FailureText {
	const text = readText(value);
	if (text === '') {
		return {
			message: '"Video URL" is empty',
			description:
				'Enter the URL of a video, as Video > Get Many returns it. If it is an expression, check that it finds a value for this item. Nothing was sent.',
		};
	}
	const url = URL.canParse(text) ? new URL(text) : undefined;
	if (url && isWebAddress(url)) return url;
	return {
		message: '"Video URL" is not a web address',
		description:
			'Enter an address that begins with http:// or https:// and holds neither user name nor password, such as the URL that Video > Get Many returns. Nothing was sent.',
	};
}

/** Whether something may be asked for there. A user name or a password would be sent as a key. */
export function isWebAddress({ protocol, hostname, username, password }: URL): boolean {
	return (
		['http:', 'https:'].includes(protocol) && hostname !== '' && username === '' && password === ''
	);
}

/** An address as it may be shown: the query of a signed one is as good as a key. */
export function showAddress({ origin, pathname }: URL): string {
	return origin + pathname;
}
