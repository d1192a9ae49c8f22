const LONGEST_MESSAGE = 300;

/**
 * The service's own words in an error body. The specification shows `message` for one endpoint and
 * nothing for the others ("Errors", point 2), so the usual places are looked at.
 *
 * @returns one line of at most 300 characters without markup, or undefined
 */
export function readServiceMessage(body: unknown): string | undefined {
	if (typeof body !== 'object' || body === null) return undefined;
	const { message, error, detail } = body as Record<string, unknown>;
	const nested =
		typeof error === 'object' && error !== null && 'message' in error ? error.message : undefined;
	const words = [message, error, nested, detail].find(
		(value) => typeof value === 'string' && value.trim() !== '',
	);
	if (typeof words !== 'string') return undefined;
	const line = words
		.replace(/<[^>]*>/g, ' ')
		.replace(/[\s\p{Cc}]+/gu, ' ')
		.trim();
	return line.length > LONGEST_MESSAGE ? `${line.slice(0, LONGEST_MESSAGE - 1)}…` : line;
}
