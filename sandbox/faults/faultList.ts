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

/** The list of active faults. Each fault counts its own matching requests. */
export class FaultList {
	active: ActiveFault[] = [];

	private lastId = 0;

	/** @throws TypeError for an unknown kind */
	add(spec: FaultSpec): number {
		if (!Object.hasOwn(FAULT_KINDS, spec.kind)) {
			throw new TypeError(`A fault's kind is one of ${Object.keys(FAULT_KINDS).join(', ')}`);
		}
		const create = FAULT_KINDS[spec.kind] as (options: object) => Fault;
		this.active.push({ id: ++this.lastId, spec, seen: 0, fault: create(spec) });
		return this.lastId;
	}

	/** Counts a request, and returns the faults that affect it in the order of adding. */
	take(request: FaultedRequest): Pick<ActiveFault, 'fault' | 'spec'>[] {
		return this.active.filter((entry) => affects(entry, request));
	}
}

function affects(entry: ActiveFault, request: FaultedRequest): boolean {
	const { operation, containing, nth, skip = 0, times = Infinity }: FaultMatch = entry.spec;
	const operations: (Operation | undefined)[] = [operation ?? request.operation].flat();
	if (!operations.includes(request.operation)) return false;
	if (containing !== undefined && !request.text.includes(containing)) return false;
	entry.seen += 1;
	if (nth !== undefined) return entry.seen === nth;
	return entry.seen > skip && entry.seen <= skip + times;
}
