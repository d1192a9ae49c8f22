import type { IDataObject } from 'n8n-workflow';
import { pause } from '../api/pacing';
import { createIncomplete, toText } from '../api/response';
import { classifyError } from '../failures/errors';
import {
	CANCELLED,
	isNotFound,
	MAX_RETRY_AFTER_MS,
	mayPass,
	RequestFailure,
} from '../failures/failure';
import type { AccountRequests, AccountVideos, TrackedItem } from './accountVideos';

/** Other failures end the wait after this many in a row, or after "Max Tries" if that is more. */
const MIN_FAILURES = 3;

/** n8n may be without its database for this long: until then, no credential that cannot be read ends the wait. */
const MAX_OUTAGE_MS = 60_000;

/** An item has left the queue after this many 404 in a row, over this time. */
const MIN_NOT_FOUND = 3;
const MIN_NOT_FOUND_MS = 15_000;

/** How long the list is requested again that must show a video, unless a `Retry-After` asks for more. */
const MAX_LIST_WAIT_MS = 30_000;

/** The words of a service for a finished and for a failed video, in lower case. */
interface StatusWords {
	completed: ReadonlySet<string>;
	failed: ReadonlySet<string>;
}

/** The usual words of such services: the specification names `pending` only ("States and transitions"). */
export const DEFAULT_COMPLETED_STATUSES =
	'completed, complete, done, finished, success, succeeded, ready';

export const DEFAULT_FAILED_STATUSES =
	'failed, failure, error, errored, rejected, expired, aborted, cancelled, canceled';

/** How a video is waited for. */
export interface WaitSettings {
	intervalMs: number;
	timeoutMs: number;
	/** How long before or after its end the list may show a video. */
	listingDelayMs: number;
	words: StatusWords;
	/** How many videos of a project are made at the same time. */
	videosAtOnce: number;
	/** The binary field for the file; undefined without a download. */
	binaryPropertyName: string | undefined;
}

/** One queue item to wait for. */
export interface Wait {
	settings: WaitSettings;
	videos: AccountVideos;
	item: TrackedItem;
	/** Its progress where it is known, as after an add. */
	details: IDataObject | undefined;
	/** Whether it was queued just now, so that it is not finished yet. */
	isNew: boolean;
	/** "Max Tries". */
	maxTries: number;
	/** The signal ends the wait. */
	requests: AccountRequests;
	/** Called with the details of every progress check. */
	onDetails: (details: IDataObject) => void;
}

/** The state of the item as far as it is known. */
interface Progress {
	details: IDataObject;
	/** What the service says about the item. */
	serviceMessage?: string | undefined;
	isSeen: boolean;
	/** The number of 404 in a row, and when the first one was received; the same of other failures. */
	notFound: number;
	notFoundAt: number;
	failed: number;
	failedAt: number;
	/** Why the last check failed. */
	problem: RequestFailure | undefined;
	/** The delay before the next check, and when the timeout is over, by `performance.now()`. */
	delayMs: number;
	deadline: number;
}

/**
 * Waits until a queue item is finished, and for its video.
 *
 * @returns the finished item: `queueId`, `projectId`, `status`, `videoUrl`, `video` (the entry of the list
 * or null), the other details, and `videoCandidates` where the API cannot tell which video is its own
 * @throws a RequestFailure with the last status: `notGenerated`, `timedOut`, `cancelled`, or that of a
 * check if no later one can help
 */
export async function waitForVideo(wait: Wait): Promise<IDataObject> {
	const { details, isNew, item, settings, videos } = wait;
	const progress: Progress = {
		...{ details: details ?? {}, isSeen: details !== undefined, problem: undefined },
		...{ notFound: 0, notFoundAt: 0, failed: 0, failedAt: 0 },
		delayMs: isNew ? settings.intervalMs : 0,
		deadline: performance.now() + settings.timeoutMs,
	};
	// Another wait for the same item may have a longer one.
	item.listingDelayMs = Math.max(item.listingDelayMs, settings.listingDelayMs);
	try {
		await waitForEnd(wait, progress);
		await settle(wait, performance.now());
		if (item.hasLeft === true && item.video === undefined && item.candidateCount === 0) {
			throw createTimeout(wait, progress);
		}
		return await videos.takeSlot(() => createOutput(item, progress.details));
	} catch (error) {
		throw classifyError(error).with({ lastStatus: getStatus(progress.details) });
	}
}

/** Checks the progress until the item is finished or has left the queue. */
async function waitForEnd(wait: Wait, progress: Progress): Promise<void> {
	const { item, requests, settings, videos } = wait;
	for (;;) {
		const checkAt = Math.min(performance.now() + progress.delayMs, progress.deadline);
		await pauseUntil(checkAt, requests.signal);
		await videos.list.refresh(requests);
		const verdict = await checkProgress(wait, progress);
		// An earlier try may have seen the end of an item that has left the queue since.
		const end = verdict === 'left' ? getVerdict(progress.details, settings.words) : verdict;
		if (end === 'failed') {
			const { serviceMessage } = progress;
			throw new RequestFailure({ kind: 'notGenerated', serviceMessage });
		}
		item.hasLeft = verdict === 'left' && end !== 'finished';
		if (verdict !== 'running') return;
		if (performance.now() >= progress.deadline) throw createTimeout(wait, progress);
	}
}

/** @throws the failure, if a later check cannot help */
async function checkProgress(
	wait: Wait,
	progress: Progress,
): Promise<'finished' | 'failed' | 'running' | 'left'> {
	const { item, onDetails, requests, settings } = wait;
	const sentAt = performance.now();
	try {
		const { details, serviceMessage } = await requests.fetchProgress(item.queueId);
		const videoUrl = getVideoUrl(details);
		if (toText(details.status) === '' && videoUrl === undefined) {
			throw createIncomplete('details.status');
		}
		Object.assign(progress, { details, serviceMessage, isSeen: true, notFound: 0, failed: 0 });
		Object.assign(progress, { problem: undefined, delayMs: settings.intervalMs });
		item.projectId ??= toText(details.projectId) || undefined;
		// The response to an earlier check of another wait for it may come late.
		item.videoUrl = videoUrl ?? item.videoUrl;
		onDetails(details);
		const verdict = getVerdict(details, settings.words);
		if (verdict === 'running') item.runningAt = Math.max(item.runningAt ?? sentAt, sentAt);
		return verdict;
	} catch (error) {
		if (requests.signal.aborted) throw CANCELLED;
		return noteFailure(wait, progress, classifyError(error));
	}
}

function noteFailure(
	{ maxTries, settings }: Wait,
	progress: Progress,
	failure: RequestFailure,
): 'running' | 'left' {
	const isGone = progress.isSeen && isNotFound(failure);
	progress.problem = failure;
	progress.delayMs = Math.max(settings.intervalMs, failure.facts.retryAfterMs ?? 0);
	if (isGone) {
		progress.notFound += 1;
		if (progress.notFound === 1) progress.notFoundAt = performance.now();
		const isLasting = performance.now() - progress.notFoundAt >= MIN_NOT_FOUND_MS;
		return isLasting && progress.notFound >= MIN_NOT_FOUND ? 'left' : 'running';
	}
	// A passing problem tells nothing about the item: the video is still being made.
	if (mayPass(failure) || failure.kind === 'cancelled') return 'running';
	progress.notFound = 0;
	progress.failed += 1;
	if (progress.failed === 1) progress.failedAt = performance.now();
	const isOutage =
		failure.kind === 'unsent' && performance.now() - progress.failedAt < MAX_OUTAGE_MS;
	if (isOutage || progress.failed < Math.max(maxTries, MIN_FAILURES)) return 'running';
	throw failure;
}

/** Has the list read once it must show the video, which decides whose it is. */
async function settle({ item, requests, videos }: Wait, endedAt: number): Promise<void> {
	const { list } = videos;
	const isAddressKnown = item.videoUrl !== undefined;
	// An entry that names the item may be listed already.
	if (item.video === undefined && videos.namesQueueIds && !isAddressKnown) {
		await list.readIfPossible(requests);
	}
	if (item.video !== undefined) return;
	const dueAt = endedAt + (isAddressKnown ? 0 : item.listingDelayMs);
	Object.assign(item, { dueAt, listFailure: undefined });
	await pauseUntil(dueAt, requests.signal);
	let endsAt: number | undefined;
	// A list that was read for another item settles this one, too.
	for (let delayMs = 1_000; item.dueAt !== undefined; delayMs *= 2) {
		try {
			await list.read(requests);
		} catch (error) {
			const listFailure = classifyError(error);
			if (requests.signal.aborted) throw CANCELLED;
			const { retryAfterMs = 0 } = listFailure.facts;
			const now = performance.now();
			endsAt ??= now + (retryAfterMs > 0 ? MAX_RETRY_AFTER_MS : MAX_LIST_WAIT_MS);
			// The last request is sent when the time is over.
			const nextAt = Math.max(now + retryAfterMs, Math.min(now + delayMs, endsAt));
			if (isAddressKnown || now >= endsAt || nextAt > endsAt) {
				Object.assign(item, { dueAt: undefined, listFailure });
			} else await pauseUntil(nextAt, requests.signal);
		}
	}
}

/** @throws a RequestFailure of the kind `cancelled` when the signal is aborted */
async function pauseUntil(time: number, signal: AbortSignal): Promise<void> {
	// A timer may be early by a fraction of a millisecond.
	for (let isOver = false; !isOver; isOver = performance.now() >= time) {
		if (!(await pause(Math.ceil(time - performance.now()), signal))) throw CANCELLED;
	}
}

function createTimeout({ item, settings }: Wait, { problem }: Progress): RequestFailure {
	const { httpCode, serviceMessage } = problem?.facts ?? {};
	return new RequestFailure({
		kind: 'timedOut',
		waitedSeconds: Math.round(settings.timeoutMs / 1000),
		hasLeftQueue: item.hasLeft === true,
		serviceMessage: httpCode && (serviceMessage ?? httpCode),
	});
}

function createOutput(item: TrackedItem, details: IDataObject): IDataObject {
	const { candidateCount, candidates, projectId, queueId, video = null, videoUrl } = item;
	const isAmbiguous = video === null && videoUrl === undefined;
	const output: IDataObject = {
		queueId,
		projectId: projectId ?? video?.projectId ?? null,
		status: details.status ?? null,
		videoUrl: videoUrl ?? video?.url ?? null,
		video,
		...(isAmbiguous && { videoCandidates: candidates, videoCandidateCount: candidateCount }),
	};
	// The fields that people use come first, and the details do not overwrite them.
	return { ...output, ...details, ...output };
}

/** A comma-separated list of words, as the user entered it. */
export function parseStatusWords(list: string): ReadonlySet<string> {
	return new Set(list.split(',').map(normalize).filter(Boolean));
}

/**
 * Decides from a queue item's progress whether its video is finished. An unknown status means that it
 * is still being made. The address of the video means that it is finished.
 */
function getVerdict(details: IDataObject, words: StatusWords): 'finished' | 'failed' | 'running' {
	const status = normalize(toText(details.status));
	if (words.completed.has(status)) return 'finished';
	if (words.failed.has(status)) return 'failed';
	return getVideoUrl(details) === undefined ? 'running' : 'finished';
}

/** The address of its video that a queue item's progress tells. */
function getVideoUrl({ videoUrl }: IDataObject): string | undefined {
	return typeof videoUrl === 'string' && videoUrl.trim() !== '' ? videoUrl.trim() : undefined;
}

/** A status as text; 'unknown' without one. */
function getStatus({ status }: IDataObject): string {
	return typeof status === 'string' || typeof status === 'number' ? String(status) : 'unknown';
}

function normalize(word: string): string {
	return word.trim().toLowerCase();
}
