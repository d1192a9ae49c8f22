import type { Operation } from '../domain/model';
import type { Outcome } from '../faults/Fault';

/** One request as it reached the sandbox. */
export interface RecordedRequest {
	method: string;
	/** Path and query as sent, not decoded. */
	url: string;
	/** Lower-case names. */
	headers: Record<string, string | string[] | undefined>;
	/** Parsed if it is JSON, otherwise the text; undefined without a body. */
	body: unknown;
	/** Undefined for a path that is not part of the API. */
	operation: Operation | undefined;
	/** The queue item that an add created or a clear removed, whatever the reply said. */
	queueId?: string;
	/** Sandbox time. */
	at: number;
	/** Status of the reply, once its head has been sent. */
	status?: number;
	/** Whether the client closed the connection before the reply was complete. */
	closed?: boolean;
	/** Whether a fault broke the connection. */
	broken?: boolean;
}

/** The requests to wait for. */
export interface WantedRequests {
	count: number;
	operation?: Operation;
	/** Timeout in real time; 5000 by default. */
	timeoutMs?: number;
}

/** `received`: read, and not yet processed. `replied`: the outcome is about to be sent. */
type RequestEvent = 'received' | 'replied';
type Listener = (request: RecordedRequest, event: RequestEvent, outcome?: Outcome) => void;

/** Limits the memory of a sandbox that is polled for days. */
const MAX_REQUESTS = 10_000;

export type RequestLog = ReturnType<typeof createRequestLog>;

/** Records requests, oldest first, and tells listeners about them. */
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
		announce(request: RecordedRequest, event: RequestEvent, outcome?: Outcome): void {
			for (const listener of listeners) listener(request, event, outcome);
		},
		/** @returns a function that removes the listener */
		listen(listener: Listener): () => void {
			listeners.add(listener);
			return () => {
				listeners.delete(listener);
			};
		},
	};
}

/** @throws Error after `timeoutMs` */
export async function waitForRequests(
	log: RequestLog,
	{ count, operation, timeoutMs = 5000 }: WantedRequests,
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
			const what = `requests (${operation ?? 'any operation'})`;
			reject(new Error(`${select().length} of ${count} ${what} within ${timeoutMs} ms`));
		}, timeoutMs);
		check();
	});
}
