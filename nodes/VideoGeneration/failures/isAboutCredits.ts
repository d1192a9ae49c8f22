import type { RequestFailure } from './requestFailure';

/** Whether a failure is about credits: the specification leaves open how the service says so ("Errors", point 1). */
export function isAboutCredits({ kind, facts }: RequestFailure): boolean {
	if (facts.httpCode === '402') return true;
	return (
		['rejected', 'unsuccessful'].includes(kind) && /\bcredits?\b/i.test(facts.serviceMessage ?? '')
	);
}
