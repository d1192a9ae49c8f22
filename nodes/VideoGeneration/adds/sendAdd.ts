import type { IDataObject } from 'n8n-workflow';
import { ENDPOINTS } from '../api/endpoints';
import { sendRequest, type Service } from '../api/request';
import { toText } from '../api/response';
import { classifyError } from '../failures/errors';
import { BROKEN_OFF, CANCELLED, type RequestFailure, TIMED_OUT } from '../failures/failure';
import { toLine } from '../failures/texts';
import type { Job } from '../item/job';
import { keepPlain } from '../item/ledger';
import { logInfo } from '../n8n/execution';
import type { WaitSettings } from '../waiting/waitForVideo';
import { getKeyVideos } from '../waiting/accountVideos';
import { readAddResponse } from './addResponse';

/** The order of Video > Generate and Queue > Add, with the options that are set. */
export interface VideoOrder {
	/** The body of the request; empty for a video that is paid for. */
	body: { projectId?: string; overwriteSettings?: boolean; customPrompt?: string };
	/** How the video is waited for; undefined if it is not. */
	wait?: WaitSettings | undefined;
	/** "Credits to Keep" and "Credits per Video". */
	spending?: { creditsToKeep: number; cost: number } | undefined;
	maxVideos?: number | undefined;
	uniqueKey?: string | undefined;
}

export type VideoJob = Job<VideoOrder>;

/** A video that was queued just now. */
export interface PaidVideo {
	queueItem: IDataObject;
	/** When its add was sent, by `performance.now()`. */
	sentAt: number;
}

/** Timeout of an add, unless "Request Options" has another: an add cannot be sent again. */
const ADD_TIMEOUT_MS = 300_000;

/**
 * Sends an add once (specification, "POST /v1/queue/add"). Its fate is unknown until the error or the response proves
 * another one, which is noted before any other code runs.
 *
 * @throws a RequestFailure with the fate of the add
 */
export async function sendAdd(job: VideoJob, service: Service): Promise<PaidVideo> {
	const { api, context, ledger, order } = job;
	const { connection } = api;
	const sentAt = performance.now();
	// Its video may be listed before it is answered, and is owed if its fate stays unknown.
	const videos = getKeyVideos(service);
	const expected = videos.expect(order.body.projectId, sentAt);
	ledger.keep({ stage: 'unknown' });
	const timeout = connection.timeout ?? ADD_TIMEOUT_MS;
	const request = { ...ENDPOINTS.addToQueue, body: order.body, ...connection, timeout };
	const result = await sendRequest(service, request).then(
		(response) => readAddResponse(response, service.baseUrl + request.url),
		(error: unknown) => explainError(classifyError(error)),
	);
	const { fate, receivedQueueId } = 'facts' in result ? result.facts : {};
	videos.release(expected, fate === 'unknown');
	if ('queueItem' in result) return { queueItem: accept(job, result.queueItem), sentAt };
	if (fate === 'unknown') ledger.keepUnknown(result);
	else ledger.keep({ stage: 'new' });
	if (receivedQueueId) logInfo(job.context, `An add was answered with ${quote(receivedQueueId)}`);
	throw context.getExecutionCancelSignal()?.aborted ? CANCELLED.with({ fate }) : result;
}

/** Without proof that it never left, the fate of an add is unknown: an abort that is not ours is a timeout. */
function explainError(failure: RequestFailure): RequestFailure {
	if (failure.facts.fate === 'notSent') return failure;
	if (failure.kind === 'uncertain') return failure.with({ fate: 'unknown' });
	return (failure.kind === 'cancelled' ? TIMED_OUT : BROKEN_OFF).with({ fate: 'unknown' });
}

/** Notes an accepted add. */
function accept(job: VideoJob, received: IDataObject): IDataObject {
	const { ledger, order } = job;
	const { queueId, createdAt, projectId: receivedProjectId, ...details } = received;
	const projectId = toText(receivedProjectId) || order.body.projectId;
	const date = toText(createdAt) || undefined;
	ledger.keep({
		stage: 'queued',
		failure: undefined,
		details: keepPlain(details),
		queueId: queueId as string,
		projectId,
		createdAt: date,
	});
	// If n8n is killed, this line is the only record of what Queue > Wait needs.
	const id = JSON.stringify(queueId);
	const at = date === undefined ? '' : ` at ${quote(date)}`;
	logInfo(job.context, `Queued video ${id} of project ${quote(projectId ?? '')}${at}`);
	// The fields that people use come first.
	return { queueId, status: details.status, ...received, ...(projectId && { projectId }) };
}

const quote = (text: string) => JSON.stringify(toLine(text));
