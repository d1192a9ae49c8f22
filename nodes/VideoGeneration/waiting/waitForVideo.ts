import type { IDataObject } from 'n8n-workflow';
import { pauseUntil } from '../api/pacing';
import { createIncomplete, toText } from '../api/response';
import { classifyError } from '../failures/errors';
import type { Unidentified } from '../failures/failure';
import { CANCELLED, isNotFound, isTransient, RequestFailure } from '../failures/failure';
import type { AccountRequests, AccountVideos, OwnVideo, TrackedItem } from './accountVideos';

/** Other failures end the wait after this many in a row, or after "Max Tries" if that is more. */
const MIN_FAILURES = 3;

/** An item has left the queue after this many 404 in a row, over this time. */
const MIN_NOT_FOUND = 3;
const MIN_NOT_FOUND_MS = 15_000;

/** The status of a new item, the only one that the specification names ("States and transitions"). */
const PENDING = 'pending';

/** The words of a service for a finished and for a failed video, in lower case. */
interface StatusWords {
	completed: ReadonlySet<string>;
	failed: ReadonlySet<string>;
}

/** The usual words of such services. */
export const DEFAULT_COMPLETED_STATUSES =
	'completed, complete, done, finished, success, successful, succeed, succeeded, ready';

export const DEFAULT_FAILED_STATUSES =
	'fail, failed, failure, error, errored, rejected, expired, aborted, cancelled, canceled';

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
	/** Since when the status is what it is, by `performance.now()`. */
	statusSince: number;
	/** The number of 404 in a row, and when the first one was received. */
	notFound: number;
	notFoundAt: number;
	/** The number of other failures in a row. */
	failed: number;
	/** Why the last check failed. */
	problem: RequestFailure | undefined;
	/** The delay before the next check, and when the timeout is over, by `performance.now()`. */
	delayMs: number;
	deadline: number;
}

/** A finished item. */
export interface FinishedVideo {
	/** `queueId`, `projectId`, `status`, `videoUrl`, `video` (the entry of the list or null), and the other details. */
	json: IDataObject;
	/** Why neither its video nor its address is known. */
	unidentified?: Unidentified | undefined;
}

/**
 * Waits until a queue item is finished, and for its video.
 *
 * @throws a RequestFailure with the last status: `notGenerated`, `timedOut`, `cancelled`, or that of a
 * check if no later one can help
 */
export async function waitForVideo(wait: Wait): Promise<FinishedVideo> {
	const { details, isNew, item, requests, settings, videos } = wait;
	const progress: Progress = {
		...{ details: details ?? {}, isSeen: details !== undefined, problem: undefined },
		...{ notFound: 0, notFoundAt: 0, failed: 0, statusSince: performance.now() },
		delayMs: isNew ? settings.intervalMs : 0,
		deadline: performance.now() + settings.timeoutMs,
	};
	// Another wait for the same item may have a longer one.
	item.listingDelayMs = Math.max(item.listingDelayMs, settings.listingDelayMs);
	try {
		await waitForEnd(wait, progress);
		const own = await videos.claim(item, requests);
		const isGone = item.hasLeft === true && 'unidentified' in own && own.unidentified.count === 0;
		if (isGone) throw createTimeout(wait, progress);
		return await videos.takeSlot(() => createOutput(item, progress.details, own));
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
		if (getStatus(details) !== getStatus(progress.details)) progress.statusSince = sentAt;
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
	// Transient failures say nothing about the item.
	if (isTransient(failure) || failure.kind === 'cancelled') return 'running';
	progress.notFound = 0;
	progress.failed += 1;
	if (progress.failed < Math.max(maxTries, MIN_FAILURES)) return 'running';
	throw failure;
}

function createTimeout({ item, settings }: Wait, progress: Progress): RequestFailure {
	const { httpCode, serviceMessage } = progress.problem?.facts ?? {};
	const isPending = normalize(getStatus(progress.details)) === PENDING;
	return new RequestFailure({
		kind: 'timedOut',
		waitedSeconds: Math.round(settings.timeoutMs / 1000),
		hasLeftQueue: item.hasLeft === true,
		statusSeconds:
			progress.isSeen && !isPending
				? Math.round((performance.now() - progress.statusSince) / 1000)
				: undefined,
		serviceMessage: httpCode && (serviceMessage ?? httpCode),
	});
}

function createOutput(
	{ projectId, queueId, videoUrl }: TrackedItem,
	details: IDataObject,
	own: OwnVideo,
): FinishedVideo {
	const video = 'video' in own ? own.video : null;
	const output: IDataObject = {
		queueId,
		projectId: projectId ?? video?.projectId ?? null,
		status: details.status ?? null,
		videoUrl: videoUrl ?? video?.url ?? null,
		video,
	};
	// The fields that people use come first, and the details do not overwrite them.
	const json = { ...output, ...details, ...output };
	const isAddressKnown = videoUrl !== undefined;
	return 'unidentified' in own && !isAddressKnown
		? { json, unidentified: own.unidentified }
		: { json };
}

/** A comma-separated list of words, as the user entered it. */
export function parseStatusWords(list: string): ReadonlySet<string> {
	return new Set(list.split(',').map(normalize).filter(Boolean));
}

/**
 * Decides from a queue item's progress whether its video is finished. With an unknown status, it may still be
 * made. The address of the video means that it is finished.
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
