import type { IDataObject, IExecuteSingleFunctions } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { createApiError } from '../failures/createApiError';
import { hideKey } from './hideKey';
import { isAboutCredits } from '../failures/isAboutCredits';
import { readRemainingCredits } from './readRemainingCredits';
import type { PreparedItem } from './prepareRequest';
import { RequestFailure } from '../failures/requestFailure';

export interface ExplainedFailure {
	error: NodeApiError | NodeOperationError;
	/** What a repair branch needs, as data. */
	details: IDataObject;
}

/** Turns the reason why an item failed into the error that n8n shows and the data that a workflow can act on. */
export async function explainFailure(
	context: IExecuteSingleFunctions,
	reason: unknown,
	item: PreparedItem,
): Promise<ExplainedFailure> {
	if (!(reason instanceof RequestFailure)) {
		const error =
			reason instanceof NodeOperationError || reason instanceof NodeApiError
				? reason
				: new NodeOperationError(context.getNode(), reason as Error);
		return { error: completeError(error, item), details: { ...item.details } };
	}
	const failure = await hideKey(context, reason);
	const { httpCode, serviceMessage, tries, lastStatus } = failure.facts;
	const isAdd = item.policy.requestKind === 'add';
	const remainingCredits =
		isAdd && isAboutCredits(failure) ? await readRemainingCredits(context) : undefined;
	const error = createApiError(context.getNode(), failure, {
		...item.policy,
		...(remainingCredits === undefined ? {} : { remainingCredits }),
	});
	const details = {
		...item.details,
		httpCode,
		serviceMessage,
		tries,
		lastStatus,
		remainingCredits,
		mayBeQueued: isAdd
			? ['uncertain', 'unreadable', 'incomplete'].includes(failure.kind)
			: undefined,
	};
	return {
		error: completeError(error, item),
		details: JSON.parse(JSON.stringify(details)) as IDataObject,
	};
}

function completeError<T extends NodeApiError | NodeOperationError>(
	error: T,
	item: PreparedItem,
): T {
	return tellAgent(listAccepted(error, item), item);
}

/** With the node set to stop, n8n drops what the other items got: what they paid for stands in the error. */
function listAccepted<T extends NodeApiError | NodeOperationError>(
	error: T,
	{ run }: PreparedItem,
): T {
	const { acceptedAdds } = run;
	if (!run.isStopping || acceptedAdds.length === 0) return error;
	const list = acceptedAdds
		.map(({ queueId, lastStatus }) => `${queueId} (${lastStatus})`)
		.join(', ');
	const lead = run.isAgentStep
		? 'Queued and paid for, so do not queue it again:'
		: 'Queued so far, and not queued again by Retry On Fail:';
	error.description = `${error.description ?? ''} ${lead} ${list}.`.trim();
	error.context.acceptedQueueIds = acceptedAdds.map(({ queueId }) => queueId);
	return error;
}

/** n8n hands an agent's model the message and nothing else: what to do next has to stand in it. */
function tellAgent<T extends NodeApiError | NodeOperationError>(
	error: T,
	{ run }: PreparedItem,
): T {
	if (!run.isAgentStep || !run.isStopping || !error.description) return error;
	error.message = `${error.message}. ${error.description}`;
	error.description = null;
	return error;
}
