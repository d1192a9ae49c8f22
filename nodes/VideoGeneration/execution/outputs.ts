import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	NodeExecutionHint,
} from 'n8n-workflow';
import * as n8nWorkflow from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { fetchRemainingCredits } from '../api/endpoints';
import { resolveService } from '../api/request';
import { toText } from '../api/response';
import { createApiError, putAllInMessage } from '../failures/errors';
import type { FailureKind } from '../failures/failure';
import { isAboutCredits, RequestFailure } from '../failures/failure';
import { TELL_APART } from '../failures/texts';
import { isAssumptionBroken } from '../waiting/accountVideos';
import { isAmbiguous } from './finishVideo';
import type { Job, Outcome } from './job';
import type { ItemState } from './memory';
import { listStates } from './memory';

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
export function knowsDetails(context: object): boolean {
	return 'redactedHeaders' in n8nWorkflow && 'isConsoleOutputRedacted' in context;
}

interface ExplainedFailure {
	error: NodeApiError | NodeOperationError;
	/** The data that a workflow can act on. */
	details: IDataObject;
}

/** Turns the reason why an item failed into the error that n8n shows and the data of an error item. */
export async function explainFailure(job: Job, reason: unknown): Promise<ExplainedFailure> {
	const { context, memory, operation, request, run } = job;
	const failure = reason instanceof RequestFailure ? reason : undefined;
	const { queueId, projectId, createdAt } = memory.state;
	const isAdd = operation.requestKind === 'add';
	const mayBeQueued = isAdd && memory.isFateUnknown();
	const remainingCredits = failure && (await getRemainingCredits(job, failure));
	const error = failure
		? createRequestError(job, failure, { mayBeQueued, remainingCredits })
		: toError(job, reason);
	error.context.itemIndex = context.getItemIndex();
	if (run.stopsOnError && isAdd) listPaidVideos(job, error, failure?.kind);
	// An agent's model gets only the message.
	if (run.isAgentStep && run.stopsOnError) {
		putAllInMessage(error);
		error.description = null;
	}
	const { httpCode, serviceMessage, receivedText, receivedQueueId, tries, lastStatus, uniqueKey } =
		failure?.facts ?? {};
	const facts = { httpCode, serviceMessage, receivedText, receivedQueueId, tries, lastStatus };
	const ids = {
		...operation.getIds?.(request),
		...(projectId !== undefined && { projectId }),
		...(queueId !== undefined && { queueId, createdAt }),
	};
	const money = { uniqueKey, remainingCredits, mayBeQueued: isAdd ? mayBeQueued : undefined };
	const details = { ...ids, ...getVideo(job), ...facts, ...money };
	return { error, details: JSON.parse(JSON.stringify(details)) as IDataObject };
}

function createRequestError(
	{ context, memory, operation, run }: Job,
	failure: RequestFailure,
	known: { mayBeQueued: boolean; remainingCredits: number | undefined },
): NodeApiError {
	const { requestKind, texts } = operation;
	// The progress is known once the add was accepted, or a look has found the item: a later request has failed.
	const isQueued = memory.state.details !== undefined;
	const ofRequest =
		isQueued && requestKind === 'add'
			? { requestKind: 'read' as const, isQueued }
			: { ...texts, requestKind, isQueued };
	const { canBeRetried } = run;
	return createApiError(context.getNode(), failure, { ...ofRequest, ...known, canBeRetried });
}

/** The account's credits, for an add that was refused for lack of them. */
async function getRemainingCredits(
	{ connection, context, memory, operation, run }: Job,
	failure: RequestFailure,
): Promise<number | undefined> {
	const isAdd = operation.requestKind === 'add' && memory.state.queueId === undefined;
	if (!isAdd || memory.isFateUnknown() || !isAboutCredits(failure)) {
		return failure.facts.remainingCredits;
	}
	// A single try: the error matters more than the balance in it.
	const options = { maxTries: 1, connection };
	return await resolveService(context)
		.then(
			async ({ account }) =>
				await run.share(account, Infinity, () => fetchRemainingCredits(context, options)),
		)
		.catch(() => undefined);
}

function toError({ context }: Job, reason: unknown): NodeApiError | NodeOperationError {
	return reason instanceof NodeOperationError || reason instanceof NodeApiError
		? reason
		: new NodeOperationError(context.getNode(), reason as Error);
}

/** The finished item's video, or the entries that may be it. */
function getVideo({ memory: { extras, state } }: Job): IDataObject {
	const finished = extras.finished ?? state.finished;
	if (finished === undefined) return {};
	const { videoUrl, videoCandidates } = finished;
	return isAmbiguous(finished) ? { videoCandidates } : { videoUrl };
}

/** A retry would end on the same failed item again. */
const CONTINUE =
	"To get the other items' videos, set 'On Error' in the node's settings to 'Continue', and retry the execution with the currently saved workflow.";

/**
 * With the node set to stop, n8n drops the other items' output, so the error lists what was paid for:
 * in its text, and as data for an error workflow.
 */
function listPaidVideos(
	{ context, memory, run }: Job,
	error: NodeApiError | NodeOperationError,
	kind: FailureKind | undefined,
): void {
	const states = listStates(context);
	if (states.length === 0) states.push([context.getItemIndex(), memory.state]);
	const accepted = states.map(([, state]) => state).filter(({ queueId }) => queueId !== undefined);
	const unknown = states.filter(([, state]) => state.fate === 'unknown' && state !== memory.state);
	// What the service said ends without a full stop.
	const sentences = [error.description?.replace(/"$/, '".')];
	if (accepted.length > 0) {
		const lead = run.canBeRetried
			? 'Already queued and paid for. To go on without paying again, select Retry under Executions; a new run queues them again:'
			: 'Queued and paid for, so do not queue it again:';
		sentences.push(`${lead} ${accepted.map(nameItem).join(', ')}.`);
		const endsAgain =
			kind === 'notGenerated' || kind === 'ambiguousVideo' || memory.isFateUnknown();
		if (endsAgain && accepted.some((state) => state !== memory.state)) sentences.push(CONTINUE);
		error.context.acceptedQueueIds = accepted.map(({ queueId }) => queueId);
	}
	if (memory.state.fate === 'unknown' || unknown.length > 0) error.context.mayBeQueued = true;
	if (unknown.length > 0) {
		const list = unknown.map(([itemIndex, state]) => nameUnknown(itemIndex, state)).join(', ');
		sentences.push(`Other items that may have been queued and paid for: ${list}.`);
	}
	error.description = sentences.filter(Boolean).join(' ');
}

function nameUnknown(itemIndex: number, { failure }: ItemState): string {
	const { receivedQueueId } = failure ?? {};
	const id = receivedQueueId === undefined ? '' : `, whose response names "${receivedQueueId}"`;
	return `item ${itemIndex}${id}`;
}

function nameItem({ queueId, details }: ItemState): string {
	const status = toText(details?.status);
	return status === '' ? `${queueId}` : `${queueId} (${status})`;
}

/**
 * Tells the person under the output of a run what they should know and cannot see: how many videos may
 * have been queued, and how many could not be identified, each with what to do. Nothing where all went
 * well.
 */
export function addHints({ context, operation, run }: Job, jobs: Job[], outcomes: Outcome[]): void {
	const isAdd = operation.requestKind === 'add';
	const mayBeQueued = isAdd ? jobs.filter(({ memory }) => memory.isFateUnknown()) : [];
	const isUnexpected = isAssumptionBroken(run.owner);
	const counts = outcomes.flatMap(getCandidateCount);
	const ambiguous = counts.filter((count) => count > 0 || isUnexpected);
	const hints = [
		describeMayBeQueued(mayBeQueued.length),
		describeAmbiguous(
			ambiguous.length,
			isUnexpected ? NOT_LISTED : isAdd ? TELL_APART : CHECK_WAIT,
		),
		describeUnlisted(counts.length - ambiguous.length),
	].flatMap((message): NodeExecutionHint[] =>
		message === undefined ? [] : [{ message, type: 'warning', location: 'outputPane' }],
	);
	const waited = describeWaited(run.waitedForOthersMs);
	if (waited) hints.push({ message: waited, type: 'info', location: 'outputPane' });
	// n8n has no hints where an agent calls its tool itself.
	const panel = context as Partial<Pick<IExecuteFunctions, 'addExecutionHints'>>;
	panel.addExecutionHints?.(...hints);
}

/** A shorter wait for other executions is not worth a hint. */
const MIN_WAITED_MS = 30_000;

function describeWaited(waitedMs: number): string | undefined {
	if (waitedMs < MIN_WAITED_MS) return undefined;
	return `The items waited ${Math.round(waitedMs / 1000)} seconds in all for other executions: the videos of one project are made one after the other.`;
}

/** @returns the number of videos that may be an item's own; an empty list for an item that has its own */
function getCandidateCount(outcome: Outcome): number[] {
	if ('reason' in outcome) {
		const { reason } = outcome;
		const isUnidentified = reason instanceof RequestFailure && reason.kind === 'ambiguousVideo';
		return isUnidentified ? [reason.facts.candidateCount ?? 0] : [];
	}
	return outcome.output
		.filter(({ json }) => isAmbiguous(json))
		.map(({ json }) => Number(json.videoCandidateCount));
}

function describeMayBeQueued(count: number): string | undefined {
	if (count === 0) return undefined;
	const subject =
		count === 1
			? '1 video may have been queued and paid for, but its queue ID did not arrive'
			: `${count} videos may have been queued and paid for, but their queue IDs did not arrive`;
	return `${subject}. Before you queue ${count === 1 ? 'it' : 'them'} again, check the credits in Account > Get, or look for new videos in Video > Get Many after a few minutes.`;
}

/** What to do if a video was missing in the list, or if items were queued elsewhere. */
const NOT_LISTED =
	"A video was missing in the list of videos: raise 'Listing Delay' under 'Wait Options', and check 'Project' and 'Queued At' if you set them.";
const CHECK_WAIT =
	"Set 'Project' and 'Queued At' to the 'projectId' and 'createdAt' that Queue > Add returned.";

function describeAmbiguous(count: number, whatToDo: string): string | undefined {
	if (count === 0) return undefined;
	const subject =
		count === 1
			? '1 video could not be told apart from others of its project'
			: `${count} videos could not be told apart from others of their project`;
	return `${subject}, so 'videoCandidates' lists what it may be. ${whatToDo}`;
}

function describeUnlisted(count: number): string | undefined {
	if (count === 0) return undefined;
	const subject = count === 1 ? '1 video is finished' : `${count} videos are finished`;
	return `${subject}, but the list of videos did not show ${count === 1 ? 'it' : 'them'}, or could not be read. Look for ${count === 1 ? 'it' : 'them'} in Video > Get Many in a few minutes.`;
}
