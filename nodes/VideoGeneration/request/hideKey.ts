import type { IPollFunctions } from 'n8n-workflow';
import { normalizeApiKey } from './normalizeApiKey';
import { CREDENTIAL } from './requestDefaults';
import { RequestFailure } from './requestFailure';

/** A service may repeat the key in its own words, or in a link: it is taken out before anyone is told. */
export async function hideKey(
	context: Pick<IPollFunctions, 'getCredentials'>,
	failure: RequestFailure,
): Promise<RequestFailure> {
	const { apiKey } = await context
		.getCredentials<{ apiKey?: unknown }>(CREDENTIAL)
		.catch(() => ({ apiKey: '' }));
	const key = normalizeApiKey(apiKey);
	// Any other one was never sent.
	if (!/^[\x21-\x7e]+$/.test(key)) return failure;
	const forms = [key, encodeURIComponent(key)];
	const { kind, facts } = failure;
	const hide = (text: string | undefined) =>
		forms.reduce((hidden, form) => hidden?.replaceAll(form, '[API key]'), text);
	return new RequestFailure(kind, {
		...facts,
		...('serviceMessage' in facts ? { serviceMessage: hide(facts.serviceMessage) } : {}),
		...('location' in facts ? { location: hide(facts.location) } : {}),
	});
}
