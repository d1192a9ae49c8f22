import type { IDataObject } from 'n8n-workflow';
import { pauseUntil } from '../api/pacing';
import { createIncomplete, getServiceMessage, toText } from '../api/response';
import { putFirst } from '../api/videoLog';
import { classifyError } from '../failures/errors';
import type { Unidentified } from '../failures/failure';
import { CANCELLED, isNotFound, isTransient, RequestFailure } from '../failures/failure';
import type { ListRequests } from './accountList';
import type { OwnVideo, QueueItem } from './ownVideos';
import type { Watch } from './watch';

/** Other failures end the wait after this many in a row, or after "Max Tries" if that is more. */
const MIN_FAILURES = 3;

/**
 * An item has left the queue after this many 404 in a row, over this time. One that is not JSON comes from a
 * gateway that may be starting anew.
 */
const MIN_NOT_FOUND = 3;
const MIN_NOT_FOUND_MS = { service: 15_000, gateway: 60_000 };

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
	videosAtOnce: number | undefined;
	/** The binary field for the file; undefined without a download. */
	binaryPropertyName: string | undefined;
	/** The file's name; '' for the name in the address. */
	fileName: string;
}

/** The requests of a wait, each sent once. The signal ends the wait. */
export interface WaitRequests extends ListRequests {
	fetchProgress: (queueId: string) => Promise<IDataObject>;
}

/** One queue item to wait for. */
export interface Wait {
	settings: WaitSettings;
	watch: Watch;
	item: QueueItem;
	/** Its progress where it is known, as after an add. */
	details: IDataObject | undefined;
	/** Why an earlier try has failed, if the item had left the queue by then. */
	gone: RequestFailure | undefined;
	/** Whether it was queued just now, so that it is not finished yet. */
	isNew: boolean;
	/** "Max Tries". */
	maxTries: number;
	requests: WaitRequests;
	/** Called with the details of every progress check. */
	onDetails: (details: IDataObject) => void;
}

/** The state of the item as far as it is known. */
interface Progress {
	/** The last progress; undefined until the item is seen. */
	details: IDataObject | undefined;
	/** The 404 in a row from the same sender, and when the first one was received. */
	notFound?: { by: 'service' | 'gateway'; count: number; since: number } | undefined;
	/** The number of other failures in a row. */
	failed: number;
	/** Why an earlier try has failed, until a check finds the item again. */
	gone: RequestFailure | undefined;
	/** When its status was first seen, by `performance.now()`. */
	statusSince: number;
	/** Why the last check failed. */
	problem?: RequestFailure | undefined;
	/** When the next check is due, and when the timeout is over, by `performance.now()`. */
	checkAt: number;
	deadline: number;
}

/** A finished item. */
export interface FinishedVideo {
	/** `status`, `videoUrl`, `queueId`, `projectId`, `video` (the entry of the list or null), and the other details. */
	json: IDataObject;
	/** Why neither its video nor its address is known. */
	unidentified?: Unidentified | undefined;
	/** Whether the service itself told which video is the item's; undefined where that is not known. */
	isTold?: boolean | undefined;
}

/**
 * Waits until a queue item is finished, and for its video.
 *
 * @throws a RequestFailure with the last status: `notGenerated`, `timedOut`, `cancelled`, or that of a
 * check if no later one can help
 */
export async function waitForVideo(wait: Wait): Promise<FinishedVideo> {
	const { details, gone, isNew, item, requests, settings, watch } = wait;
	const { intervalMs } = settings;
	const now = performance.now();
	const checkAt = isNew ? now + intervalMs : now;
	const deadline = now + settings.timeoutMs;
	const progress: Progress = {
		details,
		gone,
		failed: 0,
		statusSince: now,
		checkAt,
		deadline,
	};
	// Another wait for the same item may have a longer one.
	item.listingDelayMs = Math.max(item.listingDelayMs, settings.listingDelayMs);
	try {
		const isRunning = async () => {
			const verdict = await checkProgress(wait, progress).catch(() => undefined);
			return verdict === 'running' && progress.problem === undefined;
		};
		let own: OwnVideo | undefined;
		while (own === undefined) {
			await waitForEnd(wait, progress);
			own = await watch.claim(item, requests, { intervalMs, isRunning });
		}
		const isGone = item.hasLeft === true && 'unidentified' in own && own.unidentified.count === 0;
		if (isGone) throw createTimeout(wait, progress);
		return createOutput(item, progress.details ?? {}, own);
	} catch (error) {
		throw classifyError(error).with({ lastStatus: getStatus(progress.details) });
	}
}

/** Checks the progress until the item is finished or has left the queue. */
async function waitForEnd(wait: Wait, progress: Progress): Promise<void> {
	const { item, requests, settings, watch } = wait;
	const list = watch.getList(item.account);
	for (;;) {
		await pauseUntil(Math.min(progress.checkAt, progress.deadline), requests.signal);
		await list.refresh(requests);
		// An entry of the list names it: it is finished, whatever its status is called.
		if (item.own !== undefined) return;
		const verdict = await checkProgress(wait, progress);
		// An earlier try may have seen the end of an item that has left the queue since.
		const isLeft = verdict === 'left';
		const end = isLeft ? getVerdict(progress.details ?? {}, settings.words) : verdict;
		if (end === 'failed') {
			throw new RequestFailure({ kind: 'notGenerated', ...getServiceMessage(progress.details) });
		}
		if (isLeft) item.hasLeft = end !== 'finished';
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
		const details = await requests.fetchProgress(item.queueId);
		const videoUrl = getVideoUrl(details);
		if (toText(details.status) === '' && videoUrl === undefined) {
			throw createIncomplete('details.status');
		}
		if (getStatus(details) !== getStatus(progress.details)) progress.statusSince = sentAt;
		progress.checkAt = performance.now() + settings.intervalMs;
		progress.details = details;
		progress.gone = progress.notFound = progress.problem = undefined;
		progress.failed = 0;
		item.hasLeft = false;
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
	const now = performance.now();
	progress.problem = failure;
	progress.checkAt = now + Math.max(settings.intervalMs, failure.facts.retryAfterMs ?? 0);
	if (progress.details !== undefined && isNotFound(failure)) {
		// It had left the queue in an earlier try, and has not come back.
		if (progress.gone !== undefined) throw progress.gone;
		const by = failure.facts.content === undefined ? 'service' : 'gateway';
		const { count, since } =
			progress.notFound?.by === by ? progress.notFound : { count: 0, since: now };
		progress.notFound = { by, count: count + 1, since };
		const isLasting = now - since >= MIN_NOT_FOUND_MS[by];
		return isLasting && count + 1 >= MIN_NOT_FOUND ? 'left' : 'running';
	}
	// Transient failures say nothing about the item.
	if (isTransient(failure) || failure.kind === 'cancelled') return 'running';
	progress.notFound = undefined;
	progress.failed += 1;
	if (progress.failed < Math.max(maxTries, MIN_FAILURES)) return 'running';
	throw failure;
}

function createTimeout({ item, settings }: Wait, progress: Progress): RequestFailure {
	const { httpCode, serviceMessage } = progress.problem?.facts ?? {};
	return new RequestFailure({
		kind: 'timedOut',
		waitedSeconds: Math.round(settings.timeoutMs / 1000),
		hasLeftQueue: item.hasLeft === true,
		statusSeconds: Math.round((performance.now() - progress.statusSince) / 1000),
		isPending: !progress.details || normalize(getStatus(progress.details)) === PENDING,
		serviceMessage: httpCode && (serviceMessage ?? httpCode),
	});
}

function createOutput(item: QueueItem, details: IDataObject, own: OwnVideo): FinishedVideo {
	const { projectId, queueId, videoUrl } = item;
	const video = 'video' in own ? own.video : null;
	const output: IDataObject = {
		status: details.status ?? null,
		videoUrl: videoUrl ?? video?.url ?? null,
		queueId,
		projectId: projectId ?? video?.projectId ?? null,
		video: video && putFirst(video),
	};
	const isTold = videoUrl !== undefined || item.isNamed === true;
	const unidentified = 'unidentified' in own && !isTold ? own.unidentified : undefined;
	const isUnread = unidentified !== undefined && unidentified.count === undefined;
	return {
		// The fields that people use come first, and the details do not overwrite them.
		json: { ...output, ...details, ...output },
		unidentified,
		isTold: isUnread ? undefined : isTold,
	};
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
	return toText(videoUrl) || undefined;
}

/** A status as text; 'unknown' without one. */
function getStatus({ status }: IDataObject = {}): string {
	return typeof status === 'string' || typeof status === 'number' ? String(status) : 'unknown';
}

function normalize(word: string): string {
	return word.trim().toLowerCase();
}
