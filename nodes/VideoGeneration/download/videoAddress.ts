import { toText } from '../api/response';

/**
 * The address of a video, from "Video URL" or from the service's video log.
 *
 * @returns undefined unless it is an address that can be requested
 */
export function parseVideoAddress(value: unknown): URL | undefined {
	const text = toText(value);
	if (!URL.canParse(text)) return undefined;
	const url = new URL(text);
	return isWebAddress(url) ? url : undefined;
}

/** Whether it is http(s), with a host. A user name or a password in it would be sent as a key. */
export function isWebAddress({ protocol, hostname, username, password }: URL): boolean {
	return /^https?:$/.test(protocol) && hostname !== '' && username === '' && password === '';
}

/** The address as errors show it: the query of a signed address is as good as a key. */
export function hideQuery({ origin, pathname }: URL): string {
	return origin + pathname;
}
