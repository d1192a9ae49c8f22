import type { Readable } from 'node:stream';

/** What goes out on the wire for one request. */
export interface Reply {
	status: number;
	/** Lower-case names. Without a `content-length`, the body's own length is announced. */
	headers: Record<string, string>;
	body: Buffer | Readable;
	/** Send the body in chunks, without announcing its length. */
	chunked?: boolean;
	/** Break the connection after the body, in place of ending the reply. */
	breaks?: boolean;
}

/** What a client meets: a reply, none at all, a reset, or bytes that are no HTTP. */
export type Outcome = Reply | 'hang' | 'reset' | { bytes: Buffer };
