import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import type { SettingsChange } from '../../sandbox/domain/settings';
import { LISTING_DELAY } from '../support/engine/OPERATIONS';
import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import type { Way } from '../support/engine/runTools';

/** What happens, as it is drawn: workflows that n8n runs at the same time, mostly a single one. */
export interface Plan {
	workflows: Workflow[];
	service: SettingsChange;
	/** What the service begins or stops to do in the middle of the day. */
	changes: { atMs: number; service: SettingsChange }[];
	/** The slowness of a service: faults of the whole day. */
	slowness: FaultSpec[];
	/** The videos of the first rows, two further on with each workflow; others have the service's durations. */
	videos: {
		processingMs?: number;
		fails?: boolean;
		/** Somebody clears it by hand, this long after its add. */
		clearedAfterMs?: number;
	}[];
	/** Videos that somebody else queues in the first project. */
	strangers: { atMs: number; processingMs: number }[];
	credits: number;
}

/** A workflow with the node, and its executions, one after the other. */
export interface Workflow {
	/** The input items, as JSON, or what a model orders. */
	rows: IDataObject[];
	/** How many rows are a round of its loop; without a loop, the node runs once for all. */
	perRound?: number | undefined;
	parameters: INodeParameters;
	/** The parameters of the saved workflow that differ by then, for `retrySaved`. */
	saved: INodeParameters;
	settings: Pick<INode, 'onError'> &
		Required<Pick<INode, 'retryOnFail' | 'maxTries' | 'waitBetweenTries' | 'executeOnce'>>;
	executions: Execution[];
	/** The model that calls the node as its tool. */
	model?: Model;
	/** Whether the same address is typed differently in the credential. */
	isTyped: boolean;
	/** Queue > Wait begins this long after Queue > Add. */
	pauseMs: number;
}

export interface Model {
	way: Way;
	/** How many of its calls come at once, in one group after the other. */
	groups: number[];
	/** Whether its calls are all for one video: each is made, in other words, if the one before it has failed. */
	insists: boolean;
}

/** One execution, and what happens to it. */
export interface Execution {
	/** `retry`: Executions > Retry, if the execution before it has failed. */
	how: 'run' | 'retry' | 'retrySaved';
	/** It begins this long after the one before it. */
	afterMs: number;
	/** Another process of n8n plays it, as a worker does: it knows nothing of what this one does. */
	isElsewhere?: boolean;
	faults: FaultSpec[];
	/**
	 * Calls to n8n's own parts that fail: look-ups of the credential, and of its store of keys; and calls
	 * to that store that another worker overwrites.
	 */
	failing: Record<'credential' | 'keys' | 'overwritten', number[]>;
	/** The time in which no credential can be read. */
	outage?: { atMs: number; forMs: number };
	/** The key of the credential is changed while the response to a request is under way that shows it. */
	changesKey: boolean;
	/** The workflow's own timeout, in seconds. */
	executionTimeout?: number;
	stopAfterMs?: number;
	/** Nothing of a killed execution is saved, and n8n starts anew. */
	killAfterMs?: number;
}

export const TROUBLE_FREE: Execution = {
	how: 'retry',
	afterMs: 0,
	faults: [],
	failing: { credential: [], keys: [], overwritten: [] },
	changesKey: false,
};

/** When an execution is stopped, by a person or by a timeout: so long after its start. */
export const getStopMs = ({ executionTimeout = Infinity, stopAfterMs = Infinity }: Execution) =>
	Math.min(stopAfterMs, executionTimeout * 1_000);

export const generates = ({ parameters }: Workflow) => parameters.operation === 'generate';
export const isAdd = (workflow: Workflow) =>
	generates(workflow) || workflow.parameters.operation === 'add';
export const stops = ({ settings }: Workflow) => settings.onError === 'stopWorkflow';

const hasOption = ({ parameters }: Workflow, name: string) =>
	name in ((parameters.options ?? {}) as IDataObject);
export const isUnique = (workflow: Workflow) => hasOption(workflow, 'uniqueKey');
export const isLimited = (workflow: Workflow) => hasOption(workflow, 'maxVideos');
export const isGuarded = (workflow: Workflow) => hasOption(workflow, 'creditsToKeep');

/** Whether another account, or a person, waits with wrong words or another project: its own videos may be wrong. */
export const isMistaken = (workflow: Workflow) =>
	'completedStatuses' in getWaitOptions(workflow) ||
	(workflow.parameters.operation === 'wait' &&
		workflow.rows.some(({ project }) => {
			const { value } = workflow.parameters.projectId as IDataObject;
			return (value as string).startsWith('p') && value !== project;
		}));

export const getWaitOptions = ({ parameters }: Workflow) =>
	(parameters.waitOptions ?? {}) as IDataObject;
export const getListingDelayMs = (workflow: Workflow) =>
	Number(getWaitOptions(workflow).listingDelay ?? LISTING_DELAY) * 1_000;

/** How long an answer asks for a pause, of which two minutes are kept. */
const getPauseMs = (fault: FaultSpec) => {
	if (fault.kind === 'tooManyRequests') return 1_000 * Math.min(fault.seconds ?? 0, 120);
	return fault.kind === 'status' && fault.headers !== undefined ? 120_000 : undefined;
};

export const isPause = (fault: FaultSpec) => getPauseMs(fault) !== undefined;

/** How long an answer takes at most, with the pauses that answers ask for. */
export const getSlowMs = ({ slowness, workflows }: Plan) =>
	workflows
		.flatMap(({ executions }) => executions.flatMap(({ faults }) => faults))
		.filter(({ operation }) => operation !== 'queue.add')
		.reduce(
			(sum, fault) => sum + (getPauseMs(fault) ?? 0),
			Math.max(0, ...slowness.map((fault) => ('delayMs' in fault ? fault.delayMs : 0))),
		);

/** How a service tells which video is an item's, in the course of the day. */
export const listServices = ({ changes, service }: Plan) => [
	service,
	...changes.map((each) => ({ ...service, ...each.service })),
];

export const isOn = (value: unknown) => /^(true|1)$/i.test(String(value));
const isSwitch = (value: unknown) => /^(true|false|1|0|)$/i.test(String(value));
export const toKey = (value: unknown) =>
	['string', 'number'].includes(typeof value) ? String(value).trim() : '';
export const toNumber = (value: unknown) => (toKey(value) === '' ? NaN : Number(value));

/** Whether a row has what its operation needs, by the documents. */
export function isUsable(
	workflow: Workflow,
	{ prompt, overwrite, key, keep, cost }: IDataObject = {},
): boolean {
	if (!isAdd(workflow)) return true;
	// A field whose expression has no value.
	const parameters = JSON.stringify(workflow.parameters);
	if (parameters.includes('$json.nothing')) return false;
	if (parameters.includes('$json.prompt') && prompt === undefined) return false;
	if (Array.isArray(prompt) || !isSwitch(overwrite)) return false;
	if (isOn(overwrite) && (prompt ?? '') === '') return false;
	if (isUnique(workflow) && toKey(key) === '') return false;
	return !isGuarded(workflow) || (toNumber(keep) >= 0 && toNumber(cost) > 0);
}
