import type { Operation } from '../domain/Operation';

/** One request as it reached the sandbox. */
export interface RecordedRequest {
	method: string;
	/** Path and query as they were sent, nothing decoded. */
	url: string;
	/** Lower-case names. */
	headers: Record<string, string | string[] | undefined>;
	/** Parsed where it is JSON, otherwise the text; undefined without a body. */
	body: unknown;
	/** Undefined for a path that is none of the API's. */
	operation: Operation | undefined;
	/** By the sandbox's clock. */
	at: number;
	/** By this machine's clock. */
	realAt: number;
	/** Of the reply, once its head went out. */
	status?: number;
	/** True when the client went away before the reply was complete. */
	closed?: boolean;
	/** True when a fault broke the connection. */
	broken?: boolean;
}
