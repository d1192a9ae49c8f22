import type { Operation } from '../domain/Operation';
import { FAULT_KINDS } from './FAULT_KINDS';
import type { Fault } from './Fault';
import type { FaultKind } from './FaultKind';
import type { FaultMatch } from './FaultMatch';
import type { FaultSpec } from './FaultSpec';
import { parseFaultSpec } from './parseFaultSpec';

interface FaultedRequest {
	operation: Operation | undefined;
	/** Raw path, query and body, for `containing`. */
	text: string;
}

interface ActiveFault {
	id: number;
	spec: FaultSpec;
	/** Requests that matched so far. */
	seen: number;
	fault: Fault;
}

export type FaultList = ReturnType<typeof createFaultList>;

/** The faults that are on. Each counts its own matching requests. */
export function createFaultList() {
	let lastId = 0;
	let active: ActiveFault[] = [];
	return {
		/** @throws TypeError for an unknown kind or option */
		add(input: FaultSpec): number {
			const spec = parseFaultSpec(input);
			const kind = FAULT_KINDS[spec.kind] as FaultKind<object>;
			active.push({ id: ++lastId, spec, seen: 0, fault: kind.create(spec) });
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
		/** The faults that concern this request, in the order in which they were added. */
		take(request: FaultedRequest): Fault[] {
			return active.filter((entry) => concerns(entry, request)).map((entry) => entry.fault);
		},
	};
}

function concerns(entry: ActiveFault, request: FaultedRequest): boolean {
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
