import type { Operation } from '../domain/model';

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
	/** The video of the queue item of an add or a check, which its queue id alone does not tell (`reuseQueueIds`). */
	videoId?: string;
	/** The progress that a check found, and how many entries a list of videos had, whatever the reply said. */
	details?: { status: string; videoUrl?: string | undefined };
	listed?: number;
	/** The kinds of the faults that affected it. */
	faults?: string[];
	/** Sandbox time. */
	at: number;
	/** When the reply was complete, or the connection was closed. */
	endedAt?: number;
	/** Status of the reply, once its head has been sent. */
	status?: number;
	/** Whether the client closed the connection before the reply was complete. */
	closed?: boolean;
	/** Whether a fault broke the connection. */
	broken?: boolean;
}

interface WantedRequests {
	count: number;
	operation?: Operation;
	/** Timeout in real time; 5000 by default. */
	timeoutMs?: number;
}

type Listener = (request: RecordedRequest) => void;

/** Limits the memory of a sandbox that is polled for days. */
const MAX_REQUESTS = 10_000;

/** Records requests, oldest first. */
export class RequestLog {
	list: RecordedRequest[] = [];

	private readonly listeners = new Set<Listener>();

	add(request: RecordedRequest): void {
		this.list.push(request);
		if (this.list.length > MAX_REQUESTS) this.list.shift();
	}

	/** Tells the listeners of a request that has been read, before it is processed. */
	announce(request: RecordedRequest): void {
		for (const listener of this.listeners) listener(request);
	}

	/** @returns a function that removes the listener */
	listen(listener: Listener): () => void {
		this.listeners.add(listener);
		return () => this.listeners.delete(listener);
	}

	/** @throws Error after `timeoutMs` */
	async waitFor({ count, operation, timeoutMs = 5000 }: WantedRequests): Promise<void> {
		const countReceived = () =>
			this.list.filter((each) => operation === undefined || each.operation === operation).length;
		await new Promise<void>((resolve, reject) => {
			const stopListening = this.listen(() => {
				if (countReceived() >= count) end(resolve);
			});
			const timeout = setTimeout(() => {
				const what = `requests (${operation ?? 'any operation'})`;
				const message = `${countReceived()} of ${count} ${what} within ${timeoutMs} ms`;
				end(() => {
					reject(new Error(message));
				});
			}, timeoutMs);
			const end = (settle: () => void) => {
				stopListening();
				clearTimeout(timeout);
				settle();
			};
			if (countReceived() >= count) end(resolve);
		});
	}
}
