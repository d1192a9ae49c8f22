import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { hashText } from '../api/hash';
import type { Cursor, StoredCursor } from './cursorFormat';
import { parseCursor } from './cursorFormat';

/** Static data that this process has polled with, which therefore holds the last poll's cursor. */
const polledData = new WeakSet<object>();

/**
 * The place where n8n keeps the cursor: its static data, of which there are two kinds.
 *
 * - Plain static data is one object for as long as the workflow is active. n8n saves it when it
 *   activates the workflow and when a poll starts an execution. Other changes are lost with the process.
 *   The node's own part belongs to its name, so the cursor is kept in the workflow's part, by the node's
 *   ID: it stays when the node is renamed.
 * - With durable cursors, the node's part is a copy for each poll and belongs to the node's ID. n8n saves
 *   it after every poll, except the one that activates the workflow. The cursor of that poll is put into
 *   the workflow's part, which n8n does save then, with a note of the cursor that it follows. Without it,
 *   the next poll would skip a video that is new to a first cursor, or to another account's.
 */
export class CursorStore {
	private readonly key: string;

	/** With durable cursors, the cursor that n8n saved with the last poll. */
	private readonly durableCursor: StoredCursor;

	/** A hash of that cursor; undefined before the first poll, and without durable cursors. */
	private readonly durableHash: number | undefined;

	/**
	 * @param data the node's static data
	 * @param workflowData the workflow's static data
	 */
	constructor(
		private readonly data: IDataObject,
		private readonly workflowData: IDataObject,
		nodeId: string,
	) {
		this.key = `videoGenerationTrigger:${nodeId}`;
		this.durableCursor = this.isDurable ? parseCursor(data.cursor) : 'absent';
		const isSaved = this.durableCursor !== 'absent';
		this.durableHash = isSaved ? hashText(JSON.stringify(data.cursor)) : undefined;
	}

	/** @throws a NodeOperationError when n8n's static data cannot hold a cursor */
	static open(context: IPollFunctions): CursorStore {
		const data = context.getWorkflowStaticData('node');
		const workflowData: unknown = context.getWorkflowStaticData('global');
		const node = context.getNode();
		if (isRecord(data)) {
			return new CursorStore(data, isRecord(workflowData) ? workflowData : data, node.id);
		}
		throw new NodeOperationError(node, 'The data that n8n saved for this node is damaged', {
			description:
				'Replace the node with a copy of it and publish the workflow, so that n8n starts with new data. Videos that are already finished will not start the workflow.',
		});
	}

	/** Whether the cursor is that of the last poll, and not of an earlier one that n8n had saved. */
	get isContinuous(): boolean {
		return this.isDurable || polledData.has(this.data);
	}

	load(): StoredCursor {
		const cursor = parseCursor(this.workflowData[this.key]);
		if (!this.isDurable) return cursor;
		return typeof cursor === 'string' || !this.follows() ? this.durableCursor : cursor;
	}

	/**
	 * @param isChanged whether the cursor is another than the one that was loaded
	 * @param isStarting whether this poll starts an execution, with which n8n saves the cursor
	 */
	save(
		cursor: Cursor,
		{ isChanged, isStarting }: { isChanged: boolean; isStarting: boolean },
	): void {
		const { data, workflowData, key, durableHash } = this;
		polledData.add(data);
		if (!this.isDurable) {
			if (isChanged) workflowData[key] = { ...cursor };
			return;
		}
		const isLaidBy = key in workflowData && this.follows();
		if (isChanged || isLaidBy) data.cursor = { ...cursor };
		if (isChanged && !isStarting) workflowData[key] = { ...cursor, follows: durableHash };
		else if (key in workflowData && !isLaidBy) Reflect.deleteProperty(workflowData, key);
	}

	/** Whether the cursor in the workflow's part follows the one that n8n saved. */
	private follows(): boolean {
		const cursor = this.workflowData[this.key];
		return !isRecord(cursor) || cursor.follows === this.durableHash;
	}

	/** n8n watches plain static data for changes through a property that a copy does not have. */
	private get isDurable(): boolean {
		return !('__dataChanged' in this.data);
	}
}

function isRecord(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
