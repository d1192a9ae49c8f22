import type { IPollFunctions } from 'n8n-workflow';
import { normalizeApiKey } from './normalizeApiKey';
import { CREDENTIAL } from './requestDefaults';
import { RequestFailure } from '../failures/requestFailure';

const HIDDEN = '[API key]';
/** Fewer characters of a key than that tell nothing of it. */
const SHORTEST_PART = 4;

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
		forms.reduce((hidden, form) => hidden && hideForm(hidden, form), text);
	return new RequestFailure(kind, {
		...facts,
		...('serviceMessage' in facts ? { serviceMessage: hide(facts.serviceMessage) } : {}),
		...('location' in facts ? { location: hide(facts.location) } : {}),
	});
}

/** The words may have been cut, in the middle of the key, too. */
function hideForm(text: string, form: string): string {
	const hidden = text.replaceAll(form, HIDDEN);
	if (!hidden.endsWith('…')) return hidden;
	for (let length = form.length - 1; length >= SHORTEST_PART; length--) {
		const end = `${form.slice(0, length)}…`;
		if (hidden.endsWith(end)) return `${hidden.slice(0, -end.length)}${HIDDEN}…`;
	}
	return hidden;
}
