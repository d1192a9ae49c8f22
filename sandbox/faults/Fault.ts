import type { FaultContext } from './FaultContext';
import type { Outcome, Reply } from './Reply';

/**
 * One way in which the service, or the net in front of it, goes wrong. A fault stands before the
 * service, where the request is then not processed, or behind it, where it was.
 */
export interface Fault {
	/** `undefined` lets the request through to the service. */
	before?(context: FaultContext): Promise<Outcome | undefined>;
	/** What goes out in place of the service's reply. */
	after?(reply: Reply, context: FaultContext): Promise<Outcome>;
}
