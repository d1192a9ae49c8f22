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

/** What identifies an item in its error's `details`. */
export interface ItemIds {
	queueId?: string;
	projectId?: string;
	videoUrl?: string;
}

/** What this package does with an operation, beside the request that the description declares. */
export interface Operation<Settings = unknown> {
	requestKind: RequestKind;
	/** The declared request: its path, the steps before it is sent, and the steps for its response. */
	routing: INodePropertyRouting;
	/** What the operation adds to its errors. */
	texts?: Omit<FailureContext, 'requestKind'>;
	/** Reads what the operation needs beside its request, before anything is sent. */
	getSettings?(context: IExecuteSingleFunctions): Settings;
	getIds?(request: IHttpRequestOptions): ItemIds;
	/** Does the work where that is more than to send the declared request. */
	perform?(
		job: Job<Settings>,
		send: () => Promise<INodeExecutionData[]>,
	): Promise<INodeExecutionData[]>;
	/** What follows an add once it was accepted, while the next add is sent. */
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
	/** What was ordered for the item, if anything. */
	order?: Order;
	/** What the spending guard has to keep, if it is on. */
	spending?: SpendingLimit | undefined;
	/** What is known of the item's video, for its error's `details`. */
	video?: { videoUrl: unknown } | { videoCandidates: unknown };
}
