/** The key alone, from a paste that may carry spaces, a line break or the word "Bearer". */
export function normalizeApiKey(pasted: unknown): string {
	return typeof pasted === 'string' ? pasted.trim().replace(/^Bearer\s+/i, '') : '';
}
