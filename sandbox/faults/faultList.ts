import type { Operation } from '../domain/model';
import type { Fault } from './Fault';
import { FAULT_KINDS, type FaultMatch, type FaultSpec } from './FaultSpec';

interface FaultedRequest {
	operation: Operation | undefined;
	/** Raw path, query and body, in which `containing` is searched. */
	text: string;
}

interface ActiveFault {
	id: number;
	spec: FaultSpec;
	/** Number of matching requests so far. */
	seen: number;
	fault: Fault;
}

export type FaultList = ReturnType<typeof createFaultList>;

/** Creates the list of active faults. Each fault counts its own matching requests. */
export function createFaultList() {
	let lastId = 0;
	let active: ActiveFault[] = [];
	return {
		/** @throws TypeError for an unknown kind */
		add(spec: FaultSpec): number {
			if (!Object.hasOwn(FAULT_KINDS, spec.kind)) {
				throw new TypeError(`A fault's kind is one of ${Object.keys(FAULT_KINDS).join(', ')}`);
			}
			const create = FAULT_KINDS[spec.kind] as (options: object) => Fault;
			active.push({ id: ++lastId, spec, seen: 0, fault: create(spec) });
			return lastId;
		},
		remove(id: number): void {
			active = active.filter((entry) => entry.id !== id);
		},
		clear(): void {
			active = [];
		},
		list(): { id: number; spec: FaultSpec; seen: number }[] {
			return active.map(({ id, spec, seen }) => ({ id, spec, seen }));
		},
		/** Counts a request, and returns the faults that affect it in the order of adding. */
		take(request: FaultedRequest): Fault[] {
			return active.filter((entry) => affects(entry, request)).map(({ fault }) => fault);
		},
	};
}

function affects(entry: ActiveFault, request: FaultedRequest): boolean {
	const { operation, containing, nth, skip = 0, times = Infinity }: FaultMatch = entry.spec;
	if (operation !== undefined) {
		const operations: (Operation | undefined)[] = [operation].flat();
		if (!operations.includes(request.operation)) return false;
	}
	if (containing !== undefined && !request.text.includes(containing)) return false;
	entry.seen += 1;
	if (nth !== undefined) return entry.seen === nth;
	return entry.seen > skip && entry.seen <= skip + times;
}
