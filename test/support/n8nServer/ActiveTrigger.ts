import { AsyncLocalStorage } from 'node:async_hooks';
import { Container } from '@n8n/di';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeTypes,
	ICredentialType,
	NodeApiError,
	IWorkflowExecuteAdditionalData,
	WorkflowActivateMode,
} from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';
import { PollContext, PollTriggerExecutor } from 'n8n-core';
import { createNodeTypes } from './createNodeTypes';
import { CREDENTIALS, createTestNode } from '../engine/createTestNode';
import { loadPackage } from '../engine/loadPackage';
import { createAdditionalData } from './TestCredentialsHelper';
import { hasFeature } from '../engine/testWith';

export const TRIGGER_TYPE = 'n8n-nodes-video-generation.videoGenerationTrigger';
/** The key of the first trigger's state in the workflow's static data. */
export const STATE_KEY = 'videoGenerationTrigger:trigger-1';

/** A row of durable cursors, of the first trigger of the workflow, and of the others. */
type Row = 'row' | `row${number}`;

/** Where n8n stores a polling node's state: in the workflow's static data, or in rows of their own. */
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
	/** The static data by default. */
	storage?: Storage;
	parameters?: INodeParameters;
	/** The parameters of further triggers in the workflow. */
	others?: INodeParameters[];
	/** The time for which n8n's scheduler waits for a poll; without it, n8n polls without its scheduler. */
	budgetMs?: number;
}

/** A poll under way. n8n, too, tells the polls of one context apart like this. */
interface Run extends Fate {
	result: PollResult;
	isActivation: boolean;
	/** Which trigger of the workflow polls. */
	index: number;
	/** The cursor that durable cursors lend to the poll. */
	staged?: { snapshot: IDataObject; seed: string };
}

/** What n8n tells a poll that its scheduler has not started. */
const UNLIMITED_MS = 300_000;

let workflows = 0;

/** One for all triggers: Node.js passes each storage on with every promise. */
const runs = new AsyncLocalStorage<Run>();

/**
 * An active workflow that begins with the built trigger, in n8n's own engine. The database is
 * simulated: it saves the same data at the same moments as the server of n8n 2.41.
 */
export class ActiveTrigger {
	/** The workflow's static data in the database, and the rows of the triggers' cursors. */
	readonly database: { staticData: string } & Partial<Record<Row, string>>;

	parameters: INodeParameters;

	others: INodeParameters[];

	credentials: ICredentialDataDecryptedObject;

	/** The node's name, which the next activation uses. */
	name = 'Video Trigger';

	/** The trigger remembers workflows as long as the process lasts. */
	private readonly id = `w${(workflows += 1)}`;

	private workflow: Workflow;

	/** Without its scheduler, n8n has one context for all polls of an activation. */
	private contexts: (PollContext | undefined)[] = [];

	/** n8n looks up the credential at each poll. */
	private readonly additionalData = {} as IWorkflowExecuteAdditionalData;

	private constructor(
		private readonly setup: TriggerSetup,
		private readonly nodeTypes: INodeTypes,
		private readonly types: Record<string, ICredentialType>,
	) {
		this.parameters = setup.parameters ?? {};
		this.others = setup.others ?? [];
		this.credentials = setup.credentials;
		this.database = { staticData: '{}' };
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
	 * Activates the workflow as publishing (`activate`) and a start of n8n (`init`) do: n8n polls once, and
	 * then saves the static data.
	 */
	async activate(fate: Fate = {}, mode: WorkflowActivateMode = 'activate'): Promise<PollResult> {
		const [result = { items: null }] = await this.activateAll(fate, mode);
		return result;
	}

	/** @returns the result of each trigger of the workflow */
	async activateAll(fate: Fate, mode: WorkflowActivateMode): Promise<PollResult[]> {
		this.workflow = this.loadWorkflow();
		const results: PollResult[] = [];
		for (const index of this.workflow.getPollNodes().keys()) {
			const context = (this.contexts[index] = this.createContext(mode, index));
			const result = await this.run(context, { ...fate, index, isActivation: true });
			if (result.error) throw result.error;
			results.push(result);
		}
		this.saveStaticData();
		return results;
	}

	/** Polls as n8n's clock does, at most once a minute. */
	async poll(fate: Fate = {}, index = 0): Promise<PollResult> {
		const { storage, budgetMs } = this.setup;
		if (storage === 'durable cursors') this.workflow = this.loadWorkflow();
		if (storage === 'durable cursors' || budgetMs !== undefined) this.contexts[index] = undefined;
		const context = (this.contexts[index] ??= this.createContext('update', index));
		return await this.run(context, { ...fate, index, isActivation: false });
	}

	/** Presses the button in the editor, which works on a copy of the workflow. */
	async fetchTestEvent(): Promise<INodeExecutionData[] | null> {
		const { poll } = this.nodeTypes.getByNameAndVersion(TRIGGER_TYPE) as {
			poll: (this: PollContext) => Promise<INodeExecutionData[][] | null>;
		};
		const workflow = this.loadWorkflow();
		const [node] = workflow.getPollNodes() as [INode];
		const context = new PollContext(workflow, node, this.lookUp(), 'manual', 'manual');
		return (await poll.call(context))?.[0] ?? null;
	}

	/** Returns the context with which n8n polls, for comparisons with its helpers. */
	createPollContext(): PollContext {
		this.lookUp();
		return this.createContext('update', 0);
	}

	private async run(context: PollContext, fate: Omit<Run, 'result'>): Promise<PollResult> {
		const result: PollResult = { items: null };
		this.lookUp();
		// n8n abandons a poll if the workflow has been reactivated meanwhile.
		let isCurrent = true;
		const poll = createPoll(this.workflow, context, () => {
			const answer = isCurrent;
			if (fate.isAbandoned === true) isCurrent = false;
			return answer;
		});
		await runs.run({ ...fate, result }, async () => {
			await poll(fate.isActivation);
		});
		return result;
	}

	private lookUp(): IWorkflowExecuteAdditionalData {
		return Object.assign(this.additionalData, createAdditionalData(this.types, this.credentials));
	}

	private createContext(activation: WorkflowActivateMode, index: number): PollContext {
		const { workflow, additionalData } = this;
		const [node] = workflow.getPollNodes().slice(index) as [INode];
		const row: Row = index === 0 ? 'row' : `row${index}`;
		const getRun = () => {
			const run = runs.getStore();
			if (!run) throw new Error('No poll is under way');
			return run;
		};
		const isDurable = this.setup.storage === 'durable cursors';
		const commit = () => {
			const { staged } = getRun();
			if (staged && JSON.stringify(staged.snapshot) !== staged.seed) {
				this.database[row] = JSON.stringify(staged.snapshot);
			}
		};
		return new PollContext(
			workflow,
			node,
			additionalData,
			'trigger',
			activation,
			(data) => {
				this.saveStaticData(workflow);
				if (getRun().isRolledBack === true) return;
				commit();
				getRun().result.items = data[0] ?? [];
			},
			(error) => {
				getRun().result.error = error;
			},
			async () => {
				await Promise.resolve();
				commit();
			},
			async (poll) => {
				const data = JSON.stringify(workflow.getStaticData('node', node));
				const seed = (isDurable ? (this.database[row] ??= data) : undefined) ?? '{}';
				if (isDurable) getRun().staged = { snapshot: JSON.parse(seed) as IDataObject, seed };
				await getRun().after;
				return await poll();
			},
			() => getRun().staged?.snapshot ?? workflow.getStaticData('node', node),
			() => (getRun().isActivation ? UNLIMITED_MS : (this.setup.budgetMs ?? UNLIMITED_MS)),
		);
	}

	/** Saves the static data if it has changed, as n8n does. */
	private saveStaticData({ staticData } = this.workflow): void {
		if (staticData.__dataChanged !== true) return;
		this.database.staticData = JSON.stringify(staticData);
		staticData.__dataChanged = false;
	}

	private loadWorkflow(): Workflow {
		const nodes = [this.parameters, ...this.others].map((parameters, index) =>
			createTestNode(`${this.name}${index || ''}`, TRIGGER_TYPE, {
				...{ id: `trigger-${index + 1}`, credentials: CREDENTIALS, parameters },
			}),
		);
		return new Workflow({
			id: this.id,
			active: true,
			nodeTypes: this.nodeTypes,
			nodes,
			connections: {},
			staticData: JSON.parse(this.database.staticData) as IDataObject,
		});
	}
}

/** Creates the function that n8n calls for a polling node, at an activation and then by its clock. */
function createPoll(
	workflow: Workflow,
	context: PollContext,
	isCurrent: () => boolean,
): (isActivation: boolean) => Promise<void> {
	const node = context.getNode();
	if (hasFeature('durableCursors')) {
		return Container.get(PollTriggerExecutor).create(workflow, node, context, isCurrent);
	}
	// What older versions of n8n have instead is a part of the class that registers polls with its clock.
	return async () => {
		const { poll } = workflow.nodeTypes.getByNameAndVersion(node.type);
		try {
			const output = await poll?.call(context);
			if (output) context.__emit(output);
		} catch (error) {
			context.__emitError(error as Error);
		}
	};
}
