import { sleep } from 'n8n-workflow';
import { RequestFailure } from '../failures/requestFailure';
import type { Passage } from './storeVideo';

/**
 * Closes a connection over which nothing more comes: n8n's timeout ends with the head of the
 * answer. The time that n8n's store takes does not count.
 *
 * @param idleMs the longest silence that is put up with; it ends after twice that time at the latest
 */
export async function watchStall(
	passage: Passage,
	idleMs: number,
	connection: AbortController,
): Promise<void> {
	let awaitedAt = -1;
	while (!connection.signal.aborted) {
		if (passage.isAwaitingHost && passage.receivedBytes === awaitedAt) {
			passage.failure ??= new RequestFailure('uncertain', { httpCode: 'ETIMEDOUT' });
			connection.abort();
			return;
		}
		awaitedAt = passage.isAwaitingHost ? passage.receivedBytes : -1;
		await sleep(idleMs, connection.signal).catch(() => undefined);
	}
}
