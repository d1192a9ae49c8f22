import { hashText } from './hashText';

/** 18 bits: too few to tell anything about the key, enough to notice that it is another one. */
const MARK_LENGTH = 3;

/**
 * Changes when the trigger is pointed at another account: by another key, or another service.
 * It is no proof, since a key can be replaced by a new one of the same account.
 */
export function createAccountMark(baseUrl: unknown, apiKey: unknown): string {
	return hashText(`${String(baseUrl)}\n${String(apiKey)}`).slice(0, MARK_LENGTH);
}
