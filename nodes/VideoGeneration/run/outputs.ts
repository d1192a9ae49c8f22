import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import * as n8nWorkflow from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { toText } from '../api/response';
import { createApiError, putAllInMessage } from '../failures/errors';
import { isLasting, RequestFailure, type Unidentified } from '../failures/failure';
import { describePaidVideos, describeRun } from '../failures/texts';
import { type Job, logInfo, type Outcome } from '../item/job';
import { listStates } from '../item/ledger';

/** An item's output, linked to its input item; for a failed item, the data of its error. */
export function createItems(job: Job, outcome: Outcome): INodeExecutionData[] {
	const pairedItem = { item: job.context.getItemIndex() };
	if ('output' in outcome) {
		return outcome.output.map((item) => ({ ...item, json: renameError(item.json), pairedItem }));
	}
	const { error, details } = explainFailure(job, outcome.reason);
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
export function explainFailure(job: Job, reason: unknown): ExplainedFailure {
	const { context, ledger, operation, order, run } = job;
	const failure = reason instanceof RequestFailure ? reason : undefined;
	const { stage, queueId, projectId, createdAt, finished } = ledger.state;
	const isAdd = operation.requestKind === 'add';
	const mayBeQueued = isAdd && stage === 'unknown';
	const error = failure ? createRequestError(job, failure, mayBeQueued) : toError(job, reason);
	error.context.itemIndex = context.getItemIndex();
	if (run.stopsOnError && isAdd) listPaidVideos(job, error, failure);
	// An agent's model gets only the message.
	if (run.isAgentCall && run.stopsOnError) putAllInMessage(error);
	const { httpCode, serviceMessage, receivedText, receivedQueueId, tries } = failure?.facts ?? {};
	const { lastStatus, uniqueKey, remainingCredits } = failure?.facts ?? {};
	const details = {
		...(order === undefined ? {} : operation.getIds?.(order)),
		...(projectId !== undefined && { projectId }),
		...(queueId !== undefined && { queueId, createdAt }),
		...(finished?.videoUrl ? { videoUrl: finished.videoUrl } : {}),
		httpCode,
		serviceMessage,
		receivedText,
		receivedQueueId,
		tries,
		lastStatus,
		uniqueKey,
		remainingCredits,
		mayBeQueued: isAdd ? mayBeQueued : undefined,
	};
	return { error, details: JSON.parse(JSON.stringify(details)) as IDataObject };
}

function createRequestError(
	{ context, ledger, operation, run }: Job,
	failure: RequestFailure,
	mayBeQueued: boolean,
): NodeApiError {
	const isQueued = ledger.isPaid;
	// The add was accepted, so a later request has failed.
	const texts = isQueued && operation.requestKind === 'add' ? {} : operation.texts;
	const { queueId } = ledger.state;
	const { canBeRetried, isAgentCall } = run;
	const facts = { ...texts, mayBeQueued, isQueued, queueId, canBeRetried, isAgentCall };
	return createApiError(context.getNode(), failure, facts);
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
	failure: RequestFailure | undefined,
): void {
	const states = listStates(context);
	if (states.length === 0) states.push([context.getItemIndex(), ledger.state]);
	const paid = states.map(([, state]) => state).filter(({ queueId }) => queueId !== undefined);
	const unknown = states.filter(([, { stage }]) => stage === 'unknown');
	const isUnknown = ledger.state.stage === 'unknown';
	if (paid.length > 0) error.context.acceptedQueueIds = paid.map(({ queueId }) => queueId);
	if (unknown.length > 0 || isUnknown) error.context.mayBeQueued = true;
	const canBeRetried = run.canBeRetried && failure?.kind !== 'cancelled';
	// The text of a failed request says what to do about the item's own video; a model is told once more.
	const isSaid = failure && (canBeRetried || failure.kind === 'notGenerated');
	const listed = isSaid ? paid.filter((state) => state !== ledger.state) : paid;
	const text = describePaidVideos({
		paid: listed.map(({ queueId = '', details }) => ({ queueId, status: toText(details?.status) })),
		unknown: unknown
			.filter(([, state]) => state !== ledger.state)
			.map(([itemIndex, state]) => ({ itemIndex, queueId: state.failure?.receivedQueueId })),
		canBeRetried,
		isLasting: isUnknown || failure === undefined || isLasting(failure),
	});
	error.description = [error.description, text].filter(Boolean).join(' ');
}

/** Warns the person under the output of a run of what they cannot see. Nothing where all went well. */
export function addHints(job: Job, jobs: Job[], outcomes: Outcome[]): void {
	const { context, operation, run } = job;
	const isUnknown = ({ ledger }: Job) => ledger.state.stage === 'unknown';
	const isAdd = operation.requestKind === 'add';
	const isLeftOut = (outcome: Outcome) => 'output' in outcome && outcome.output.length === 0;
	const leftOut = isAdd ? outcomes.filter(isLeftOut).length : 0;
	if (leftOut > 0) logInfo(job, `Left out ${leftOut} items, whose videos came out before,`);
	const hints = describeRun({
		mayBeQueued: isAdd ? jobs.filter(isUnknown).length : 0,
		unidentified: jobs.flatMap(({ ledger }, index) => {
			const { unidentified } = ledger.state;
			return unidentified ? [unidentified] : listUnread(outcomes[index]);
		}),
		isListUnreliable: run.isListUnreliable,
		leftOut,
	}).map((message) => ({ type: 'warning', location: 'outputPane', message }) as const);
	// n8n has no hints where an agent calls its tool itself.
	(context as Partial<Pick<IExecuteFunctions, 'addExecutionHints'>>).addExecutionHints?.(...hints);
}

/** An item for which the list could not be read when it had to show its video. A later try settles it. */
function listUnread(outcome: Outcome | undefined): Unidentified[] {
	if (outcome === undefined) return [];
	const isUnread =
		'reason' in outcome
			? outcome.reason instanceof RequestFailure && outcome.reason.kind === 'ambiguousVideo'
			: outcome.output.some(({ json }) => json.video === null && json.videoUrl === null);
	return isUnread ? [{}] : [];
}
