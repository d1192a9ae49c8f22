import type { IDataObject, IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';
import type { AddResponse } from '../api/addResponse';
import { receiveAddResponse } from '../api/addResponse';
import { onAbort, pause } from '../api/pacing';
import type { Service } from '../api/request';
import { resolveWithRetries, sendSigned } from '../api/request';
import { checkBody, createIncomplete, requireObject, toText } from '../api/response';
import { getBackoffMs, sendWithRetries } from '../api/retry';
import { parseLogTime } from '../api/videoLog';
import { classifyError } from '../failures/errors';
import type { Fate } from '../failures/failure';
import { CANCELLED, mayPass, RequestFailure } from '../failures/failure';
import { judgeAdd } from '../failures/fate';
import type { AccountVideos } from '../waiting/accountVideos';
import type { FinishedVideo } from './finishVideo';
import { getVideosBeforeAdd, outputVideo, waitForItem } from './finishVideo';
import type { Job, Outcome } from './job';
import { checkJob, logInfo } from './job';
import type { Place } from './lanes';
import { findLane, Turns } from './lanes';
import { keepPlain } from './memory';
import type { Batching } from './parameters';
import { spend } from './spendingGuard';
import { confirmKey, releaseKey, takeKey } from './uniqueKey';

/** Timeout of an add, unless "Request Options" has another: an add cannot be sent again. */
const ADD_TIMEOUT_MS = 300_000;

/** An item whose video is queued. */
interface AddedVideo {
	queueItem: IDataObject;
	/** The videos of its account, if the add was sent in this try and its video is waited for. */
	videos?: AccountVideos | undefined;
}

/**
 * Performs the adds of a run. They are sent one at a time, in item order; with waiting on, each in the turn
 * of its lane. Items that are queued already wait and download meanwhile.
 */
export async function performAdds(jobs: Job[], { size, intervalMs }: Batching): Promise<Outcome[]> {
	const turns = new Turns();
	let sent = 0;
	/** The number of adds in a row that the service or the network has failed. */
	let failed = 0;
	let lastAdd: Promise<unknown> = Promise.resolve();
	const addInTurn: AddInTurn = async (job, place) => {
		if (job.memory.state.queueId !== undefined) {
			return await job.run.settle(job, addVideo(job, place));
		}
		const adding = lastAdd.then(async () => {
			if (sent > 0 && sent % size === 0) await pause(intervalMs, job.run.signal);
			// In an outage, one row after the other would be lost within a second.
			if (failed > 1) await pause(getBackoffMs(failed - 1, 1), job.run.signal);
			sent += 1;
			const outcome = await job.run.settle(job, addVideo(job, place));
			failed = isOutage(outcome) ? failed + 1 : 0;
			return outcome;
		});
		lastAdd = adding;
		return await adding;
	};
	// What an earlier try has queued is in the making already, so it takes its place before any add.
	const isQueued = ({ memory }: Job) => Number(memory.state.queueId !== undefined);
	const inTurn = [...jobs.entries()].sort(([, a], [, b]) => isQueued(b) - isQueued(a));
	const outcomes: Promise<Outcome>[] = [];
	for (const [index, job] of inTurn) {
		outcomes[index] = performAdd(job, turns.take(job, await findLane(job)), addInTurn);
	}
	return await Promise.all(outcomes);
}

/** Whether the service could not be reached, was busy or failed. */
function isOutage(outcome: Outcome<AddedVideo>): boolean {
	return 'reason' in outcome && mayPass(classifyError(outcome.reason));
}

type AddInTurn = (job: Job, place: Place) => Promise<Outcome<AddedVideo>>;

/** Makes an item's video in the turn of its lane. Its download is no part of the turn. */
async function performAdd(job: Job, turn: Promise<Place>, addInTurn: AddInTurn): Promise<Outcome> {
	const { run } = job;
	const taken = await run.settle(job, turn);
	if ('reason' in taken) return taken;
	const place = taken.output;
	const added = await addInTurn(job, place);
	const finished =
		'output' in added ? await run.settle(job, waitForAdded(job, added.output)) : added;
	place.leave();
	return 'output' in finished ? await run.settle(job, outputAdded(job, finished.output)) : finished;
}

/**
 * The first part of an item's add, up to its queue item. At most one add of an item is accepted, through
 * all its tries: it is sent again only with proof that nothing was queued.
 *
 * @throws a RequestFailure; the same one again for an add whose fate is unknown
 */
async function addVideo(job: Job, place: Place): Promise<AddedVideo> {
	const adding = addUnlessDone(job, place);
	// Nothing is sent any more.
	if (job.run.stopSignal?.aborted) return await adding;
	return await Promise.race([adding, failWhenStopped(job.run.stopSignal, adding)]);
}

async function addUnlessDone(job: Job, { listedFrom }: Place): Promise<AddedVideo> {
	const { maxTries, memory, run } = job;
	if (memory.isFateUnknown()) throw memory.getFailure();
	checkJob(job);
	if (memory.state.queueId !== undefined) return { queueItem: memory.getQueueItem() };
	// The credential is read before the add is sent, so that no later error can hide what became of it.
	const service = await resolveWithRetries(job.context, { maxTries, signal: run.signal });
	const videos = await getVideosBeforeAdd(job, service.account, listedFrom);
	const giveBack = spend(job);
	try {
		// The key is taken just before the add is sent, and freed only with proof that nothing was queued.
		await takeKey(job);
		const send = async () => await run.request(async () => await sendAdd(job, service, videos));
		const retries = { requestKind: 'add', maxTries, signal: run.signal } as const;
		const queueItem = await sendWithRetries(send, retries);
		await confirmKey(job);
		return { queueItem, videos };
	} catch (error) {
		const failure = classifyError(error);
		if (memory.isFateUnknown()) await confirmKey(job);
		else {
			giveBack();
			await releaseKey(job);
		}
		throw failure;
	}
}

/** The second part of an item's add: the end of its video, if that is waited for. */
async function waitForAdded(job: Job, { queueItem, videos }: AddedVideo): Promise<FinishedVideo> {
	const { queueId, projectId, createdAt } = job.memory.state;
	if (job.wait === undefined || queueId === undefined) {
		return { json: queueItem, isListUnread: false };
	}
	const queuedAt = parseLogTime(createdAt);
	const queued = { queueId, projectId, queuedAt, videos, details: queueItem };
	return await waitForItem(job, job.wait, queued);
}

/** The last part of an item's add: its output, with its file if that is wanted. */
async function outputAdded(job: Job, finished: FinishedVideo): Promise<INodeExecutionData[]> {
	return job.wait ? await outputVideo(job, job.wait, finished) : [{ json: finished.json }];
}

/**
 * Sends the add once. Its fate is unknown from here on, until the error or the response proves another
 * one, which is noted before any other code runs.
 */
async function sendAdd(
	job: Job,
	{ context, baseUrl, hide }: Service<IExecuteSingleFunctions>,
	videos: AccountVideos | undefined,
): Promise<IDataObject> {
	const { connection, memory, request } = job;
	const sentAt = performance.now();
	const isListKnown = videos?.list.isKnown;
	memory.keep({ fate: 'unknown' });
	const timeout = connection.timeout ?? ADD_TIMEOUT_MS;
	// Stop does not cut off an add: it may be paid for by then, and its queue ID still gets into n8n's log.
	Object.assign(context, { getExecutionCancelSignal: () => undefined });
	const outcome = await sendSigned(context, { ...request, ...connection, timeout })
		.then(
			async (response) => await receiveAddResponse(baseUrl + request.url, { ...response, hide }),
		)
		.catch((error: unknown) => ({ error }));
	const fate = judgeAdd(outcome);
	if ('queueItem' in outcome && outcome.queueItem && fate === 'accepted') {
		const queueItem = accept(job, outcome.queueItem);
		const { queueId, projectId } = memory.state;
		if (queueId !== undefined) videos?.track({ queueId, projectId, sentAt, isListKnown });
		return queueItem;
	}
	const failure = explainOutcome(outcome, fate, connection.proxy !== undefined).with({ fate });
	memory.keepFailure(fate === 'unknown' ? failure : undefined);
	const { receivedQueueId } = failure.facts;
	if (receivedQueueId !== undefined)
		logInfo(job, `An add was answered with ${quote(receivedQueueId)}`);
	throw failure;
}

/** Notes an accepted add. */
function accept(job: Job, received: IDataObject): IDataObject {
	const { memory, operation, request } = job;
	const { queueId, createdAt, projectId: receivedProjectId, ...details } = received;
	// The response may have been cut off before its project.
	const projectId = toText(receivedProjectId) || operation.getIds?.(request).projectId;
	// The fields that people use come first.
	const { status, videoUrl } = details;
	const first = { queueId, projectId, status, videoUrl };
	const queueItem = { ...first, ...received, projectId };
	memory.keepQueueItem(queueItem, {
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
		// Stop never aborts an add, so an aborted add is a timeout.
		const httpCode = failure.kind === 'cancelled' ? 'ETIMEDOUT' : 'ECONNRESET';
		return new RequestFailure({ kind: 'uncertain', httpCode });
	}
	const failure = explainResponse(outcome);
	if (fate !== 'unknown' || outcome.text === '') return failure;
	const { text, namedQueueId, hide } = outcome;
	return failure.with({
		receivedText: hide(text).slice(0, MAX_RECEIVED_LENGTH),
		receivedQueueId: namedQueueId === '' ? undefined : hide(namedQueueId),
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

/**
 * Ends the wait for an add that is under way when the execution is stopped. The add itself goes on: its
 * queue ID still gets into n8n's log.
 *
 * @throws a RequestFailure of the kind `cancelled`
 */
async function failWhenStopped(
	signal: AbortSignal | undefined,
	adding: Promise<unknown>,
): Promise<never> {
	return await new Promise<never>((_, reject) => {
		const stopListening = onAbort(signal, () => {
			// Between two tries, `sendWithRetries` notices Stop itself and says that nothing was sent: it is first.
			void pause(1).then(() => {
				reject(CANCELLED);
			});
		});
		adding.then(stopListening, stopListening);
	});
}
