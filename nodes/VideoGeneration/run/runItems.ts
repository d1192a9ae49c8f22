import type {
	IExecuteFunctions,
	IExecutePaginationFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
	INodePropertyRouting,
} from 'n8n-workflow';
import { pause } from '../request/pause';
import { getPreparedItem, refuseItem } from '../request/prepareRequest';
import { sendByPolicy } from '../request/sendByPolicy';
import { createItemContext } from './createItemContext';
import { readBatching, readRequestOptions } from './requestOptions';

interface Prepared {
	item: IExecutePaginationFunctions;
	request: IHttpRequestOptions;
}

type Outcome = { output: INodeExecutionData[] } | { error: unknown };

/**
 * Carries out one operation for all input items: each one's request is prepared before the first of them
 * is sent, so that nothing is spent when an item stops the run for want of a parameter.
 *
 * @param defaults what stands in the request before the steps of `routing.send.preSend`
 * @returns the output of all items, in the order of the items
 * @throws the error of the first item that failed, with the node set to stop
 */
export async function runItems(
	context: IExecuteFunctions,
	defaults: IHttpRequestOptions,
	{ send, output }: INodePropertyRouting,
): Promise<INodeExecutionData[]> {
	const prepared: Prepared[] = [];
	for (const [itemIndex, input] of context.getInputData().entries()) {
		const item = createItemContext(context, itemIndex, input, output?.postReceive ?? []);
		let request: IHttpRequestOptions = { ...defaults, qs: {}, body: {}, headers: {} };
		const problem = setRequestOptions(item, request);
		for (const step of send?.preSend ?? []) request = await step.call(item, request);
		if (problem !== undefined) refuseItem(getPreparedItem(request), problem);
		prepared.push({ item, request });
	}

	const { size, intervalMs } = readBatching(context);
	const outcomes: Promise<Outcome>[] = [];
	for (const { item, request } of prepared) {
		const isNextBatch = outcomes.length > 0 && outcomes.length % size === 0;
		if (isNextBatch && intervalMs > 0) {
			const { endSignal } = getPreparedItem(request).run;
			await pause(intervalMs, [context.getExecutionCancelSignal(), endSignal]);
		}
		const requestData = { options: request, preSend: [], postReceive: [] };
		outcomes.push(settle(sendByPolicy.call(item, requestData)));
	}
	return (await Promise.all(outcomes)).flatMap((outcome) => {
		if ('error' in outcome) throw outcome.error;
		return outcome.output;
	});
}

/** @returns why they cannot be used, if they cannot */
function setRequestOptions(
	item: IExecutePaginationFunctions,
	request: IHttpRequestOptions,
): unknown {
	try {
		Object.assign(request, readRequestOptions(item));
		return undefined;
	} catch (error) {
		return error;
	}
}

/** At once: an item that fails while others wait for their batch would count as an error that nobody handles. */
async function settle(output: Promise<INodeExecutionData[]>): Promise<Outcome> {
	try {
		return { output: await output };
	} catch (error) {
		return { error };
	}
}
