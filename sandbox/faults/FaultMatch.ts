import type { Operation } from '../domain/Operation';

/** Which requests a fault concerns. Without any of these: all of them. */
export interface FaultMatch {
	operation?: Operation | Operation[];
	/** Only requests whose raw path, query or body contains this text (an id, for example). */
	containing?: string;
	/** Only the nth of the requests that match, counted from 1 when the fault was added. */
	nth?: number;
	/** Let this many matching requests through first. */
	skip?: number;
	/** Concern at most this many requests. */
	times?: number;
}
