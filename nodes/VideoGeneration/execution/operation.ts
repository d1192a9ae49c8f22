import type {
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
	INodePropertyRouting,
} from 'n8n-workflow';
import type { RequestKind } from '../failures/failure';
import type { FailureContext } from '../failures/texts';
import type { WaitSettings } from '../waiting/waitForVideo';
import type { ItemMemory } from './memory';
import type { Run } from './run';
import type { SpendingLimit } from './spendingGuard';

/** Identifies an item in its error's `details`. */
export interface ItemIds {
	queueId?: string;
	projectId?: string;
	videoUrl?: string;
}

/** One operation of the node: its declared request, and everything that a declaration cannot express. */
export interface Operation<Settings = unknown> {
	requestKind: RequestKind;
	/** The declared request: its path, the steps before it is sent, and the steps for its response. */
	routing: INodePropertyRouting;
	/** The parts of its error texts that depend on the operation. */
	texts?: Omit<FailureContext, 'requestKind' | 'mayBeQueued'>;
	/** Gets how the item's video is waited for; undefined if it is not. */
	getWait?(context: IExecuteSingleFunctions): WaitSettings | undefined;
	/** Gets the other parameters that are not part of the request, before anything is sent. */
	getSettings?(context: IExecuteSingleFunctions): Settings;
	getIds?(request: IHttpRequestOptions): ItemIds;
	/** Does the work of an operation that needs more than its declared request. */
	perform?(
		job: Job<Settings>,
		send: () => Promise<INodeExecutionData[]>,
	): Promise<INodeExecutionData[]>;
}

/** Operations by resource and operation, as the parameters name them. */
export type Operations = Record<string, Record<string, Operation>>;

/** One item's work. */
export interface Job<Settings = unknown> {
	readonly operation: Operation<Settings>;
	readonly context: IExecuteSingleFunctions;
	readonly run: Run;
	readonly request: IHttpRequestOptions;
	/** What the item has reached in this try and the ones before it. */
	readonly memory: ItemMemory;
	readonly maxTries: number;
	readonly settings: Settings;
	/** How the item's video is waited for; undefined if it is not. */
	readonly wait: WaitSettings | undefined;
	/** The item's limit for the spending guard. */
	readonly spending: SpendingLimit | undefined;
	/** "Unique Key"; undefined where it is not set. */
	readonly uniqueKey: string | undefined;
	/** Why the item cannot be sent. */
	problem?: unknown;
}
