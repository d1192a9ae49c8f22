import type { FailureFacts } from './requestFailure';

/** How often a request was sent, as a word of a sentence. */
export function countTries({ tries = 1 }: FailureFacts): string {
	return tries === 1 ? 'once' : `${tries} times`;
}
