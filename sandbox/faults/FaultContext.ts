/** What a fault may know of the request, and do besides changing the reply. */
export interface FaultContext {
	/** The sandbox's time. */
	now: () => number;
	/** Waits in real time, also when the client has gone: a service does not notice at once. */
	wait: (ms: number) => Promise<void>;
	/** Of a request about one queue item; otherwise undefined. */
	queueId: string | undefined;
	/** Takes an item out of the queue, if it is there; its generation goes on. */
	removeQueueItem: (queueId: string) => void;
}
