import type { IDataObject } from 'n8n-workflow';
import type { StoredCursor } from './parseCursor';
import { parseCursor } from './parseCursor';
import type { VideoCursor } from './VideoCursor';

/** Static data that has already been polled with in this process: it holds what every poll has put in. */
const polledData = new WeakSet<object>();

/**
 * Where n8n keeps the cursor: the node's static data. There are two kinds of it.
 *
 * - Plain static data is one object for as long as the workflow stays active. n8n saves it when it
 *   activates the workflow and when a poll starts an execution; what other polls put in is lost
 *   with the process.
 * - With durable cursors it is a copy for one poll. n8n saves it together with the execution, and
 *   also when there was nothing to start; but not after the poll that activates the workflow. That
 *   one's cursor is laid by in the workflow's own static data, which n8n does save then: without it
 *   the first poll by the clock would take the first video for one that was there before.
 */
export class CursorStore {
	private readonly key: string;

	private readonly own: StoredCursor;

	/**
	 * @param data the node's static data
	 * @param getWorkflowData the workflow's own static data
	 * @throws an Error when n8n holds something there that nothing can be put into
	 */
	constructor(
		private readonly data: IDataObject,
		private readonly getWorkflowData: () => IDataObject,
		nodeId: string,
	) {
		if (!isRecord(data)) throw new Error('not an object');
		this.key = `videoGenerationTrigger:${nodeId}`;
		this.own = parseCursor(data.cursor);
	}

	/** Whether no poll can have come after the one that this cursor is of. */
	get isContinuous(): boolean {
		return this.isDurable || polledData.has(this.data);
	}

	load(): StoredCursor {
		if (this.own !== 'absent' || !this.isDurable) return this.own;
		const laidBy = parseCursor(this.getHolder()?.[this.key]);
		return laidBy === 'damaged' ? 'absent' : laidBy;
	}

	/** @param isStarting whether this poll starts an execution, together with which n8n saves */
	save(cursor: VideoCursor, isStarting: boolean): void {
		if (cursor !== this.own) this.data.cursor = { ...cursor };
		polledData.add(this.data);
		const holder = this.isDurable ? this.getHolder() : undefined;
		if (holder === undefined) return;
		if (this.own !== 'absent') {
			if (this.key in holder) Reflect.deleteProperty(holder, this.key);
		} else if (!isStarting && this.load() === 'absent') {
			holder[this.key] = { ...cursor };
		}
	}

	/** n8n watches plain static data for changes, by a property that a copy has not. */
	private get isDurable(): boolean {
		return !('__dataChanged' in this.data);
	}

	/** Where a cursor can be laid by. */
	private getHolder(): IDataObject | undefined {
		const workflowData = this.getWorkflowData();
		return isRecord(workflowData) && workflowData !== this.data ? workflowData : undefined;
	}
}

function isRecord(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
