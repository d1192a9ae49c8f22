import type { IDataObject } from 'n8n-workflow';
import { onAbort, pause } from '../api/pacing';
import { toText } from '../api/response';
import { classifyError } from '../failures/classifyError';
import type { FailureKind } from '../failures/failure';
import { isNotFound, RequestFailure } from '../failures/failure';
import type { AccountRequests } from './accountRequests';
import type { AccountVideos, TrackedItem } from './runVideos';
import type { StatusWords } from './status';
import { getStatus, getVerdict, getVideoUrl } from './status';

/** Passing problems of the service or the network: the video is still being made. */
const TRANSIENT: FailureKind[] = ['rateLimited', 'uncertain', 'unreached', 'cancelled'];

/** Responses that do not match the specification may be passing problems too, so a few are tolerated. */
const MALFORMED: FailureKind[] = ['unreadable', 'unsuccessful', 'incomplete'];

/** This many 404 in a row mean that a queue item left the queue. */
const MAX_NOT_FOUND = 3;

/** How long a log that cannot be fetched, or that does not show a video yet, is requested again. */
const MAX_LOG_WAIT_MS = 30_000;

const FIRST_LOG_DELAY_MS = 1_000;

/** The time that a sibling's progress check and the request for the log after it may take, beyond their intervals. */
const REQUESTS_MS = 5_000;

/** How a video is waited for. */
export interface WaitSettings {
	intervalMs: number;
	timeoutMs: number;
	/** How long after its end the log may show a video. */
	listingDelayMs: number;
	words: StatusWords;
	/** The binary field for the file; undefined without a download. */
	binaryPropertyName: string | undefined;
}

/** One queue item to wait for. */
export interface Wait extends Omit<WaitSettings, 'binaryPropertyName'> {
	videos: AccountVideos;
	item: TrackedItem;
	queueId: string;
	/** Its progress where it is known, as after an add. */
	details?: IDataObject;
	/** The wait fails after this many malformed responses. */
	maxTries: number;
	/** The signal ends the wait. */
	requests: AccountRequests;
	/** Called with the details of every progress check. */
	onDetails?: (details: IDataObject) => void;
}

/** The state of the item as far as it is known. */
interface Progress {
	details: IDataObject;
	/** When its timeout is over, by `performance.now()`. */
	deadline: number;
	isSeen: boolean;
	notFound: number;
	malformed: number;
	/** Why the last check failed. */
	problem: RequestFailure | undefined;
}

/**
 * Waits until a queue item is finished, and for its video.
 *
 * @returns the finished item: `queueId`, `projectId`, `status`, `videoUrl`, `video` (the log entry or
 * null), the other details, and `videoCandidates` where the API cannot tell which video is its own
 * @throws a RequestFailure with the last status: `notGenerated`, `timedOut`, `cancelled`, or that of a
 * check if no later one can help
 */
export async function waitForVideo(wait: Wait): Promise<IDataObject> {
	const { videos, item } = wait;
	const progress: Progress = {
		details: wait.details ?? {},
		deadline: performance.now() + wait.timeoutMs,
		isSeen: wait.details !== undefined,
		notFound: 0,
		malformed: 0,
		problem: undefined,
	};
	// Another wait for the same item may have a longer one.
	item.listingDelayMs = Math.max(item.listingDelayMs, wait.listingDelayMs);
	item.waits += 1;
	try {
		let isOver = false;
		while (!isOver) {
			await waitForEnd(wait, progress);
			isOver = await findVideo(wait, progress);
		}
		return await videos.takeSlot(() => createOutput(wait, progress.details));
	} catch (error) {
		throw classifyError(error).with({ lastStatus: getStatus(progress.details) });
	} finally {
		item.waits -= 1;
	}
}

/** Checks the progress until the item is finished or has left the queue. */
async function waitForEnd(wait: Wait, progress: Progress): Promise<void> {
	const { videos, item, requests, intervalMs } = wait;
	let isFirst = item.runningTick === undefined;
	// An item that was just queued is not finished yet.
	let delayMs = progress.isSeen && item.endedAt === undefined ? intervalMs : 0;
	let canBeWoken = true;
	for (;;) {
		const checkAt = Math.min(performance.now() + delayMs, progress.deadline);
		const isWoken = canBeWoken && (await pauseUntilWoken(wait, checkAt));
		if (!isWoken) {
			await pauseUntil(checkAt, requests.signal);
			await videos.fetchLogBeforeCheck(requests, isFirst);
		}
		isFirst = false;
		const requestedTick = videos.tick();
		try {
			const details = await requests.fetchProgress(wait.queueId);
			if (noteDetails(wait, progress, details) === 'finished') {
				videos.noteEnded(item, false);
				return;
			}
			videos.noteRunning(item, requestedTick);
			canBeWoken = true;
			delayMs = intervalMs;
		} catch (error) {
			const failure = classifyError(error);
			if (requests.signal.aborted) throw createCancelled();
			if (noteFailure(wait, progress, failure) === 'left') {
				videos.noteEnded(item, true);
				return;
			}
			canBeWoken = false;
			delayMs = Math.max(intervalMs, failure.facts.retryAfterMs ?? 0);
		}
		if (performance.now() >= progress.deadline) throw createTimeout(wait, progress);
	}
}

function noteDetails(
	{ item, words, onDetails }: Wait,
	progress: Progress,
	details: IDataObject,
): 'finished' | 'running' {
	Object.assign(progress, { details, isSeen: true, notFound: 0, malformed: 0 });
	progress.problem = undefined;
	item.projectId ??= toText(details.projectId) || undefined;
	onDetails?.(details);
	const verdict = getVerdict(details, words);
	if (verdict === 'failed') throw new RequestFailure({ kind: 'notGenerated' });
	// The response to an earlier request of another wait for it may come late.
	item.videoUrl = getVideoUrl(details) ?? item.videoUrl;
	return verdict;
}

/** @throws the failure, if a later check cannot help */
function noteFailure(
	{ maxTries }: Wait,
	progress: Progress,
	failure: RequestFailure,
): 'left' | 'running' {
	const { kind } = failure;
	progress.problem = failure;
	const isGone = progress.isSeen && isNotFound(failure);
	progress.notFound = isGone ? progress.notFound + 1 : 0;
	if (progress.notFound >= MAX_NOT_FOUND) return 'left';
	const isMalformed = MALFORMED.includes(kind);
	if (isMalformed) progress.malformed += 1;
	if (isGone || TRANSIENT.includes(kind)) return 'running';
	if (isMalformed && progress.malformed < maxTries) return 'running';
	throw failure;
}

/** @returns whether the wait is over; an item that left the queue without a candidate may come back */
async function findVideo(wait: Wait, progress: Progress): Promise<boolean> {
	const { videos, item, requests } = wait;
	if (item.videoUrl !== undefined) {
		videos.assignByAddress(item);
		if (item.video === undefined) await videos.fetchLogIfPossible(requests);
		if (item.video === undefined) videos.assignByAddress(item);
		return true;
	}
	// What the log shows now may be this item's, and is not that of siblings that still run.
	if (videos.hasRunningSibling(item)) await videos.fetchLogIfPossible(requests);
	await settle(wait);
	if (item.endedAt === undefined) return false;
	if (item.hasLeft !== true) {
		if (item.settledTick !== undefined) await waitForSiblings(wait);
		return true;
	}
	if (videos.hasCandidates(item)) return true;
	const now = performance.now();
	if (now >= progress.deadline) throw createTimeout(wait, progress);
	// At growing intervals: the log may be long.
	const delayMs = Math.max(now - item.endedAt, wait.intervalMs);
	await pauseUntil(Math.min(now + delayMs, progress.deadline), requests.signal);
	return false;
}

/** Fetches the log once it must show the video. */
async function settle({ videos, item, requests }: Wait): Promise<void> {
	const { signal } = requests;
	await pauseUntil((item.endedAt ?? 0) + item.listingDelayMs, signal);
	const endsAt = performance.now() + MAX_LOG_WAIT_MS;
	const isSettled = () =>
		item.settledTick !== undefined || item.videoUrl !== undefined || item.endedAt === undefined;
	item.logFailure = undefined;
	for (let delayMs = FIRST_LOG_DELAY_MS; !isSettled(); delayMs *= 2) {
		try {
			await videos.fetchLog(requests);
		} catch (error) {
			const failure = classifyError(error);
			if (signal.aborted) throw createCancelled();
			const nextAt = performance.now() + Math.max(delayMs, failure.facts.retryAfterMs ?? 0);
			if (nextAt > endsAt) {
				item.logFailure = failure;
				return;
			}
			await pauseUntil(nextAt, signal);
		}
	}
}

/** Waits while its siblings may leave a settled item a single candidate, and for a late entry if it has none. */
async function waitForSiblings(wait: Wait): Promise<void> {
	const { videos, item, requests, intervalMs } = wait;
	const { listingDelayMs } = item;
	const startedAt = performance.now();
	const endsAt = startedAt + MAX_LOG_WAIT_MS;
	const isPatient = () => performance.now() < startedAt + intervalMs + listingDelayMs + REQUESTS_MS;
	while (isPatient() && (await videos.waitForDecision(item, requests.signal)));
	const hasNone = () => item.video === undefined && !videos.hasCandidates(item);
	for (let delayMs = 2_000; hasNone() && performance.now() < endsAt; delayMs *= 2) {
		await pauseUntil(Math.min(performance.now() + delayMs, endsAt), requests.signal);
		await videos.fetchLogIfPossible(requests);
	}
}

/** @throws a RequestFailure of the kind `cancelled` when the signal is aborted */
async function pauseUntil(time: number, signal: AbortSignal): Promise<void> {
	// A timer may be early by a fraction of a millisecond.
	for (let isOver = false; !isOver; isOver = performance.now() >= time) {
		if (!(await pause(Math.ceil(time - performance.now()), signal))) {
			throw createCancelled();
		}
	}
}

/** @returns whether the log shows new entries of the item's project, so that its progress is checked at once */
async function pauseUntilWoken({ videos, item, requests }: Wait, time: number): Promise<boolean> {
	if (videos.hasNews(item)) return true;
	const alarm = new AbortController();
	const wake = () => {
		alarm.abort();
	};
	const stopListening = onAbort(requests.signal, wake);
	item.wake.add(wake);
	const isOver = await pause(Math.ceil(time - performance.now()), alarm.signal);
	item.wake.delete(wake);
	stopListening();
	return !isOver;
}

function createCancelled(): RequestFailure {
	return new RequestFailure({ kind: 'cancelled' });
}

function createTimeout({ item, timeoutMs }: Wait, { problem }: Progress): RequestFailure {
	const { httpCode, serviceMessage } = problem?.facts ?? {};
	return new RequestFailure({
		kind: 'timedOut',
		waitedSeconds: Math.round(timeoutMs / 1000),
		hasLeftQueue: item.hasLeft === true,
		serviceMessage: httpCode && (serviceMessage ?? httpCode),
	});
}

function createOutput({ videos, item, queueId }: Wait, details: IDataObject): IDataObject {
	const video = item.video?.entry ?? null;
	const output: IDataObject = {
		queueId,
		projectId: item.projectId ?? item.video?.entry.projectId ?? null,
		status: details.status ?? null,
		videoUrl: item.videoUrl ?? video?.url ?? null,
		video,
	};
	if (video === null && item.videoUrl === undefined) {
		const { list, count } = videos.getCandidates(item);
		output.videoCandidates = list.map(({ entry }) => entry);
		output.videoCandidateCount = count;
	}
	// The fields that people use come first, and the details do not overwrite them.
	return { ...output, ...details, ...output };
}
