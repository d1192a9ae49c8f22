import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { AddResponse } from '../api/addResponse';
import { receiveAddResponse } from '../api/addResponse';
import { ENDPOINTS } from '../api/endpoints';
import { createSlots, pause } from '../api/pacing';
import type { Service } from '../api/request';
import { sendRequest } from '../api/request';
import { checkBody, createIncomplete, requireObject, toLine, toText } from '../api/response';
import { getBackoffMs, sendWithRetries } from '../api/retry';
import { classifyError } from '../failures/errors';
import type { Fate } from '../failures/failure';
import { CANCELLED, isTransient, RequestFailure } from '../failures/failure';
import { judgeAdd } from '../failures/fate';
import type { Job, Outcome } from '../item/job';
import { checkJob, logInfo } from '../item/job';
import { keepPlain } from '../item/ledger';
import type { Batching } from '../item/parameters';
import type { AccountVideos } from '../waiting/accountVideos';
import type { FinishedVideo } from '../waiting/finishVideo';
import { finishVideo, getVideosBeforeAdd, outputVideo } from '../waiting/finishVideo';
import type { WaitSettings } from '../waiting/waitForVideo';
import { guardCredits } from './creditsToKeep';
import type { Place } from './lanes';
import { enterLane } from './lanes';
import type { VideoOrder } from './order';
import { confirmKey, releaseKey, takeKey } from './uniqueKey';

type VideoJob = Job<VideoOrder>;

/** Timeout of an add, unless "Request Options" has another: an add cannot be sent again. */
const ADD_TIMEOUT_MS = 300_000;

/**
 * Makes the videos of a run. Adds are sent one at a time, in item order; those that are waited for, each in
 * its turn. Videos that an earlier try has paid for are waited for and downloaded meanwhile.
 */
export async function makeVideos(jobs: VideoJob[], batching: Batching): Promise<Outcome[]> {
	const send = createSender(batching);
	// A paid video is being made already, so it takes its place before any add.
	const isPaid = ({ ledger }: VideoJob) => Number(ledger.isPaid);
	const inTurn = [...jobs.entries()].sort(([, a], [, b]) => isPaid(b) - isPaid(a));
	const outcomes: Promise<Outcome>[] = [];
	for (const [index, job] of inTurn) {
		// The items ask for their turns in this order.
		if (job.problem === undefined) await job.open().catch(() => undefined);
		outcomes[index] = job.run.settle(job, makeVideo(job, send));
	}
	return await Promise.all(outcomes);
}

/** Makes one video: waits for its turn, pays for it, waits for its end, and outputs it. */
async function makeVideo(job: VideoJob, send: Sender): Promise<INodeExecutionData[]> {
	checkJob(job);
	const { ledger, order, run } = job;
	const { wait } = order;
	if (wait === undefined) {
		if (!ledger.isPaid) return [{ json: await send(run.signal, async () => await pay(job)) }];
		const { queueId, projectId, createdAt, details } = ledger.state;
		return [{ json: { queueId, projectId, ...details, createdAt } }];
	}
	const place = await enterLane(job, wait.videosAtOnce);
	const finished = await payAndWait(job, wait, place, send)
		.catch((reason: unknown) => {
			// The run ends before its next item takes the place.
			run.end(job, reason);
			throw reason as Error;
		})
		.finally(place.leave);
	const address = toText(finished.json.videoUrl);
	if (address !== '') place.given.add(address);
	return await outputVideo(job, wait, finished);
}

/** Pays for an item's video, unless an earlier try has, and waits for its end. */
async function payAndWait(
	job: VideoJob,
	wait: WaitSettings,
	{ given, listedFrom }: Place,
	send: Sender,
): Promise<FinishedVideo> {
	if (job.ledger.isPaid) return await finishVideo(job, wait, given);
	const videos = await send(job.run.signal, async () => {
		checkJob(job);
		const videosBefore = await getVideosBeforeAdd(job, listedFrom);
		await pay(job, videosBefore);
		return videosBefore;
	});
	return await finishVideo(job, wait, given, videos);
}

/**
 * Pays for an item's video. At most one add of an item is accepted, through all its tries: it is sent again
 * only with proof that nothing was queued.
 *
 * @returns the queue item
 */
async function pay(job: VideoJob, videos?: AccountVideos): Promise<IDataObject> {
	const { api, ledger } = job;
	checkJob(job);
	const service = await job.open();
	const budget = await guardCredits(job, service);
	const sendOnce = async () => await api.takeSlot(async () => await sendAdd(job, service, videos));
	try {
		// The key is taken just before the add is sent, and freed only with proof that nothing was queued.
		await takeKey(job);
		return await sendWithRetries(sendOnce, { ...api, requestKind: 'add' });
	} finally {
		const isSent = ledger.state.stage !== 'new';
		if (isSent) budget?.spend();
		await (isSent ? confirmKey(job) : releaseKey(job));
	}
}

type Sender = <T>(signal: AbortSignal, add: () => Promise<T>) => Promise<T>;

/** Sends adds one at a time, in batches, and after two failures in a row more slowly: so an outage does not fail every row. */
function createSender({ size, intervalMs }: Batching): Sender {
	const takeSlot = createSlots(1);
	let sent = 0;
	let failedInARow = 0;
	return async (signal, add) =>
		await takeSlot(async () => {
			if (sent > 0 && sent % size === 0) await pause(intervalMs, signal);
			if (failedInARow > 1) await pause(getBackoffMs(failedInARow - 1, 1), signal);
			sent += 1;
			const adding = add();
			const isOutage = await adding.then(
				() => false,
				(error: unknown) => isTransient(classifyError(error)),
			);
			failedInARow = isOutage ? failedInARow + 1 : 0;
			return await adding;
		});
}

/**
 * Sends the add once. Its fate is unknown from here on, until the error or the response proves another
 * one, which is noted before any other code runs.
 */
async function sendAdd(
	job: VideoJob,
	service: Service,
	videos: AccountVideos | undefined,
): Promise<IDataObject> {
	const { api, context, ledger, order } = job;
	const { connection } = api;
	const sentAt = performance.now();
	const isListKnown = videos?.list.isKnown;
	ledger.keep({ stage: 'unknown' });
	const { url } = ENDPOINTS.addToQueue;
	const timeout = connection.timeout ?? ADD_TIMEOUT_MS;
	const request = { ...ENDPOINTS.addToQueue, body: order.body, ...connection, timeout };
	const outcome = await sendRequest(service, request)
		.then(async (response) => await receiveAddResponse(service.baseUrl + url, response))
		.catch((error: unknown) => ({ error }));
	const fate = judgeAdd(outcome);
	if (fate === 'accepted' && 'queueItem' in outcome && outcome.queueItem) {
		const queueItem = accept(job, outcome.queueItem);
		const { queueId, projectId } = ledger.state;
		if (queueId !== undefined) videos?.track({ queueId, projectId, sentAt, isListKnown });
		return queueItem;
	}
	const failure = explainOutcome(outcome, fate, connection.proxy !== undefined).with({ fate });
	if (fate === 'unknown') ledger.keepUnknown(failure);
	else ledger.keep({ stage: 'new' });
	const { receivedQueueId, namingText } = failure.facts;
	const named = receivedQueueId ?? namingText;
	if (named !== undefined) logInfo(job, `An add was answered with ${quote(named)}`);
	throw context.getExecutionCancelSignal()?.aborted ? CANCELLED.with({ fate }) : failure;
}

/** Notes an accepted add. */
function accept(job: VideoJob, received: IDataObject): IDataObject {
	const { ledger, order } = job;
	const { queueId, createdAt, projectId: receivedProjectId, ...details } = received;
	const projectId = toText(receivedProjectId) || order.body.projectId;
	// The fields that people use come first.
	const { status, videoUrl } = details;
	const first = { queueId, projectId, status, videoUrl };
	const queueItem = { ...first, ...received, projectId };
	ledger.keep({
		...{ stage: 'queued', failure: undefined },
		queueId: queueId as string,
		...(projectId === undefined ? {} : { projectId }),
		...(typeof createdAt === 'string' ? { createdAt } : {}),
		details: keepPlain(details),
	});
	// If n8n is killed, this line is the only record of the queue ID.
	logInfo(job, `Queued video ${JSON.stringify(queueId)} of project ${quote(projectId ?? '')}`);
	return queueItem;
}

const MAX_LOGGED_LENGTH = 200;

function quote(text: string): string {
	return JSON.stringify(text.slice(0, MAX_LOGGED_LENGTH));
}

/** How much of a response of unknown fate is shown. */
const MAX_RECEIVED_LENGTH = 300;

/** Why there is no queue ID. */
function explainOutcome(
	outcome: AddResponse | { error: unknown },
	fate: Fate,
	isProxied: boolean,
): RequestFailure {
	if ('error' in outcome) {
		const failure = classifyError(outcome.error);
		if (isProxied) return failure.with({ isProxied });
		if (fate !== 'unknown' || failure.kind === 'uncertain') return failure;
		// An abort without an aborted signal of ours is the timeout.
		const httpCode = failure.kind === 'cancelled' ? 'ETIMEDOUT' : 'ECONNRESET';
		return new RequestFailure({ kind: 'uncertain', httpCode });
	}
	const failure = explainResponse(outcome);
	const { namesQueueItem, receivedQueueId, text, hide } = outcome;
	if (fate !== 'unknown' || text === '') return failure;
	const receivedText = hide(text).slice(0, MAX_RECEIVED_LENGTH);
	const isIdKnown = receivedQueueId !== '';
	return failure.with({
		receivedText,
		receivedQueueId: isIdKnown ? hide(receivedQueueId) : undefined,
		namingText: namesQueueItem && !isIdKnown ? toLine(receivedText) : undefined,
	});
}

function explainResponse(response: AddResponse): RequestFailure {
	const { statusCode, body, failure } = response;
	if (failure && statusCode < 300) return failure;
	try {
		requireObject(checkBody(response, body), 'newQueueItem');
		return createIncomplete('newQueueItem.queueId');
	} catch (error) {
		return classifyError(error);
	}
}
