import type { INode } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import type { FailureContext } from './FailureText';
import { describeFailure } from './describeFailure';
import type { RequestFailure } from './requestFailure';

/**
 * The error that n8n shows: made of the failure's facts alone, so that no request, and with it no
 * key, is carried along.
 *
 * @returns a NodeApiError with `message`, `description`, and the right `httpCode`, by which n8n
 * tells a rate limit and a key problem
 */
export function createApiError(
	node: INode,
	failure: RequestFailure,
	context: FailureContext,
): NodeApiError {
	const { message, description } = describeFailure(failure, context);
	const httpCode = failure.facts.httpCode ?? 'none';
	const error = new NodeApiError(
		node,
		{ message, httpCode },
		{
			message,
			description,
			httpCode,
		},
	);
	// n8n replaces a message by a stock text when it knows the code: ours says more.
	error.message = message;
	error.description = description;
	error.messages = [];
	const { retryAfterMs } = failure.facts;
	// How long n8n leaves a trigger alone that asks too often (older n8n ignores it).
	if (failure.kind === 'rateLimited' && retryAfterMs !== undefined) {
		error.failure = { cause: 'rate-limited', retryAfterMs };
	}
	return error;
}
