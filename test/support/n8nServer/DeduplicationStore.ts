import type {
	DeduplicationItemTypes,
	DeduplicationScope,
	ICheckProcessedContextData,
	ICheckProcessedOptions,
	IDataDeduplicator,
	IDeduplicationOutput,
} from 'n8n-workflow';
import { DataDeduplicationService } from 'n8n-core';

/**
 * n8n's store of processed entries, in memory. Like n8n's own ("DeduplicationHelper"), it reads a node's
 * record, and then writes it as a whole, so that two calls at once can lose an entry; it drops the
 * oldest entries behind `maxEntries`. Differences: no database, and no hashes.
 */
export class DeduplicationStore {
	private readonly records = new Map<string, string[]>();

	/** Numbers of the calls that fail, from 1. */
	failingCalls = new Set<number>();

	/** Numbers of the calls that another worker overwrites, if they record a key for the first time. */
	overwrittenCalls = new Set<number>();

	/** Numbers of the calls during which another worker inserts the node's first record. */
	overtakenCalls = new Set<number>();

	private readonly recorded = new Set<string>();

	calls = 0;

	/** How many calls were made of rows of nodes, and of workflows. */
	readonly callsOf = { node: 0, workflow: 0 };

	/** Carries out a call, a moment after it has begun. */
	later = (delayMs: number, action: () => void): void => {
		setTimeout(action, delayMs);
	};

	/** Called with a row after it was written. */
	onWrite: (entries: readonly string[]) => void = () => undefined;

	/** Called when a call is carried out, which fails with what it throws. */
	checkCaller: () => void = () => undefined;

	/** Makes all nodes of this process use this store. */
	use(): this {
		// The engine accepts a store only once.
		Object.assign(DataDeduplicationService, { instance: undefined });
		void DataDeduplicationService.init(this as unknown as IDataDeduplicator);
		return this;
	}

	async checkProcessedAndRecord(
		items: DeduplicationItemTypes[],
		scope: DeduplicationScope,
		context: ICheckProcessedContextData,
		{ maxEntries }: ICheckProcessedOptions,
	): Promise<IDeduplicationOutput> {
		const name = this.getName(scope, context);
		const before = await this.read(name);
		const call = this.calls;
		if (this.overtakenCalls.has(call)) {
			this.records.set(name, [...before, `other ${call}`]);
			throw new Error('SQLITE_CONSTRAINT: UNIQUE constraint failed: processed_data.context');
		}
		const isNew = (item: DeduplicationItemTypes) => !before.includes(String(item));
		const added = items.filter(isNew);
		const after = [...before, ...added.map(String)];
		if (maxEntries !== undefined) after.splice(0, after.length - maxEntries);
		const isFirst = added.some((item) => !this.recorded.has(String(item)));
		for (const item of added) this.recorded.add(String(item));
		// The other worker had read the record before this one wrote it.
		const isOverwritten = isFirst && this.overwrittenCalls.has(call);
		this.write(name, isOverwritten ? [...before, `other ${call}`] : after);
		return { new: added, processed: items.filter((item) => !isNew(item)) };
	}

	async removeProcessed(
		items: DeduplicationItemTypes[],
		scope: DeduplicationScope,
		context: ICheckProcessedContextData,
	): Promise<void> {
		const name = this.getName(scope, context);
		const before = await this.read(name);
		const removed = new Set(items.map(String));
		this.write(
			name,
			before.filter((entry) => !removed.has(entry)),
		);
	}

	/** Fills the record of a workflow's node, which has the ID `nodeId`. The first keys are the oldest. */
	fill(workflowId: string, nodeId: string, count: number): void {
		const keys = Array.from({ length: count }, (_, index) => `key-${index}`);
		this.records.set(`${workflowId} n:${nodeId}`, keys);
	}

	private async read(name: string): Promise<string[]> {
		this.calls += 1;
		const call = this.calls;
		const record = this.records.get(name) ?? [];
		await new Promise<void>((resolve) => {
			this.later(0, resolve);
		});
		this.checkCaller();
		if (this.failingCalls.has(call)) throw new Error('Connection terminated unexpectedly');
		return record;
	}

	private write(name: string, entries: string[]): void {
		this.records.set(name, entries);
		this.onWrite(entries);
	}

	private getName(
		scope: DeduplicationScope,
		{ workflow, node }: ICheckProcessedContextData,
	): string {
		this.callsOf[scope] += 1;
		if (!workflow.id) throw new Error('The expression evaluated to a falsy value');
		return `${workflow.id} ${scope === 'node' ? `n:${node?.id ?? ''}` : ''}`;
	}
}
