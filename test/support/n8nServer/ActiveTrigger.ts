import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INodeExecutionData,
	INodeParameters,
	INodeTypes,
	ICredentialType,
	NodeApiError,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';
import { PollContext } from 'n8n-core';
import { createNodeTypes } from './createNodeTypes';
import { CREDENTIALS, createTestNode } from '../engine/createTestNode';
import { createPoll } from './createPoll';
import { loadPackage } from '../engine/loadPackage';
import { createAdditionalData } from './TestCredentialsHelper';
import { hasFeature } from '../engine/testWith';

export const TRIGGER_TYPE = 'n8n-nodes-video-generation.videoGenerationTrigger';
const NODE_ID = 'trigger-1';
/** The key of the state in the workflow's static data. */
export const STATE_KEY = `videoGenerationTrigger:${NODE_ID}`;

/**
 * The place where n8n stores a polling node's state: the workflow's static data, or separate rows.
 */
export type Storage = 'static data' | 'durable cursors';

/** The storages that this n8n has. */
export const STORAGES: Storage[] = hasFeature('durableCursors')
	? ['static data', 'durable cursors']
	: ['static data'];

/** The result of one poll: the items of the execution that it starts, or null. */
export interface PollResult {
	items: INodeExecutionData[] | null;
	error?: Error & Partial<Pick<NodeApiError, 'httpCode' | 'failure'>>;
}

/** n8n's treatment of a poll's result. */
export interface Fate {
	/** n8n has reactivated the workflow meanwhile, and drops the result. */
	isAbandoned?: boolean;
	/** The transaction of durable cursors, which saves the cursor and the execution, fails. */
	isRolledBack?: boolean;
	/** The poll runs after this, and n8n has prepared it before. */
	after?: Promise<unknown>;
}

export interface TriggerSetup {
	credentials: ICredentialDataDecryptedObject;
	storage: Storage;
	parameters?: INodeParameters;
	/** The static data in n8n's database at the start. */
	saved?: IDataObject;
	/** The time that n8n waits for a poll. */
	budgetMs?: number;
}

let workflows = 0;

/**
 * An active workflow that begins with the built trigger, in n8n's own engine. The database is
 * simulated: it saves the same data at the same moments as the server of n8n 2.41.
 */
export class ActiveTrigger {
	/** The workflow's static data in the database, and the cursor's row. */
	readonly database: { staticData: string; row?: string };

	parameters: INodeParameters;

	credentials: ICredentialDataDecryptedObject;

	/** The node's name, which the next activation uses. */
	name = 'Video Trigger';

	/** The trigger remembers workflows as long as the process lasts. */
	private readonly id = `w${(workflows += 1)}`;

	private workflow: Workflow;

	private constructor(
		private readonly setup: TriggerSetup,
		private readonly nodeTypes: INodeTypes,
		private readonly types: Record<string, ICredentialType>,
	) {
		this.parameters = setup.parameters ?? {};
		this.credentials = setup.credentials;
		this.database = { staticData: JSON.stringify(setup.saved ?? {}) };
		this.workflow = this.loadWorkflow();
	}

	/** Loads the built node, which does not poll before `activate`. */
	static async create(setup: TriggerSetup): Promise<ActiveTrigger> {
		const { nodes, credentials } = await loadPackage();
		return new ActiveTrigger(setup, createNodeTypes(nodes), credentials);
	}

	/** The whole remembered state, in memory and in the database. */
	get state(): string {
		return JSON.stringify([this.workflow.staticData, this.database]);
	}

	/**
	 * Activates the workflow as publishing and a restart do: n8n polls once, and then saves the
	 * static data.
	 */
	async activate(fate: Fate = {}): Promise<PollResult> {
		this.workflow = this.loadWorkflow();
		const result = await this.run(true, fate);
		if (result.error) throw result.error;
		this.saveStaticData();
		return result;
	}

	/** Polls as n8n's clock does, at most once a minute. */
	async poll(fate: Fate = {}): Promise<PollResult> {
		if (this.setup.storage === 'durable cursors') this.workflow = this.loadWorkflow();
		return await this.run(false, fate);
	}

	/** Presses the button in the editor, which works on a copy of the workflow. */
	async fetchTestEvent(): Promise<INodeExecutionData[] | null> {
		const workflow = this.loadWorkflow();
		const { poll } = this.nodeTypes.getByNameAndVersion(TRIGGER_TYPE) as {
			poll: (this: PollContext) => Promise<INodeExecutionData[][] | null>;
		};
		const response = await poll.call(this.createContext(workflow, 'manual'));
		return response?.[0] ?? null;
	}

	/** Returns the context with which n8n polls, for comparisons with its helpers. */
	createPollContext(): PollContext {
		return this.createContext(this.workflow, 'trigger');
	}

	private async run(
		isActivation: boolean,
		{ isAbandoned = false, ...fate }: Fate,
	): Promise<PollResult> {
		const result: PollResult = { items: null };
		const { workflow } = this;
		const context = this.createContext(workflow, 'trigger', result, fate);
		// n8n abandons a poll if the workflow has been reactivated meanwhile.
		let isCurrent = true;
		const poll = createPoll(workflow, context, () => {
			const answer = isCurrent;
			if (isAbandoned) isCurrent = false;
			return answer;
		});
		await poll(isActivation);
		return result;
	}

	private createContext(
		workflow: Workflow,
		mode: WorkflowExecuteMode,
		result: PollResult = { items: null },
		{ isRolledBack = false, after }: Fate = {},
	): PollContext {
		const [node] = Object.values(workflow.nodes);
		if (!node) throw new Error('The workflow lacks its trigger');
		const additionalData = createAdditionalData(this.types, this.credentials);
		if (mode === 'manual') return new PollContext(workflow, node, additionalData, mode, 'manual');

		const isDurable = this.setup.storage === 'durable cursors';
		let staged: { snapshot: IDataObject; seed: string } | undefined;
		const commit = () => {
			if (staged && JSON.stringify(staged.snapshot) !== staged.seed) {
				this.database.row = JSON.stringify(staged.snapshot);
			}
		};
		const budgetMs = this.setup.budgetMs;
		return new PollContext(
			workflow,
			node,
			additionalData,
			mode,
			'activate',
			(data) => {
				this.saveStaticData();
				if (isRolledBack) return;
				commit();
				result.items = data[0] ?? [];
			},
			(error) => {
				result.error = error;
			},
			async () => {
				await Promise.resolve();
				commit();
			},
			async (poll) => {
				this.database.row ??= isDurable
					? JSON.stringify(workflow.getStaticData('node', node))
					: undefined;
				const seed = this.database.row ?? '{}';
				staged = isDurable ? { snapshot: JSON.parse(seed) as IDataObject, seed } : undefined;
				await after;
				return await poll();
			},
			() => staged?.snapshot ?? workflow.getStaticData('node', node),
			budgetMs === undefined ? undefined : () => budgetMs,
		);
	}

	/** Saves the static data if it has changed, as n8n does. */
	private saveStaticData(): void {
		const { staticData } = this.workflow;
		if (staticData.__dataChanged !== true) return;
		this.database.staticData = JSON.stringify(staticData);
		staticData.__dataChanged = false;
	}

	private loadWorkflow(): Workflow {
		const node = createTestNode(this.name, TRIGGER_TYPE, {
			...{ id: NODE_ID, credentials: CREDENTIALS, parameters: this.parameters },
		});
		return new Workflow({
			id: this.id,
			active: true,
			nodeTypes: this.nodeTypes,
			nodes: [node],
			connections: {},
			staticData: JSON.parse(this.database.staticData) as IDataObject,
		});
	}
}
