import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import * as n8nWorkflow from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { VideoOrder } from '../adds/order';
import { fetchRemainingCredits } from '../api/endpoints';
import { toText } from '../api/response';
import { createApiError, putAllInMessage } from '../failures/errors';
import type { FailureKind, Unidentified } from '../failures/failure';
import { isAboutCredits, RequestFailure } from '../failures/failure';
import { describePaidVideos, describeRun } from '../failures/texts';
import type { Job, Outcome } from '../item/job';
import { listStates } from '../item/ledger';
import { isListUnreliable } from '../waiting/accountVideos';

/** An item's output, linked to its input item; for a failed item, the data of its error. */
export async function createItems(
	job: Job | undefined,
	outcome: Outcome,
): Promise<INodeExecutionData[]> {
	if (job === undefined) return [];
	const pairedItem = { item: job.context.getItemIndex() };
	if ('output' in outcome) {
		return outcome.output.map((item) => ({
			...item,
			json: renameError(item.json),
			pairedItem,
		}));
	}
	const { error, details } = await explainFailure(job, outcome.reason);
	const { message, description } = error;
	const whatToDo = description ?? message;
	const json = knowsDetails(job.context)
		? { error: message, message: whatToDo, details }
		: { error: { message, details }, message: whatToDo };
	return [{ json, pairedItem }];
}

/**
 * Renames a field `error` of the service, and drops it where it says nothing: n8n takes an item that has
 * one for a failed one, and Retry On Fail would run the whole node again.
 */
function renameError({ error, ...json }: IDataObject): IDataObject {
	return error ? { ...json, serviceError: error } : json;
}

/**
 * Whether this is n8n 2.36 or later, which takes an item with `error`, `message` and `details` for a
 * failed one. n8n does not tell its version, so two features of the same version do: an export of
 * n8n-workflow, and a method of the engine, since npm may have installed a newer n8n-workflow beside
 * this package than the engine's.
 */
function knowsDetails(context: object): boolean {
	return 'redactedHeaders' in n8nWorkflow && 'isConsoleOutputRedacted' in context;
}

interface ExplainedFailure {
	error: NodeApiError | NodeOperationError;
	/** The data that a workflow can act on. */
	details: IDataObject;
}

/** Turns the reason why an item failed into the error that n8n shows and the data of an error item. */
export async function explainFailure(job: Job, reason: unknown): Promise<ExplainedFailure> {
	const { context, ledger, operation, order, run } = job;
	const failure = reason instanceof RequestFailure ? completeFacts(job, reason) : undefined;
	const { stage, queueId, projectId, createdAt, finished } = ledger.state;
	const isAdd = operation.requestKind === 'add';
	const mayBeQueued = isAdd && stage === 'unknown';
	const remainingCredits = failure && (await getRemainingCredits(job, failure));
	const error = failure
		? createRequestError(job, failure, { mayBeQueued, remainingCredits })
		: toError(job, reason);
	error.context.itemIndex = context.getItemIndex();
	if (run.stopsOnError && isAdd) listPaidVideos(job, error, failure?.kind);
	// An agent's model gets only the message.
	if (run.isAgentCall && run.stopsOnError) {
		putAllInMessage(error);
		error.description = null;
	}
	const { httpCode, serviceMessage, receivedText, receivedQueueId, tries, lastStatus, uniqueKey } =
		failure?.facts ?? {};
	const details = {
		...(order === undefined ? {} : operation.getIds?.(order)),
		...(projectId !== undefined && { projectId }),
		...(queueId !== undefined && { queueId, createdAt }),
		...(finished?.videoUrl ? { videoUrl: finished.videoUrl } : {}),
		...{ httpCode, serviceMessage, receivedText, receivedQueueId, tries, lastStatus },
		...{ uniqueKey, remainingCredits, mayBeQueued: isAdd ? mayBeQueued : undefined },
	};
	return { error, details: JSON.parse(JSON.stringify(details)) as IDataObject };
}

function completeFacts(job: Job, failure: RequestFailure): RequestFailure {
	const { unidentified } = failure.facts;
	return unidentified
		? failure.with({ unidentified: withUnconfirmed(job, unidentified) })
		: failure;
}

function createRequestError(
	{ context, ledger, operation, run }: Job,
	failure: RequestFailure,
	known: { mayBeQueued: boolean; remainingCredits: number | undefined },
): NodeApiError {
	const { requestKind, texts } = operation;
	const isQueued = ledger.isPaid;
	// The add was accepted, so a later request has failed.
	const ofRequest =
		isQueued && requestKind === 'add'
			? { requestKind: 'read' as const }
			: { ...texts, requestKind };
	const { canBeRetried, isAgentCall } = run;
	const facts = { ...ofRequest, ...known, isQueued, canBeRetried, isAgentCall };
	return createApiError(context.getNode(), failure, facts);
}

/** The account's credits, for an add that was refused for lack of them. */
async function getRemainingCredits(
	{ api, ledger, open, operation, run }: Job,
	failure: RequestFailure,
): Promise<number | undefined> {
	const isRefusedAdd = operation.requestKind === 'add' && ledger.state.stage === 'new';
	if (!isRefusedAdd || !isAboutCredits(failure)) return failure.facts.remainingCredits;
	// A single try: the error matters more than the balance in it.
	const options = { maxTries: 1, connection: api.connection };
	return await open()
		.then(async (service) => {
			const fetchCredits = async () => await fetchRemainingCredits(service, options);
			return await run.share(`balance ${service.account}`, Infinity, fetchCredits);
		})
		.catch(() => undefined);
}

function toError({ context }: Job, reason: unknown): NodeApiError | NodeOperationError {
	return reason instanceof NodeOperationError || reason instanceof NodeApiError
		? reason
		: new NodeOperationError(context.getNode(), reason as Error);
}

/**
 * With the node set to stop, n8n drops the other items' output, so the error lists what was paid for:
 * in its text, and as data for an error workflow.
 */
function listPaidVideos(
	{ context, ledger, run }: Job,
	error: NodeApiError | NodeOperationError,
	kind: FailureKind | undefined,
): void {
	const states = listStates(context);
	if (states.length === 0) states.push([context.getItemIndex(), ledger.state]);
	const paid = states.map(([, state]) => state).filter(({ queueId }) => queueId !== undefined);
	const unknown = states.filter(([, { stage }]) => stage === 'unknown');
	if (paid.length > 0) error.context.acceptedQueueIds = paid.map(({ queueId }) => queueId);
	if (unknown.length > 0 || ledger.state.stage === 'unknown') error.context.mayBeQueued = true;
	const isUnknown = ledger.state.stage === 'unknown';
	const text = describePaidVideos({
		paid: paid.map(({ queueId = '', details }) => ({ queueId, status: toText(details?.status) })),
		unknown: unknown
			.filter(([, state]) => state !== ledger.state)
			.map(([itemIndex, { failure }]) => ({ itemIndex, queueId: failure?.receivedQueueId })),
		canBeRetried: run.canBeRetried,
		// A retry would end on the same failed item again.
		needsContinue:
			(kind === 'notGenerated' || kind === 'ambiguousVideo' || isUnknown) &&
			paid.some((state) => state !== ledger.state),
	});
	// The service's words end without a full stop.
	const sentences = [error.description?.replace(/"$/, '".'), text];
	error.description = sentences.filter(Boolean).join(' ');
}

/** Tells the person under the output of a run what they should know and cannot see. Nothing where all went well. */
export function addHints({ context, operation, run }: Job, jobs: Job[], outcomes: Outcome[]): void {
	const isAdd = operation.requestKind === 'add';
	const hints = describeRun({
		isAdd,
		mayBeQueued: isAdd ? jobs.filter(({ ledger }) => ledger.state.stage === 'unknown').length : 0,
		...(isAdd ? listPromptMistakes(jobs as Job<VideoOrder>[]) : NO_MISTAKES),
		unidentified: jobs.flatMap((job, index) => {
			const { unidentified } = job.ledger.state;
			if (unidentified) return [withUnconfirmed(job, unidentified)];
			return isUnread(outcomes[index]) ? [{}] : [];
		}),
		isListUnreliable: isListUnreliable(run.owner),
		waitedSeconds: Math.round(run.waitedForOthersMs / 1000),
	});
	// n8n has no hints where an agent calls its tool itself.
	const panel = context as Partial<Pick<IExecuteFunctions, 'addExecutionHints'>>;
	panel.addExecutionHints?.(...hints.map((hint) => ({ ...hint, location: 'outputPane' as const })));
}

const NO_MISTAKES = { ownPrompts: [], doubtfulPrompts: [] };

/** Words that a missing value leaves in a text. */
const MISSING_VALUE = /(?<!\w)(?:undefined|null|\[object Object\])(?!\w)/;

/** A field of the input in an expression, for which n8n puts in nothing where the item lacks it. */
const FIELD = /\{\{\s*\$json\.([A-Za-z_]\w*)\s*\}\}/g;

/** The paid items whose prompts may be mistakes in one of many rows. */
function listPromptMistakes(jobs: Job<VideoOrder>[]): {
	ownPrompts: number[];
	doubtfulPrompts: number[];
} {
	const [first] = jobs;
	const prompt = toText(first?.context.getNode().parameters.customPrompt);
	const isExpression = prompt.startsWith('=');
	const fields = isExpression ? [...prompt.matchAll(FIELD)].map(([, field = '']) => field) : [];
	const lacksField = ({ context }: Job) => {
		const { json } = context.getInputData();
		return fields.some((field) => (json[field] ?? '') === '');
	};
	// An item that an earlier try has paid for has no order.
	const paid = jobs.filter(
		({ ledger, order, problem }) =>
			problem === undefined && ledger.state.stage !== 'new' && order.body.projectId !== undefined,
	);
	const listItems = (isMistake: (sent: string | undefined, job: Job<VideoOrder>) => boolean) =>
		paid
			.filter((job) => isMistake(job.order.body.customPrompt, job))
			.map(({ context }) => context.getItemIndex());
	return {
		ownPrompts: isExpression ? listItems((sent) => sent === undefined) : [],
		doubtfulPrompts: listItems(
			(sent, job) => sent !== undefined && (MISSING_VALUE.test(sent) || lacksField(job)),
		),
	};
}

/** With the other items of the run whose adds were not confirmed. */
function withUnconfirmed({ context, ledger }: Job, unidentified: Unidentified): Unidentified {
	const unconfirmedItems = listStates(context)
		.filter(([, state]) => state.stage === 'unknown' && state !== ledger.state)
		.map(([itemIndex]) => itemIndex);
	return { ...unidentified, unconfirmedItems };
}

/** Whether the list could not be read when it had to show the item's video. A later try settles it. */
function isUnread(outcome: Outcome | undefined): boolean {
	if (outcome === undefined) return false;
	if ('reason' in outcome) {
		return outcome.reason instanceof RequestFailure && outcome.reason.kind === 'ambiguousVideo';
	}
	return outcome.output.some(({ json }) => json.video === null && json.videoUrl === null);
}
