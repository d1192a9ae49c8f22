import type {
	IDataObject,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
	INodePropertyRouting,
} from 'n8n-workflow';
import type { RequestKind } from '../failures/failure';
import type { FailureContext } from '../failures/texts';
import type { Order } from './orders';
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
	texts?: Omit<FailureContext, 'requestKind'>;
	/** Gets the parameters that are not part of the request, before anything is sent. */
	getSettings?(context: IExecuteSingleFunctions): Settings;
	getIds?(request: IHttpRequestOptions): ItemIds;
	/** Does the work of an operation that needs more than its declared request. */
	perform?(
		job: Job<Settings>,
		send: () => Promise<INodeExecutionData[]>,
	): Promise<INodeExecutionData[]>;
	/** Completes an item whose add was accepted, while the next add is sent. */
	complete?(
		job: Job<Settings>,
		order: Order,
		queueItem: IDataObject,
	): Promise<INodeExecutionData[]>;
}

/** Operations by resource and operation, as the parameters name them. */
export type Operations = Record<string, Record<string, Operation>>;

/** One item's work. */
export interface Job<Settings = unknown> {
	readonly operation: Operation<Settings>;
	readonly context: IExecuteSingleFunctions;
	readonly run: Run;
	request: IHttpRequestOptions;
	settings: Settings;
	maxTries: number;
	/** Why the item cannot be sent: a parameter that cannot be used. */
	problem?: unknown;
	/** The item's order, if it has one. */
	order?: Order;
	/** The item's limit for the spending guard. */
	spending?: SpendingLimit | undefined;
	/** The item's video or its candidates, for its error's `details`. */
	video?: { videoUrl: unknown } | { videoCandidates: unknown };
}
