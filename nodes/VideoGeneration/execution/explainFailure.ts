import type { IDataObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { fetchRemainingCredits } from '../api/endpoints';
import { createKeyHider, hideKey } from '../api/hideKey';
import { toText } from '../api/response';
import { createApiError } from '../failures/apiError';
import { describeDownloadFailure } from '../failures/downloadTexts';
import { isAboutCredits, RequestFailure } from '../failures/failure';
import { describeFailure } from '../failures/texts';
import { isAmbiguous } from './finishVideo';
import type { Job } from './job';
import { listStates } from './memory';

export interface ExplainedFailure {
	error: NodeApiError | NodeOperationError;
	/** The data that a workflow can act on. */
	details: IDataObject;
}

/** Turns the reason why an item failed into the error that n8n shows and the data of an error item. */
export async function explainFailure(job: Job, reason: unknown): Promise<ExplainedFailure> {
	const { context, memory, operation, run } = job;
	const { queueId } = memory.state;
	const isAdd = operation.requestKind === 'add';
	const ids: IDataObject = {
		...operation.getIds?.(job.request),
		...(queueId === undefined ? {} : { queueId }),
		...getVideo(memory),
	};
	const explained =
		reason instanceof RequestFailure
			? await explainRequest(job, reason)
			: { error: toError(job, reason), facts: {} };
	const { error } = explained;
	error.context.itemIndex = context.getItemIndex();
	if (run.stopsOnError) await listPaidVideos(job, error);
	if (run.isAgentStep && run.stopsOnError) tellAgent(error);
	const details = {
		...ids,
		...explained.facts,
		mayBeQueued: isAdd ? memory.isFateUnknown() : undefined,
	};
	return { error, details: JSON.parse(JSON.stringify(details)) as IDataObject };
}

async function explainRequest(
	{ connection, context, memory, operation }: Job,
	reason: RequestFailure,
): Promise<{ error: NodeApiError; facts: IDataObject }> {
	const failure = await hideKey(context, reason);
	const { facts } = failure;
	const { httpCode, serviceMessage, receivedText, receivedQueueId, tries, lastStatus } = facts;
	const isAdd = operation.requestKind === 'add';
	const mayBeQueued = isAdd && memory.isFateUnknown();
	// Once the add was accepted, a later request has failed.
	const isQueued = isAdd && memory.state.queueId !== undefined;
	// A single try: the error matters more than the balance in it.
	const remainingCredits =
		isAdd && !isQueued && !mayBeQueued && isAboutCredits(failure)
			? await fetchRemainingCredits(context, { maxTries: 1, connection }).catch(() => undefined)
			: 'remainingCredits' in facts
				? facts.remainingCredits
				: undefined;
	const text =
		facts.addressField !== undefined
			? describeDownloadFailure(failure)
			: describeFailure(failure, {
					...(isQueued ? {} : operation.texts),
					remainingCredits,
					requestKind: isQueued ? 'read' : operation.requestKind,
					isQueued,
					mayBeQueued,
				});
	return {
		error: createApiError(context.getNode(), failure, text),
		facts: {
			httpCode,
			serviceMessage,
			receivedText,
			receivedQueueId,
			tries,
			lastStatus,
			uniqueKey: 'uniqueKey' in facts ? facts.uniqueKey : undefined,
			remainingCredits,
		},
	};
}

function toError({ context }: Job, reason: unknown): NodeApiError | NodeOperationError {
	return reason instanceof NodeOperationError || reason instanceof NodeApiError
		? reason
		: new NodeOperationError(context.getNode(), reason as Error);
}

/** The finished item's video, or the entries that may be it. */
function getVideo({ extras, state }: Job['memory']): IDataObject {
	const finished = extras.finished ?? state.finished;
	if (finished === undefined) return {};
	const { videoUrl, videoCandidates } = finished;
	return isAmbiguous(finished) ? { videoCandidates } : { videoUrl };
}

/**
 * With the node set to stop, n8n drops the other items' output, so the error lists what was paid for:
 * in its text, and as data for an error workflow.
 */
async function listPaidVideos(
	{ context, memory, operation, run }: Job,
	error: NodeApiError | NodeOperationError,
): Promise<void> {
	if (operation.requestKind !== 'add') return;
	const states = listStates(context);
	if (states.length === 0) states.push([context.getItemIndex(), memory.state]);
	const accepted = states.map(([, state]) => state).filter(({ queueId }) => queueId !== undefined);
	const unknown = states.filter(([, state]) => state.fate === 'unknown' && state !== memory.state);
	const sentences = [error.description];
	if (accepted.length > 0) {
		const hide = await createKeyHider(context);
		const list = accepted
			.map(({ queueId, details }) => {
				const status = hide?.(toText(details?.status)) ?? '';
				return status === '' ? queueId : `${queueId} (${status})`;
			})
			.join(', ');
		const lead = run.isAgentStep
			? 'Queued and paid for, so do not queue it again:'
			: 'Already queued, and not queued again by a retry of this execution:';
		sentences.push(`${lead} ${list}.`);
		error.context.acceptedQueueIds = accepted.map(({ queueId }) => queueId);
	}
	if (memory.state.fate === 'unknown' || unknown.length > 0) error.context.mayBeQueued = true;
	if (unknown.length > 0) {
		const list = unknown.map(([itemIndex]) => `item ${itemIndex}`).join(', ');
		sentences.push(`Other items that may have been queued and paid for: ${list}.`);
	}
	error.description = sentences.filter(Boolean).join(' ');
}

/** n8n gives an agent's model only the message, and takes "canceled" in it for a stopped execution. */
function tellAgent(error: NodeApiError | NodeOperationError): void {
	if (!error.description) return;
	error.message = `${error.message}. ${error.description}`.replaceAll('canceled', 'cancelled');
	error.description = null;
}
