import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import type { Cursor, StoredCursor } from './cursor';
import { parseCursor } from './cursor';

/** Static data that this process has polled with, which therefore holds the last poll's cursor. */
const polledData = new WeakSet<object>();

/** The changes of the last cursor that this process has saved for a node, and when. */
const lastSaves = new Map<string, { changes: number; at: number }>();

/** n8n runs within this time what it has prepared, and polls again after a minute at the earliest. */
const PREPARED_MS = 50_000;

/**
 * The places where n8n keeps the cursor; the one with more changes is the later one.
 *
 * - The workflow's static data, by the node's ID, so that it stays when the node is renamed. n8n saves
 *   it when it activates the workflow, and with every execution.
 * - With durable cursors, the node's static data, which are a copy for each poll, and which n8n saves
 *   with every poll but the one that activates the workflow. That poll's cursor goes to the workflow's
 *   static data. The cursor of a poll that starts an execution has a place of its own there, for an n8n
 *   without durable cursors alone: n8n may save it without the execution.
 */
export class CursorStore {
	private readonly data: IDataObject;
	private readonly workflowData: IDataObject;
	private readonly key: string;
	private readonly startedKey: string;
	/** n8n watches plain static data for changes through a property that a copy does not have. */
	private readonly isDurable: boolean;
	private readonly node: string;

	constructor(context: IPollFunctions) {
		this.data = context.getWorkflowStaticData('node');
		this.workflowData = context.getWorkflowStaticData('global');
		this.key = `videoGenerationTrigger:${context.getNode().id}`;
		this.startedKey = `${this.key}:started`;
		this.isDurable = !('__dataChanged' in this.data);
		this.node = `${context.getWorkflow().id} ${context.getNode().id}`;
	}

	/** Whether this may be the poll that publishes the workflow, or the first one after n8n's start. */
	get isFirst(): boolean {
		return this.isDurable ? !lastSaves.has(this.node) : !polledData.has(this.data);
	}

	/** Whether the cursor is that of the last poll, and not of an earlier one that n8n had saved. */
	get isContinuous(): boolean {
		return this.isDurable || polledData.has(this.data);
	}

	load(): StoredCursor {
		const { data, workflowData, key, startedKey } = this;
		const cursor = parseCursor(workflowData[key]);
		const other = parseCursor(this.isDurable ? data.cursor : workflowData[startedKey]);
		return count(other) >= count(cursor) ? other : cursor;
	}

	/**
	 * Whether the loaded cursor is a copy from before the last poll, as n8n prepares at once all polls that it
	 * has missed. After a poll that n8n could not save, the next one has such a copy, too.
	 */
	isOutdated(loaded: StoredCursor): boolean {
		const last = lastSaves.get(this.node);
		// Without any cursor, n8n may have begun anew.
		if (!this.isDurable || loaded === 'absent' || !last) return false;
		return count(loaded) < last.changes && performance.now() - last.at < PREPARED_MS;
	}

	/**
	 * @param stored the cursor that was loaded: the same one if nothing has changed
	 * @param isStarting whether this poll starts an execution
	 */
	save(cursor: Cursor, stored: StoredCursor, isStarting: boolean): void {
		const { data, workflowData, key, startedKey, isDurable } = this;
		polledData.add(data);
		lastSaves.set(this.node, { changes: cursor.changes, at: performance.now() });
		if (cursor === stored) return;
		const isStaged = isDurable && isStarting;
		const isKeyOutdated = count(parseCursor(data.cursor)) >= count(parseCursor(workflowData[key]));
		if (isDurable) data.cursor = { ...cursor };
		workflowData[isStaged ? startedKey : key] = { ...cursor };
		if (!isStaged) Reflect.deleteProperty(workflowData, startedKey);
		else if (isKeyOutdated) Reflect.deleteProperty(workflowData, key);
	}
}

/** A damaged cursor counts more than none: with none, existing videos may be wanted. */
function count(cursor: StoredCursor): number {
	return cursor === 'absent' ? -2 : cursor === 'damaged' ? -1 : cursor.changes;
}
