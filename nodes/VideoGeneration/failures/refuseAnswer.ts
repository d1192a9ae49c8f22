import { RequestFailure } from './requestFailure';

/** Why an answer is not taken in: it has more than it may. */
export function refuseAnswer(
	found: 'tooLarge' | 'tooDeep' | 'tooManyParts',
	limit: string,
): RequestFailure {
	return new RequestFailure('unreadable', { httpCode: '200', found, limit });
}
