import type { IPollFunctions } from 'n8n-workflow';
import { isSendableKey, trimApiKey } from '../../../credentials/connection';
import type { RequestFailure } from '../failures/failure';
import { CREDENTIAL } from './request';

const HIDDEN = '[API key]';
const MAX_MESSAGE_LENGTH = 300;

/**
 * Removes the key from the service's message and from the address of a redirect, where a service may
 * repeat it, and shortens the message.
 */
export async function hideKey(
	context: Pick<IPollFunctions, 'getCredentials'>,
	failure: RequestFailure,
): Promise<RequestFailure> {
	const { serviceMessage, location, receivedText } = failure.facts;
	if ([serviceMessage, location, receivedText].every((text) => text === undefined)) return failure;
	const { apiKey } = await context
		.getCredentials<{ apiKey?: unknown }>(CREDENTIAL)
		.catch(() => ({ apiKey: '' }));
	const key = trimApiKey(apiKey);
	const hide = (text: string) =>
		isSendableKey(key)
			? text.replaceAll(key, HIDDEN).replaceAll(encodeURIComponent(key), HIDDEN)
			: text;
	return failure.with({
		...(serviceMessage === undefined ? {} : { serviceMessage: shorten(hide(serviceMessage)) }),
		...(receivedText === undefined
			? {}
			: { receivedText: hide(receivedText).slice(0, MAX_MESSAGE_LENGTH) }),
		...(location === undefined ? {} : { location: hide(location) }),
	});
}

function shorten(text: string): string {
	return text.length > MAX_MESSAGE_LENGTH ? `${text.slice(0, MAX_MESSAGE_LENGTH - 1)}…` : text;
}
