import type { Fault } from './Fault';

/** How a kind of fault is made: its options as JSON Schemas, so that HTTP can set it, too. */
export interface FaultKind<Options extends object> {
	readonly options: Readonly<Record<keyof Options & string, object>>;
	readonly required?: readonly (keyof Options & string)[];
	create(options: Options): Fault;
}
