import type {
	DeclarativeRestApiSettings,
	IDataObject,
	IExecutePaginationFunctions,
	INodeExecutionData,
} from 'n8n-workflow';
import { explainFailure } from './explainFailure';
import { logQueuedVideo } from './logQueuedVideo';
import type { PreparedItem } from './prepareRequest';
import { getPreparedItem } from './prepareRequest';
import { readText } from './readText';
import { RequestFailure } from '../failures/requestFailure';
import { sendWithRetries } from './sendWithRetries';

type RequestData = DeclarativeRestApiSettings.ResultOptions;

/**
 * Sends the request of one item: the one place that decides about order, retries, item linking and
 * failures. It is called once for each item, for all at once: by `runItems`, or by n8n's routing as the
 * node's `pagination`.
 *
 * @returns the item's output, linked to its input item; with the node set to continue on an error
 * also for a failed one: `{ error, message, details }`
 * @throws a NodeApiError, or a NodeOperationError for a parameter of no use, with the node set to stop
 */
export async function sendByPolicy(
	this: IExecutePaginationFunctions,
	requestData: RequestData,
): Promise<INodeExecutionData[]> {
	const item = getPreparedItem(requestData.options);
	if (!item.run.isAlive()) return [];

	const outcome = await sendItem(this, requestData, item).then(
		(output) => ({ output }),
		(reason: unknown) => ({ reason }),
	);
	endToolCall(item, 'output' in outcome);
	const pairedItem = { item: this.getItemIndex() };
	if ('output' in outcome) {
		return outcome.output.map((each) => ({ ...each, json: dropEmptyError(each.json), pairedItem }));
	}
	if (isEndedByAnother(this, outcome.reason, item)) return [];

	const { error, details } = await explainFailure(this, outcome.reason, item);
	if (item.run.isStopping) {
		item.run.end();
		error.context.itemIndex = this.getItemIndex();
		throw error;
	}
	const { message, description } = error;
	return [{ json: { error: message, message: description ?? message, details }, pairedItem }];
}

async function sendItem(
	context: IExecutePaginationFunctions,
	requestData: RequestData,
	item: PreparedItem,
): Promise<INodeExecutionData[]> {
	if (item.inputError !== undefined) throw item.inputError as Error;
	if (item.run.endSignal.aborted) throw new RequestFailure('cancelled');

	const { requestKind, perform, complete } = item.policy;
	if (perform) return await perform(context, item);
	const output =
		requestKind === 'add'
			? await sendAdd(context, requestData, item)
			: await sendRequest(context, requestData, item);
	return complete ? await complete(context, item, output) : output;
}

async function sendRequest(
	context: IExecutePaginationFunctions,
	requestData: RequestData,
	item: PreparedItem,
): Promise<INodeExecutionData[]> {
	const output = await sendTries(context, requestData, item);
	if (output !== 'alreadyCleared') return output;
	return [{ json: { queueId: item.details.queueId, deleted: true } }];
}

/** Sends one add, in its turn, unless an earlier try of this run has already paid for it. */
async function sendAdd(
	context: IExecutePaginationFunctions,
	requestData: RequestData,
	item: PreparedItem,
): Promise<INodeExecutionData[]> {
	const { run, accepted, details } = item;
	const key = `${context.getItemIndex()} ${JSON.stringify(requestData.options.body)}`;
	const add = await run.takeTurn(async () => {
		const known = accepted.get(key);
		// An agent may want the same video twice, at the same time: the memory is shared by its calls.
		if (known && !(run.isToolCall && known.isInUse)) return known;
		const output = (await sendTries(context, requestData, item)) as INodeExecutionData[];
		const { queueId, projectId, status } = output[0]?.json ?? {};
		logQueuedVideo(context, readText(queueId), readText(projectId) || (details.projectId ?? ''));
		return { queueId: readText(queueId), lastStatus: readText(status), output, isInUse: true };
	});
	add.isInUse = true;
	accepted.set(key, add);
	run.acceptedAdds.push(add);
	item.add = add;
	details.queueId = add.queueId;
	return structuredClone(add.output);
}

/** A call of an agent that has failed leaves its add to the next try; one that has succeeded is done with it. */
function endToolCall({ run, accepted, add }: PreparedItem, hasSucceeded: boolean): void {
	if (!run.isToolCall || !add) return;
	add.isInUse = false;
	if (!hasSucceeded) return;
	for (const [key, known] of accepted) if (known === add) accepted.delete(key);
}

async function sendTries(
	context: IExecutePaginationFunctions,
	requestData: RequestData,
	{ policy, run, maxTries }: PreparedItem,
): Promise<INodeExecutionData[] | 'alreadyCleared'> {
	const signals = [context.getExecutionCancelSignal(), run.endSignal];
	const send = async () => {
		if (signals.some((signal) => signal?.aborted)) throw new RequestFailure('cancelled');
		return await context.makeRoutingRequest(requestData);
	};
	return await sendWithRetries(send, { requestKind: policy.requestKind, maxTries, signals });
}

/** An item that was held back or given up because another one failed has nothing to tell: n8n throws that one's error. */
function isEndedByAnother(
	context: IExecutePaginationFunctions,
	reason: unknown,
	{ run }: PreparedItem,
): boolean {
	return (
		reason instanceof RequestFailure &&
		reason.kind === 'cancelled' &&
		run.endSignal.aborted &&
		context.getExecutionCancelSignal()?.aborted !== true
	);
}

/** n8n takes an item with an empty `error` for a failed one, and runs the whole node again. */
function dropEmptyError(json: IDataObject): IDataObject {
	if (json.error !== '' && json.error !== 0) return json;
	return Object.fromEntries(Object.entries(json).filter(([key]) => key !== 'error'));
}
