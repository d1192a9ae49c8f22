import type { Controls } from './control/createControls';
import type { Charge } from './domain/Charge';
import type { Clock } from './domain/Clock';
import type { SEED_ACCOUNTS } from './domain/SEED_ACCOUNTS';
import type { SEED_PROJECTS } from './domain/SEED_PROJECTS';
import type { RecordedRequest } from './control/RecordedRequest';
import type { SandboxRoute } from './control/SandboxRoute';
import type { WantedRequests } from './control/waitForRequests';

/** A running sandbox, in the hands of a test. */
export interface Sandbox extends Controls {
	/** Base URL, without a slash at its end. */
	readonly url: string;
	readonly port: number;
	/** Key of the main account. */
	readonly apiKey: string;
	readonly accounts: typeof SEED_ACCOUNTS;
	readonly projects: typeof SEED_PROJECTS;
	readonly clock: Clock;
	/** Every accepted add since the start or the last `reset`, in order. */
	readonly charges: readonly Charge[];
	/** What has been received since the start, the last `clearRequests` or `reset`, oldest first. */
	readonly requests: readonly RecordedRequest[];
	/** Calls `listener` with each request when it has been read, before anything answers it. */
	onRequest(listener: (request: RecordedRequest) => void): () => void;
	/**
	 * Waits until as many such requests have been received as are wanted.
	 *
	 * @throws Error after `timeoutMs` (5000 by default) of real time
	 */
	waitForRequests(wanted: WantedRequests): Promise<RecordedRequest[]>;
	/** Every route, in fastify's notation. */
	readonly routes: readonly SandboxRoute[];
	/** Stops listening and breaks every open connection. */
	close(): Promise<void>;
}
