import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { type Cursor, parseCursor, type StoredCursor } from './cursor';

/** By the node: the changes of the cursor that this process saved last, and until when older copies may come. */
const lastSaves = new Map<string, { changes: number; until: number }>();

/** n8n runs within this time what it has prepared, and polls again after a minute at the earliest. */
const PREPARED_MS = 50_000;

/**
 * The places where n8n keeps the cursor; the one with more changes is the later one.
 *
 * - The workflow's static data, by the node's ID, so that it stays when the node is renamed. n8n saves them with every
 *   execution, and when it activates the workflow.
 * - With durable cursors, the node's static data: a copy for each poll, which n8n saves with every poll but the one that
 *   activates the workflow. The cursor of a poll that starts an execution is there alone: n8n saves both or none.
 */
export class CursorStore {
	private readonly data: IDataObject;
	private readonly workflowData: IDataObject;
	private readonly key: string;
	/** Plain static data have a property that such a copy does not have. */
	private readonly isDurable: boolean;
	private readonly node: string;
	/** Whether the loaded cursor was not sound. */
	isDamaged = false;

	constructor(context: IPollFunctions) {
		this.data = context.getWorkflowStaticData('node');
		this.workflowData = context.getWorkflowStaticData('global');
		this.key = `videoGenerationTrigger:${context.getNode().id}`;
		this.isDurable = !('__dataChanged' in this.data);
		this.node = `${context.getWorkflow().id} ${context.getNode().id}`;
	}

	/** Notes other projects of a workflow that is published while a poll lasts: n8n drops what that one finds. */
	watch(projects: readonly string[]): void {
		const cursor = this.findLater();
		if (typeof cursor === 'string') return;
		if (JSON.stringify(cursor.projects) === JSON.stringify(projects)) return;
		this.workflowData[this.key] = { ...cursor, projects, changes: cursor.changes + 1 };
	}

	/** Undefined for a copy from before the last poll: n8n prepares at once all polls that it has missed. */
	load(): StoredCursor | undefined {
		const { data, workflowData, key, isDurable } = this;
		const loaded = this.findLater();
		this.isDamaged = ![data.cursor ?? 'absent', workflowData[key] ?? 'absent'].includes(loaded);
		const last = lastSaves.get(this.node);
		// Without any cursor, n8n may have begun anew.
		if (!isDurable || loaded === 'absent' || !last || performance.now() >= last.until)
			return loaded;
		return count(loaded) < last.changes ? undefined : loaded;
	}

	private findLater(): StoredCursor {
		const cursor = parseCursor(this.workflowData[this.key]);
		const durable = this.isDurable ? parseCursor(this.data.cursor) : 'absent';
		return count(durable) >= count(cursor) ? durable : cursor;
	}

	/** @param isStarting whether this poll starts an execution */
	save(cursor: Cursor, stored: StoredCursor, isStarting: boolean): void {
		const now = performance.now();
		for (const [node, { until }] of lastSaves) if (until <= now) lastSaves.delete(node);
		lastSaves.set(this.node, { changes: cursor.changes, until: now + PREPARED_MS });
		if (cursor === stored && !this.isDamaged) return;
		const { data, workflowData, key, isDurable } = this;
		const isReplaced = count(parseCursor(data.cursor)) >= count(parseCursor(workflowData[key]));
		if (isDurable) data.cursor = { ...cursor };
		if (!isDurable || !isStarting) workflowData[key] = { ...cursor };
		else if (isReplaced) Reflect.deleteProperty(workflowData, key);
	}
}

/** A damaged cursor counts more than none: with none, existing videos may be wanted. */
function count(cursor: StoredCursor): number {
	return cursor === 'absent' ? -2 : cursor === 'damaged' ? -1 : cursor.changes;
}
