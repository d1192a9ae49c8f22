import type { INode } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import type { RequestFailure } from './failure';
import type { FailureText } from './texts';

/**
 * The error that n8n shows. It is made of the failure's facts alone: no request, and so no key,
 * is carried along.
 *
 * @returns a NodeApiError with `message`, `description`, and the `httpCode` by which n8n recognises
 * a rate limit and a key problem
 */
export function createApiError(
	node: INode,
	failure: RequestFailure,
	{ message, description }: FailureText,
): NodeApiError {
	const httpCode = failure.facts.httpCode ?? 'none';
	const error = new NodeApiError(node, { message, httpCode }, { message, description, httpCode });
	// n8n replaces the message with a stock text where it knows the code.
	error.message = message;
	error.description = description;
	error.messages = [];
	const { retryAfterMs } = failure.facts;
	// For how long n8n pauses a trigger; older versions ignore it.
	if (failure.kind === 'rateLimited' && retryAfterMs !== undefined) {
		error.failure = { cause: 'rate-limited', retryAfterMs };
	}
	return error;
}
