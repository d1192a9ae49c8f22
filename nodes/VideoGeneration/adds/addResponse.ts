import type { IDataObject } from 'n8n-workflow';
import {
	checkBody,
	createIncomplete,
	type HttpResponse,
	isObject,
	parseBody,
	requireObject,
	toId,
	toText,
} from '../api/response';
import { classifyError } from '../failures/errors';
import type { Fate, RequestFailure } from '../failures/failure';
import { MAX_SHOWN_LENGTH } from '../failures/texts';

/** A field with a queue ID, whether or not the body is JSON as a whole. */
const QUEUE_ID = /"queueId"\s{0,9}:\s{0,9}(?:"\s{0,9}([^\s"][^"]{0,199})|(-?\d{1,99}))/;

/** Reads the queue item of the response to an add that was sent to `url`, or why there is none, with the add's fate. */
export function readAddResponse(response: HttpResponse, url: string) {
	const { text, isTooLong } = response;
	const body = parseBody(text);
	const { status, newQueueItem } = isObject(body) ? body : {};
	const queueId = isObject(newQueueItem) ? toId(newQueueItem.queueId) : '';
	if (response.statusCode < 300 && !isTooLong && queueId !== '') {
		return { queueItem: { ...(newQueueItem as IDataObject), queueId } };
	}
	const failure = explainAddResponse(response, body);
	const [, word, number] = QUEUE_ID.exec(text) ?? [];
	const receivedQueueId = word ?? number;
	// A response that names a queue item contradicts its own refusal, and what was not read may name one.
	const isUnnamed = receivedQueueId === undefined && !isTooLong;
	const fate = isUnnamed ? judgeAdd(response, status, url) : 'unknown';
	const receivedText = fate === 'unknown' ? text.slice(0, MAX_SHOWN_LENGTH) : '';
	return failure.with({ fate, receivedText: receivedText || undefined, receivedQueueId });
}

function explainAddResponse(response: HttpResponse, body: unknown): RequestFailure {
	try {
		requireObject(checkBody(response, body), 'newQueueItem');
		return createIncomplete('newQueueItem.queueId');
	} catch (error) {
		return classifyError(error);
	}
}

/**
 * The statuses that prove that a request was not carried out. A 303 points to the result of one that was, and a gateway may
 * send 408, 409, 423, 424, 425 and 499 after the service has accepted it.
 */
const REFUSING_STATUSES: ReadonlySet<number> = new Set([
	307, 308, 400, 401, 402, 403, 404, 405, 406, 410, 411, 413, 414, 415, 417, 421, 422, 429, 431,
	451,
]);

/** Words by which the `status` of a body says that nothing was done. */
const REFUSALS = /^(error|err|fail|failed|failure|unsuccessful|invalid|denied|rejected|refused)$/i;

/** Decides the fate of an add by its response alone, which names no queue item. */
function judgeAdd(response: HttpResponse, status: unknown, url: string): Fate {
	const { statusCode } = response;
	// A proxy asks for a user name and a password, and passes nothing on.
	if (statusCode === 407) return 'notSent';
	const isRefused =
		statusCode < 300
			? REFUSALS.test(toText(status))
			: REFUSING_STATUSES.has(statusCode) || isElsewhere(response, url);
	return isRefused ? 'refused' : 'unknown';
}

/** Whether a 301 or 302 names the same path elsewhere. Another path may be the result of a request that was carried out. */
function isElsewhere({ statusCode, headers }: HttpResponse, url: string): boolean {
	const location = toText(headers.location);
	if (![301, 302].includes(statusCode) || !URL.canParse(location, url)) return false;
	const [source, target] = [new URL(url), new URL(location, url)];
	return target.pathname === source.pathname && target.origin !== source.origin;
}
