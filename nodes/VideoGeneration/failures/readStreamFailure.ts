import { readFailure } from './readFailure';
import { RequestFailure } from './requestFailure';

/** A stream that breaks off fails with the HTTP client's error, or with one of Node.js. */
export function readStreamFailure(error: unknown): RequestFailure {
	const { code, message } = error as { code?: unknown; message?: string };
	const failure = readFailure({ message, cause: error });
	if (failure.kind !== 'unsent') return failure;
	const httpCode = code === 'ETIMEDOUT' ? code : 'ECONNRESET';
	return new RequestFailure('uncertain', { httpCode });
}
