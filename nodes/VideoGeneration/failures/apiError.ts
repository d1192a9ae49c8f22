import type { Failure, INode } from 'n8n-workflow';
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
	error.failure = getCause(failure);
	return error;
}

/**
 * n8n pauses a failing trigger by the cause of the failure: for 30 minutes if a person has to act, or
 * else a little longer each time. Without a cause, n8n would treat a web page or a 404 as permanent,
 * although both can pass. Older versions ignore the cause.
 */
function getCause({ facts }: RequestFailure): Failure {
	const { kind, httpCode = '', retryAfterMs } = facts;
	if (kind === 'rejected' && ['401', '403'].includes(httpCode)) {
		return { cause: 'credential-invalid' };
	}
	if (kind === 'badCredential' && facts.isBaseUrl) {
		return { cause: 'configuration-invalid' };
	}
	const cause = kind === 'rateLimited' ? 'rate-limited' : 'temporarily-unavailable';
	return { cause, retryAfterMs };
}
