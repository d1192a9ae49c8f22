import type { RecordedRequest } from './RecordedRequest';

/** A sandbox that is polled for days keeps the newest requests only. */
const MAX_REQUESTS = 10_000;

/** `received`: read, and not answered yet. `left`: its client went away before the answer. */
type RequestEvent = 'received' | 'left';
type Listener = (request: RecordedRequest, event: RequestEvent) => void;

export type RequestLog = ReturnType<typeof createRequestLog>;

/** The requests that were received, oldest first, and those who want to hear of each. */
export function createRequestLog() {
	let requests: RecordedRequest[] = [];
	const listeners = new Set<Listener>();
	return {
		list: (): readonly RecordedRequest[] => requests,
		clear(): void {
			requests = [];
		},
		add(request: RecordedRequest): void {
			requests.push(request);
			if (requests.length > MAX_REQUESTS) requests.shift();
		},
		announce(request: RecordedRequest, event: RequestEvent): void {
			for (const listener of listeners) listener(request, event);
		},
		/** @returns a function that stops it */
		listen(listener: Listener): () => void {
			listeners.add(listener);
			return () => {
				listeners.delete(listener);
			};
		},
	};
}
