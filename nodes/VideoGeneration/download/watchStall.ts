import { sleep } from 'n8n-workflow';
import { RequestFailure } from '../failures/requestFailure';
import type { Passage } from './storeVideo';

/** Slower than any line that a video is sent over. */
const LEAST_BYTES_A_SECOND = 1024;

/**
 * Closes a connection over which nothing more comes, or next to nothing: n8n's timeout ends with the head
 * of the answer. The time that n8n's store takes does not count.
 *
 * @param idleMs the longest silence that is put up with; it ends after twice that time at the latest
 */
export async function watchStall(
	passage: Passage,
	idleMs: number,
	connection: AbortController,
): Promise<void> {
	let before: Passage | undefined;
	while (!connection.signal.aborted) {
		if (before?.isAwaitingHost && passage.isAwaitingHost && isTooLittle(before, passage, idleMs)) {
			const slow = passage.receivedBytes > before.receivedBytes ? { found: 'tooSlow' } : {};
			passage.failure ??= new RequestFailure('uncertain', { httpCode: 'ETIMEDOUT', ...slow });
			connection.abort();
			return;
		}
		before = { ...passage };
		await sleep(idleMs, connection.signal).catch(() => undefined);
	}
}

function isTooLittle(before: Passage, now: Passage, passedMs: number): boolean {
	const awaitedMs = passedMs - (now.storeMs - before.storeMs);
	return now.receivedBytes - before.receivedBytes < (awaitedMs / 1000) * LEAST_BYTES_A_SECOND;
}
