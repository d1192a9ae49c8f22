import type { Operation } from '../domain/Operation';
import type { RequestLog } from './createRequestLog';
import type { RecordedRequest } from './RecordedRequest';

/** Which requests to wait for. */
export interface WantedRequests {
	count: number;
	operation?: Operation;
	/** Only requests that their client has left. */
	closed?: true;
	/** Of real time; 5000 by default. */
	timeoutMs?: number;
}

/**
 * Waits until as many such requests have been received as are wanted.
 *
 * @throws Error after `timeoutMs`
 */
export async function waitForRequests(
	log: RequestLog,
	{ count, operation, closed, timeoutMs = 5000 }: WantedRequests,
): Promise<RecordedRequest[]> {
	const select = () =>
		log
			.list()
			.filter((request) => operation === undefined || request.operation === operation)
			.filter((request) => closed === undefined || request.closed === true);
	return await new Promise((resolve, reject) => {
		const check = () => {
			const received = select();
			if (received.length < count) return;
			stopListening();
			clearTimeout(timeout);
			resolve(received);
		};
		const stopListening = log.listen(check);
		const timeout = setTimeout(() => {
			stopListening();
			const what = `${closed ? 'closed ' : ''}requests (${operation ?? 'any operation'})`;
			reject(new Error(`${select().length} of ${count} ${what} within ${timeoutMs} ms`));
		}, timeoutMs);
		check();
	});
}
