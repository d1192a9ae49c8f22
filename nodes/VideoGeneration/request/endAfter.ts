/** By the signal that a request listens to: a signal of time alone may be collected as garbage before its time. */
const deadlines = new WeakMap<AbortSignal, AbortSignal>();

/**
 * A signal that ends a request after a time, whatever is on its way then: n8n's own timeout is over
 * with the head of the answer, or starts anew with each byte. Nothing has to be cleaned up when the
 * request is over.
 *
 * @param signal ends it earlier
 */
export function endAfter(delayMs: number, signal: unknown): AbortSignal {
	const deadline = AbortSignal.timeout(delayMs);
	const end = AbortSignal.any(signal instanceof AbortSignal ? [signal, deadline] : [deadline]);
	deadlines.set(end, deadline);
	return end;
}
