import { sleep } from 'n8n-workflow';
import { RequestFailure } from './requestFailure';

/**
 * Waits, unless one of the signals ends the wait at once.
 *
 * Raced against the signals by hand: only newer versions of n8n's `sleep` listen to one.
 *
 * @throws a RequestFailure of the kind `cancelled`
 */
export async function waitForRetry(
	delayMs: number,
	signals: (AbortSignal | undefined)[],
): Promise<void> {
	const signal = AbortSignal.any(signals.filter((each) => each !== undefined));
	const cancelled = new Promise<void>((resolve) => {
		if (signal.aborted) resolve();
		else
			signal.addEventListener(
				'abort',
				() => {
					resolve();
				},
				{ once: true },
			);
	});
	await Promise.race([sleep(delayMs, signal).catch(() => undefined), cancelled]);
	if (signal.aborted) throw new RequestFailure('cancelled');
}
