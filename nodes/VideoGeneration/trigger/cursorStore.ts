import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import type { Cursor, StoredCursor } from './cursorFormat';
import { parseCursor } from './cursorFormat';

/** Static data that this process has polled with, which therefore holds the last poll's cursor. */
const polledData = new WeakSet<object>();

/**
 * The place where n8n keeps the cursor: the node's static data, of which there are two kinds.
 *
 * - Plain static data is one object for as long as the workflow is active. n8n saves it when it
 *   activates the workflow and when a poll starts an execution. Other changes are lost with the process.
 * - With durable cursors it is a copy for each poll. n8n saves it after every poll, except the one that
 *   activates the workflow. The cursor of that poll is put into the workflow's own static data, which
 *   n8n does save then. Without it, the next poll would be the first again, and skip a new video.
 */
export class CursorStore {
	private readonly backupKey: string;

	private readonly ownCursor: StoredCursor;

	/**
	 * @param data the node's static data
	 * @param getWorkflowData returns the workflow's own static data
	 */
	constructor(
		private readonly data: IDataObject,
		private readonly getWorkflowData: () => IDataObject,
		nodeId: string,
	) {
		this.backupKey = `videoGenerationTrigger:${nodeId}`;
		this.ownCursor = parseCursor(data.cursor);
	}

	/** @throws a NodeOperationError when n8n's static data cannot hold a cursor */
	static open(context: IPollFunctions): CursorStore {
		const data = context.getWorkflowStaticData('node');
		const node = context.getNode();
		if (isRecord(data)) {
			return new CursorStore(data, () => context.getWorkflowStaticData('global'), node.id);
		}
		throw new NodeOperationError(node, 'The data that n8n saved for this node is damaged', {
			description:
				'Rename the node and publish the workflow, so that n8n starts with new data. Videos that are already finished will not start the workflow.',
		});
	}

	/** Whether the cursor is that of the last poll, and not of an earlier one that n8n had saved. */
	get isContinuous(): boolean {
		return this.isDurable || polledData.has(this.data);
	}

	load(): StoredCursor {
		if (this.ownCursor !== 'absent' || !this.isDurable) return this.ownCursor;
		const backup = parseCursor(this.getBackupData()?.[this.backupKey]);
		return backup === 'damaged' ? 'absent' : backup;
	}

	/** @param isStarting whether this poll starts an execution, with which n8n saves the cursor */
	save(cursor: Cursor, isStarting: boolean): void {
		if (cursor !== this.ownCursor) this.data.cursor = { ...cursor };
		polledData.add(this.data);
		const backupData = this.isDurable ? this.getBackupData() : undefined;
		if (backupData === undefined) return;
		if (this.ownCursor !== 'absent') {
			if (this.backupKey in backupData) Reflect.deleteProperty(backupData, this.backupKey);
		} else if (!isStarting && this.load() === 'absent') {
			backupData[this.backupKey] = { ...cursor };
		}
	}

	/** n8n watches plain static data for changes through a property that a copy does not have. */
	private get isDurable(): boolean {
		return !('__dataChanged' in this.data);
	}

	private getBackupData(): IDataObject | undefined {
		const workflowData = this.getWorkflowData();
		return isRecord(workflowData) && workflowData !== this.data ? workflowData : undefined;
	}
}

function isRecord(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
