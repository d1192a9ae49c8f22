import type { Readable } from 'node:stream';

/** One reply on the wire. */
export interface Reply {
	status: number;
	/** Lower-case names. The body's own length is announced unless there is a `content-length`. */
	headers: Record<string, string>;
	body: Buffer | Readable;
	/** Sends the body in chunks, without a length. */
	chunked?: boolean;
	/** Breaks the connection after the body instead of ending the reply. */
	breaks?: boolean;
}

/** The outcome for the client: a reply, nothing, a reset, or bytes that are not HTTP and end the connection. */
export type Outcome = Reply | 'hang' | 'reset' | { bytes: Buffer };

/** The request as a fault sees it, and the actions of a fault besides changing the reply. */
export interface FaultContext {
	/** Sandbox time. */
	now: () => number;
	/** Waits in real time, even if the client has disconnected: a service does not notice at once. */
	wait: (ms: number) => Promise<void>;
}

type Act = (context: FaultContext) => Outcome | undefined | Promise<Outcome | undefined>;

/** A failure of the service or of the network in front of it. */
export interface Fault {
	/** Runs before the service processes the request. An outcome replaces that processing. */
	before?(context: FaultContext): ReturnType<Act>;
	/** Runs after the service has processed the request. An outcome replaces its reply. */
	after?(reply: Reply, context: FaultContext): ReturnType<Act>;
}

/** An option of faults that do not need the service's reply. */
export interface PhaseOption {
	/** `after`: the service processes the request first, so an add is accepted and paid. */
	phase?: 'before' | 'after';
}

/** Creates a fault that acts in one phase; `before` is the default. */
export function actInPhase(phase: PhaseOption['phase'], act: Act): Fault {
	return phase === 'after' ? { after: (_reply, context) => act(context) } : { before: act };
}

export function omitHeader({ headers }: Reply, name: string): Reply['headers'] {
	return Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
}
