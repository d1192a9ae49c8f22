import type { IDataObject, INodeExecutionData, NodeApiError } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { toText } from '../api/response';
import { createApiError, putAllInMessage } from '../failures/errors';
import { isLasting, type KnownFacts, RequestFailure } from '../failures/failure';
import { describePaidVideos, describeRun, toLine } from '../failures/texts';
import type { Job, Outcome } from '../item/job';
import { canBeCut, listStates } from '../item/ledger';
import { knowsDetails, logInfo, showHints } from '../n8n/execution';

/** An item's output, linked to its input item; for a failed item, the data of its error. */
export function createItems(outcome: Outcome): INodeExecutionData[] {
	const { job } = outcome;
	const pairedItem = { item: job.context.getItemIndex() };
	if ('output' in outcome) {
		const items = outcome.output.map(({ json: { error, ...json }, ...item }) => ({
			...item,
			// n8n takes an item with a field `error` for a failed one, and Retry On Fail would run the whole node again.
			json: (error ?? '') === '' ? json : { ...json, serviceError: error },
			pairedItem,
		}));
		return job.run.isAgentCall ? shortenForModel(items) : items;
	}
	const { message, description } = createError(job, outcome.reason);
	const details = getDetails(job, outcome.reason);
	const whatToDo = description ?? message;
	const json = knowsDetails(job.context)
		? { error: message, message: whatToDo, details }
		: { error: { message, details }, message: whatToDo };
	return [{ json, pairedItem }];
}

/** How much a model reads of a call, in characters, and of a list. */
const MAX_MODEL_LENGTH = 50_000;
const MAX_MODEL_LIST = 50;

/** Shortens what a model reads: a service may send names and further fields of any length. */
function shortenForModel(items: INodeExecutionData[]): INodeExecutionData[] {
	let left = MAX_MODEL_LENGTH;
	let isFull = false;
	const shorten = (name: string, value: unknown) => {
		const kept = canBeCut(name, value) ? toLine(value) : value;
		const length = name.length + (typeof kept === 'string' ? kept.length : 10);
		isFull ||= length > left;
		if (isFull || toLine(name) !== name) return undefined;
		left -= length;
		return Array.isArray(kept) ? (kept as unknown[]).slice(0, MAX_MODEL_LIST) : kept;
	};
	const kept = items.flatMap(({ json, ...item }, index) => {
		const text = JSON.stringify(json, shorten) as string | undefined;
		// A video that lacks its address would look like one that has none. The first item is cut instead.
		if (text === undefined || (isFull && index > 0)) return [];
		return { ...item, json: JSON.parse(text) as IDataObject };
	});
	const [next] = items.slice(kept.length);
	const message = `${items.length - kept.length} more were left out. Ask for fewer`;
	return next ? [...kept, { ...next, json: { message } }] : kept;
}

/** The data of a failed item that a workflow can act on. */
function getDetails(job: Job, reason: unknown): IDataObject {
	const { ledger, operation, order } = job;
	const { stage, queueId, projectId, createdAt, finished } = ledger.state;
	const facts: Partial<KnownFacts> = reason instanceof RequestFailure ? reason.facts : {};
	const { httpCode, serviceMessage, receivedText, receivedQueueId, tries } = facts;
	const { lastStatus, uniqueKey, remainingCredits } = facts;
	const ofItem = { projectId, queueId, createdAt, videoUrl: finished?.videoUrl ?? undefined };
	const ofResponse = { httpCode, serviceMessage, receivedText, receivedQueueId, tries };
	const mayBeQueued = operation.costsCredits ? stage === 'unknown' : undefined;
	const ofOrder = { lastStatus, uniqueKey, remainingCredits, mayBeQueued };
	const known = JSON.stringify({ ...ofItem, ...ofResponse, ...ofOrder });
	const ids = order === undefined ? {} : operation.getIds?.(order);
	return { ...ids, ...(JSON.parse(known) as IDataObject) };
}

/** The error that n8n shows for a failed item. */
export function createError(job: Job, reason: unknown): NodeApiError | NodeOperationError {
	const { context, ledger, operation, run } = job;
	const { isPaid, state } = ledger;
	const { isAgentCall, stopsOnError } = run;
	const node = context.getNode();
	const failure = reason instanceof RequestFailure ? reason : undefined;
	const error = failure
		? createApiError(node, failure, {
				// Once an add is accepted, a later request has failed.
				...(operation.costsCredits && isPaid ? {} : operation.texts),
				mayBeQueued: state.stage === 'unknown',
				isQueued: isPaid,
				queueId: state.queueId,
				canBeRetried: stopsOnError && !isAgentCall,
				isAgentCall,
			})
		: new NodeOperationError(node, reason as Error);
	error.context.itemIndex = context.getItemIndex();
	if (stopsOnError && operation.costsCredits) listPaidVideos(job, error, failure);
	// An agent's model gets only the message.
	if (isAgentCall && stopsOnError) putAllInMessage(error);
	return error;
}

/** With the node set to stop, n8n drops the other items' output, so the error lists what was paid for. */
function listPaidVideos(
	{ context, ledger, run }: Job,
	error: NodeApiError | NodeOperationError,
	failure: RequestFailure | undefined,
): void {
	const { state: own } = ledger;
	const states = listStates(context);
	if (states.length === 0) states.push([context.getItemIndex(), own]);
	const paid = states.map(([, state]) => state).filter(({ queueId }) => queueId !== undefined);
	const unknown = states.filter(([, state]) => state.stage === 'unknown' && state !== own);
	const isUnknown = own.stage === 'unknown';
	if (paid.length > 0) error.context.acceptedQueueIds = paid.map(({ queueId }) => queueId);
	if (isUnknown || unknown.length > 0) error.context.mayBeQueued = true;
	const canBeRetried = !run.isAgentCall && failure?.kind !== 'cancelled';
	// The text of a failed request says what to do about the item's own video; a model is told once more.
	const isSaid = failure && (canBeRetried || failure.kind === 'notGenerated');
	const listed = isSaid ? paid.filter((state) => state !== own) : paid;
	const text = describePaidVideos({
		paid: listed.map(({ queueId = '', details }) => ({ queueId, status: toText(details?.status) })),
		haveKeys: listed.every(({ key }) => key !== undefined),
		unknown: unknown.map(([itemIndex, { failure: cause }]) => ({
			itemIndex,
			queueId: cause?.receivedQueueId,
		})),
		canBeRetried,
		isLasting: isUnknown || failure === undefined || isLasting(failure),
	});
	error.description = [error.description, text].filter(Boolean).join(' ');
}

/** Warns the person under the output of a run of what they cannot see. Nothing where all went well. */
export function addHints(job: Job, outcomes: Outcome[]): void {
	const { context, operation, run } = job;
	const isLeftOut = (outcome: Outcome) => 'output' in outcome && outcome.output.length === 0;
	const leftOut = operation.costsCredits ? outcomes.filter(isLeftOut).length : 0;
	if (leftOut > 0)
		logInfo(job.context, `Left out ${leftOut} items, whose videos were returned before,`);
	const hints = describeRun({
		mayBeQueued: outcomes.filter(({ job: { ledger } }) => ledger.state.stage === 'unknown').length,
		unidentified: outcomes.flatMap(({ job: { ledger } }) => ledger.state.unidentified ?? []),
		isListUnreliable: run.isListUnreliable,
		leftOut,
	});
	showHints(context, hints);
}
