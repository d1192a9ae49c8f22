import type { IHttpRequestOptions, INodeExecutionData } from 'n8n-workflow';
import { REQUEST_DEFAULTS, sendRequest } from '../api/request';
import { sendWithRetries } from '../api/retry';
import { RequestFailure } from '../failures/failure';
import type { Job, Operation } from './job';

/** The request that an operation declares, before its steps. */
export function getDeclaredRequest({ routing }: Operation): IHttpRequestOptions {
	const declared = { ...REQUEST_DEFAULTS, ...routing.request, qs: {}, body: {}, headers: {} };
	return declared as unknown as IHttpRequestOptions;
}

/** Sends the declared request by the retry policy, and runs the declared steps for its response. */
export async function sendDeclaredRequest(job: Job): Promise<INodeExecutionData[]> {
	const { operation, maxTries, run } = job;
	return await sendWithRetries(async () => await run.request(async () => await sendOnce(job)), {
		requestKind: operation.requestKind,
		maxTries,
		signal: run.signal,
	});
}

async function sendOnce({ context, operation, request }: Job): Promise<INodeExecutionData[]> {
	const response = await sendRequest(context, request);
	let output: INodeExecutionData[] = [];
	try {
		for (const step of operation.routing.output?.postReceive ?? []) {
			if (typeof step === 'function') output = await step.call(context, output, response);
		}
	} catch (error) {
		throw toResponseFailure(error);
	}
	return output;
}

/** The request was sent, so an error that is not from our checks must not count as "not sent". */
function toResponseFailure(error: unknown): RequestFailure {
	if (error instanceof RequestFailure) return error;
	return new RequestFailure({ kind: 'unreadable', httpCode: '200', content: 'other' });
}
