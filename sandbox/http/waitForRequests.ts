import type { Operation } from '../domain/Operation';
import type { RequestLog } from './createRequestLog';
import type { RecordedRequest } from './RecordedRequest';

interface Wanted {
	count: number;
	operation?: Operation;
	timeoutMs?: number;
}

/**
 * Waits until `count` requests (of one operation, if it is given) have been received.
 *
 * @throws Error after `timeoutMs` of real time
 */
export async function waitForRequests(
	log: RequestLog,
	{ count, operation, timeoutMs = 5000 }: Wanted,
): Promise<RecordedRequest[]> {
	const select = () =>
		log.list().filter((request) => operation === undefined || request.operation === operation);
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
			reject(
				new Error(
					`${select().length} of ${count} requests (${operation ?? 'any'}) within ${timeoutMs} ms`,
				),
			);
		}, timeoutMs);
		check();
	});
}
