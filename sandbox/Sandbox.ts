import type { SandboxRoute } from './control/context';
import type { Controls } from './control/controls';
import type { RecordedRequest, WantedRequests } from './control/requestLog';
import type { Clock } from './domain/clock';
import type { Charge } from './domain/model';
import type { SEED_ACCOUNTS } from './domain/SEED_ACCOUNTS';
import type { SEED_PROJECTS } from './domain/SEED_PROJECTS';
import type { Outcome } from './faults/Fault';

/** A running sandbox as a test sees it. */
export interface Sandbox extends Controls {
	/** Base URL, without a trailing slash. */
	readonly url: string;
	readonly port: number;
	/** Base URL of the same service over HTTPS; undefined without a certificate. */
	readonly tlsUrl: string | undefined;
	/** Key of the main account. */
	readonly apiKey: string;
	readonly accounts: typeof SEED_ACCOUNTS;
	readonly projects: typeof SEED_PROJECTS;
	readonly clock: Clock;
	/** Accepted adds since the start or the last `reset`, in order. */
	readonly charges: readonly Charge[];
	/** Requests since the start, the last `clearRequests` or `reset`, oldest first. */
	readonly requests: readonly RecordedRequest[];
	/**
	 * Calls `listener` with each request that has been read, before it is processed.
	 *
	 * @returns a function that removes the listener
	 */
	onRequest(listener: (request: RecordedRequest) => void): () => void;
	/**
	 * Calls `listener` with each request's outcome, just before it is sent. A reply's body can be a
	 * stream, which only the client may read.
	 *
	 * @returns a function that removes the listener
	 */
	onReply(listener: (request: RecordedRequest, outcome: Outcome) => void): () => void;
	/**
	 * Waits until the wanted number of requests has been received.
	 *
	 * @throws Error after `timeoutMs` (5000 by default) of real time
	 */
	waitForRequests(wanted: WantedRequests): Promise<RecordedRequest[]>;
	/** All routes, in fastify's notation. */
	readonly routes: readonly SandboxRoute[];
	/** Stops listening and breaks open connections. */
	close(): Promise<void>;
}
