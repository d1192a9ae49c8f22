import type { IDataObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { fetchRemainingCredits } from '../api/endpoints';
import { hideKey } from '../api/hideKey';
import { createApiError } from '../failures/apiError';
import { describeDownloadFailure } from '../failures/downloadTexts';
import { isAboutCredits, mayBeCarriedOut, RequestFailure } from '../failures/failure';
import { describeFailure } from '../failures/texts';
import type { Job } from './operation';
import { listOrders } from './orders';

export interface ExplainedFailure {
	error: NodeApiError | NodeOperationError;
	/** The data that a workflow can act on. */
	details: IDataObject;
}

/** Turns the reason why an item failed into the error that n8n shows and the data of an error item. */
export async function explainFailure(job: Job, reason: unknown): Promise<ExplainedFailure> {
	const { context, operation, run, order } = job;
	const isAdd = operation.requestKind === 'add';
	const ids: IDataObject = { ...operation.getIds?.(job.request) };
	if (order?.queueId !== undefined) ids.queueId = order.queueId;
	Object.assign(ids, job.video);
	const explained =
		reason instanceof RequestFailure
			? await explainRequest(job, reason)
			: { error: toError(job, reason), facts: {} };
	const { error } = explained;
	error.context.itemIndex = context.getItemIndex();
	if (run.stopsOnError) listPaidVideos(job, error);
	if (run.isAgentStep && run.stopsOnError) tellAgent(error);
	const mayBeQueued =
		reason instanceof RequestFailure && ids.queueId === undefined && mayBeCarriedOut(reason);
	const details = { ...ids, ...explained.facts, mayBeQueued: isAdd ? mayBeQueued : undefined };
	return { error, details: JSON.parse(JSON.stringify(details)) as IDataObject };
}

async function explainRequest(
	{ context, operation, request, order }: Job,
	reason: RequestFailure,
): Promise<{ error: NodeApiError; facts: IDataObject }> {
	const failure = await hideKey(context, reason);
	const { httpCode, serviceMessage, tries, lastStatus, addressField } = failure.facts;
	// A single try: the error matters more than the balance in it.
	const remainingCredits =
		operation.requestKind === 'add' && isAboutCredits(failure)
			? await fetchRemainingCredits(context, { maxTries: 1, connection: request }).catch(
					() => undefined,
				)
			: failure.facts.remainingCredits;
	const text =
		addressField !== undefined
			? describeDownloadFailure(failure)
			: describeFailure(failure.with(remainingCredits === undefined ? {} : { remainingCredits }), {
					...operation.texts,
					// Once the add was accepted, a later request failed.
					requestKind: order?.fate === 'accepted' ? 'read' : operation.requestKind,
				});
	return {
		error: createApiError(context.getNode(), failure, text),
		facts: { httpCode, serviceMessage, tries, lastStatus, remainingCredits },
	};
}

function toError({ context }: Job, reason: unknown): NodeApiError | NodeOperationError {
	return reason instanceof NodeOperationError || reason instanceof NodeApiError
		? reason
		: new NodeOperationError(context.getNode(), reason as Error);
}

/** With the node set to stop, n8n drops the other items' output, so the error lists what was paid for. */
function listPaidVideos(
	{ context, run, order }: Job,
	error: NodeApiError | NodeOperationError,
): void {
	const orders = listOrders(context);
	if (orders.length === 0 && order !== undefined) orders.push([context.getItemIndex(), order]);
	const accepted = orders.filter(([, { fate }]) => fate === 'accepted').map(([, each]) => each);
	const unknown = orders.filter(([, each]) => each.fate === 'unknown' && each !== order);
	const sentences = [error.description];
	if (accepted.length > 0) {
		const list = accepted.map(({ queueId, lastStatus }) => `${queueId} (${lastStatus})`).join(', ');
		const lead = run.isAgentStep
			? 'Queued and paid for, so do not queue it again:'
			: 'Already queued, and not queued again by Retry On Fail:';
		sentences.push(`${lead} ${list}.`);
		error.context.acceptedQueueIds = accepted.map(({ queueId }) => queueId);
	}
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
