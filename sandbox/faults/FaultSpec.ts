import type { Operation } from '../domain/model';
import { BODY_FAULTS } from './body';
import { CONNECTION_FAULTS } from './connection';
import type { Fault } from './Fault';
import { FIELD_FAULTS } from './fields';
import { OTHER_REPLIES } from './otherReply';

/** Every kind of fault by its name. */
export const FAULT_KINDS = {
	...CONNECTION_FAULTS,
	...OTHER_REPLIES,
	...BODY_FAULTS,
	...FIELD_FAULTS,
};

/** The requests that a fault affects; all of them by default. */
export interface FaultMatch {
	operation?: Operation | Operation[];
	/** Only requests with this text in their raw path, query or body, such as an id. */
	containing?: string;
	/** Only the nth matching request, counted from 1. */
	nth?: number;
	/** Number of matching requests to skip first. */
	skip?: number;
	/** Maximum number of requests to affect. */
	times?: number;
}

type Kinds = typeof FAULT_KINDS;

type OptionsOf<Kind> = Kind extends (options: infer Options) => Fault ? Options : never;

/** A fault as a test or a control request describes it. */
export type FaultSpec = {
	[Kind in keyof Kinds]: { kind: Kind } & FaultMatch & OptionsOf<Kinds[Kind]>;
}[keyof Kinds];
