import type { FAULT_KINDS } from './FAULT_KINDS';
import type { FaultMatch } from './FaultMatch';

type Kinds = typeof FAULT_KINDS;

/** A fault as it is asked for: its kind, the options of that kind, and the requests it concerns. */
export type FaultSpec = {
	[Kind in keyof Kinds]: { kind: Kind } & FaultMatch & Parameters<Kinds[Kind]['create']>[0];
}[keyof Kinds];
