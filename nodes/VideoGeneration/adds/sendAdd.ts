import type { IDataObject } from 'n8n-workflow';
import { ENDPOINTS } from '../api/endpoints';
import type { Service } from '../api/request';
import { sendRequest } from '../api/request';
import type { HttpResponse } from '../api/response';
import {
	checkBody,
	createIncomplete,
	isObject,
	parseBody,
	requireObject,
	toText,
} from '../api/response';
import { classifyError } from '../failures/errors';
import type { RequestFailure } from '../failures/failure';
import { BROKEN_OFF, CANCELLED, TIMED_OUT } from '../failures/failure';
import { judgeAdd } from '../failures/fate';
import type { Job } from '../item/job';
import { logInfo } from '../item/job';
import { keepPlain } from '../item/ledger';
import type { VideoOrder } from './order';

/** Timeout of an add, unless "Request Options" has another: an add cannot be sent again. */
const ADD_TIMEOUT_MS = 300_000;

/**
 * Sends an add once (specification, "POST /v1/queue/add"). Its fate is unknown from here on, until the error
 * or the response proves another one, which is noted before any other code runs.
 *
 * @returns the queue item
 * @throws a RequestFailure with the fate of the add
 */
export async function sendAdd(job: Job<VideoOrder>, service: Service): Promise<IDataObject> {
	const { api, context, ledger, order } = job;
	const { connection } = api;
	ledger.keep({ stage: 'unknown' });
	const timeout = connection.timeout ?? ADD_TIMEOUT_MS;
	const request = { ...ENDPOINTS.addToQueue, body: order.body, ...connection, timeout };
	const result = await sendRequest(service, request).then(
		(response) => readResponse(response, service.baseUrl + request.url),
		(error: unknown) => explainError(classifyError(error)),
	);
	if ('queueItem' in result) return accept(job, result.queueItem);
	const { fate, receivedQueueId } = result.facts;
	if (fate === 'unknown') ledger.keepUnknown(result);
	else ledger.keep({ stage: 'new' });
	if (receivedQueueId) logInfo(job, `An add was answered with ${quote(receivedQueueId)}`);
	throw context.getExecutionCancelSignal()?.aborted ? CANCELLED.with({ fate }) : result;
}

/** Without proof that it never left, the fate of an add is unknown: an abort that is not ours is a timeout. */
function explainError(failure: RequestFailure): RequestFailure {
	if (failure.facts.fate === 'notSent') return failure;
	if (failure.kind === 'uncertain') return failure.with({ fate: 'unknown' });
	return (failure.kind === 'cancelled' ? TIMED_OUT : BROKEN_OFF).with({ fate: 'unknown' });
}

/** A field with a queue ID, whether or not the body is JSON as a whole. */
const QUEUE_ID = /"queueId"\s{0,9}:\s{0,9}(?:"\s{0,9}([^\s"][^"]{0,199})|(-?\d{1,99}))/;

/** How much of a response of unknown fate is shown. */
const MAX_RECEIVED_LENGTH = 300;

/** Reads the queue item of the response to an add, or why there is none. */
export function readResponse(
	response: HttpResponse,
	url: string,
): { queueItem: IDataObject } | RequestFailure {
	const { headers, statusCode, text } = response;
	const body = parseBody(text);
	const { status, newQueueItem } = isObject(body) ? body : {};
	const queueId = isObject(newQueueItem) ? parseQueueId(newQueueItem.queueId) : '';
	const [, word, number] = QUEUE_ID.exec(text) ?? [];
	const receivedQueueId = word ?? number;
	const { location } = headers;
	const namesQueueItem = receivedQueueId !== undefined;
	const fate = judgeAdd({ statusCode, url, location, status, queueId, namesQueueItem });
	if (fate === 'accepted') return { queueItem: { ...(newQueueItem as IDataObject), queueId } };
	const failure = explainResponse(response, body).with({ fate });
	if (fate !== 'unknown' || text === '') return failure;
	return failure.with({ receivedText: text.slice(0, MAX_RECEIVED_LENGTH), receivedQueueId });
}

/** JavaScript rounds numbers beyond its integers, so such a number is no ID. */
function parseQueueId(value: unknown): string {
	const isId = typeof value === 'string' ? value.trim() !== '' : Number.isSafeInteger(value);
	return isId ? String(value) : '';
}

function explainResponse(response: HttpResponse, body: unknown): RequestFailure {
	try {
		requireObject(checkBody(response, body), 'newQueueItem');
		return createIncomplete('newQueueItem.queueId');
	} catch (error) {
		return classifyError(error);
	}
}

/** Notes an accepted add. */
function accept(job: Job<VideoOrder>, received: IDataObject): IDataObject {
	const { ledger, order } = job;
	const { queueId, createdAt, projectId: receivedProjectId, ...details } = received;
	const projectId = toText(receivedProjectId) || order.body.projectId;
	ledger.keep({
		stage: 'queued',
		failure: undefined,
		details: keepPlain(details),
		queueId: queueId as string,
		...(projectId === undefined ? {} : { projectId }),
		...(typeof createdAt === 'string' ? { createdAt } : {}),
	});
	// If n8n is killed, this line is the only record of the queue ID.
	logInfo(job, `Queued video ${JSON.stringify(queueId)} of project ${quote(projectId ?? '')}`);
	// The fields that people use come first.
	return { queueId, status: details.status, ...received, ...(projectId && { projectId }) };
}

const MAX_LOGGED_LENGTH = 200;

function quote(text: string): string {
	return JSON.stringify(text.slice(0, MAX_LOGGED_LENGTH));
}
