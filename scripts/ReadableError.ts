/**
 * A failure that was to be expected: its message says what happened and what to do, so it is shown
 * to the user as it is, without a stack trace.
 */
export class ReadableError extends Error {
	override readonly name = 'ReadableError';
}
