import type { RecordedRequest } from './RecordedRequest';

/** A sandbox that is polled for days keeps the newest requests only. */
const MAX_REQUESTS = 10_000;

export type RequestLog = ReturnType<typeof createRequestLog>;

/** The requests that were received, oldest first, and those who want to hear of each. */
export function createRequestLog() {
	let requests: RecordedRequest[] = [];
	const listeners = new Set<(request: RecordedRequest) => void>();
	return {
		list: (): readonly RecordedRequest[] => requests,
		clear(): void {
			requests = [];
		},
		add(request: RecordedRequest): void {
			requests.push(request);
			if (requests.length > MAX_REQUESTS) requests.shift();
		},
		announce(request: RecordedRequest): void {
			for (const listener of listeners) listener(request);
		},
		listen(listener: (request: RecordedRequest) => void): () => void {
			listeners.add(listener);
			return () => {
				listeners.delete(listener);
			};
		},
	};
}
