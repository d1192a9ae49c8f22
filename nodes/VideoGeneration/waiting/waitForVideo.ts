import type { IDataObject } from 'n8n-workflow';
import { pause } from '../api/pacing';
import { toText } from '../api/response';
import { classifyError } from '../failures/classifyError';
import type { FailureKind } from '../failures/failure';
import { isNotFound, MAX_RETRY_AFTER_MS, RequestFailure } from '../failures/failure';
import type { AccountVideos, TrackedItem } from './accountVideos';
import type { AccountRequests } from './listReads';
import { createCancelled } from './listReads';
import type { StatusWords } from './status';
import { getStatus, getVerdict, getVideoUrl } from './status';

/** Passing problems of the service or the network: the video is still being made. */
const TRANSIENT: FailureKind[] = ['rateLimited', 'uncertain', 'unreached', 'cancelled'];

/** Responses that do not match the specification: passing problems too, even at the first look. */
const MALFORMED: FailureKind[] = ['unreadable', 'unsuccessful', 'incomplete'];

/** This many 404 in a row mean that a queue item left the queue. */
const MAX_NOT_FOUND = 3;

/** How long a list is tried that must show a video, unless a `Retry-After` asks for more. */
const MAX_LIST_WAIT_MS = 30_000;

/** Time between two reads of the list for an item that left the queue and has no candidate. */
const LEFT_INTERVAL_MS = 60_000;

/** How a video is waited for. */
export interface WaitSettings {
	intervalMs: number;
	timeoutMs: number;
	/** How long before or after its end the list may show a video. */
	listingDelayMs: number;
	words: StatusWords;
	/** How many videos of a project are in the making at the same time. */
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
	/** The wait fails after this many looks in a row that failed in a way that may not pass. */
	maxTries: number;
	/** The signal ends the wait. */
	requests: AccountRequests;
	/** Called with the details of every look. */
	onDetails: (details: IDataObject) => void;
}

/** The state of the item as far as it is known. */
interface Progress {
	details: IDataObject;
	isSeen: boolean;
	/** The number of 404 in a row, and of other failures that may not pass. */
	notFound: number;
	failed: number;
	/** Why the last look failed. */
	problem: RequestFailure | undefined;
	/** The delay before the next look, and when the timeout is over, by `performance.now()`. */
	delayMs: number;
	deadline: number;
}

/**
 * Waits until a queue item is finished, and for its video.
 *
 * @returns the finished item: `queueId`, `projectId`, `status`, `videoUrl`, `video` (the entry of the list
 * or null), the other details, and `videoCandidates` where the API cannot tell which video is its own
 * @throws a RequestFailure with the last status: `notGenerated`, `timedOut`, `cancelled`, or that of a
 * look if no later one can help
 */
export async function waitForVideo(wait: Wait): Promise<IDataObject> {
	const { details, item, settings, videos } = wait;
	const { intervalMs, listingDelayMs, timeoutMs } = settings;
	const progress: Progress = {
		...{ details: details ?? {}, isSeen: details !== undefined },
		...{ notFound: 0, failed: 0, problem: undefined },
		// An item that was just queued is not finished yet.
		delayMs: details === undefined ? 0 : intervalMs,
		deadline: performance.now() + timeoutMs,
	};
	// Another wait for the same item may have a longer one.
	item.listingDelayMs = Math.max(item.listingDelayMs, listingDelayMs);
	try {
		do {
			await waitForEnd(wait, progress);
			await settle(wait);
		} while (await mayBeListed(wait, progress));
		return await videos.takeSlot(() => createOutput(item, progress.details));
	} catch (error) {
		throw classifyError(error).with({ lastStatus: getStatus(progress.details) });
	}
}

/** Looks at the progress until the item is finished or has left the queue. */
async function waitForEnd(wait: Wait, progress: Progress): Promise<void> {
	const { item, requests, videos } = wait;
	for (;;) {
		const lookAt = Math.min(performance.now() + progress.delayMs, progress.deadline);
		await pauseUntil(lookAt, requests.signal);
		await videos.list.refresh(requests);
		const verdict = await look(wait, progress);
		if (verdict === 'failed') throw new RequestFailure({ kind: 'notGenerated' });
		const hasLeft = verdict === 'left';
		// One that has not left the queue after all has only ended now.
		if (item.hasLeft === true && !hasLeft) item.endedAt = undefined;
		if (verdict !== 'running') {
			Object.assign(item, { endedAt: item.endedAt ?? performance.now(), hasLeft });
			return;
		}
		if (performance.now() >= progress.deadline) throw createTimeout(wait, progress);
	}
}

/** @throws the failure, if a later look cannot help */
async function look(
	{ item, maxTries, onDetails, requests, settings }: Wait,
	progress: Progress,
): Promise<'finished' | 'failed' | 'running' | 'left'> {
	const { intervalMs, words } = settings;
	const sentAt = performance.now();
	try {
		const details = await requests.fetchProgress(item.queueId);
		Object.assign(progress, { details, isSeen: true, notFound: 0, failed: 0 });
		Object.assign(progress, { problem: undefined, delayMs: intervalMs });
		item.projectId ??= toText(details.projectId) || undefined;
		onDetails(details);
		// The response to an earlier look of another wait for it may come late.
		item.videoUrl = getVideoUrl(details) ?? item.videoUrl;
		const verdict = getVerdict(details, words);
		if (verdict === 'running') {
			const runningAt = Math.max(item.runningAt ?? sentAt, sentAt);
			Object.assign(item, { runningAt, endedAt: undefined, hasLeft: false });
		}
		return verdict;
	} catch (error) {
		const failure = classifyError(error);
		if (requests.signal.aborted) throw createCancelled();
		const { kind, facts } = failure;
		const isGone = progress.isSeen && isNotFound(failure);
		progress.problem = failure;
		progress.delayMs = Math.max(intervalMs, facts.retryAfterMs ?? 0);
		progress.notFound = isGone ? progress.notFound + 1 : 0;
		if (isGone) return progress.notFound >= MAX_NOT_FOUND ? 'left' : 'running';
		if (TRANSIENT.includes(kind)) return 'running';
		progress.failed += 1;
		const mayPass = progress.isSeen || MALFORMED.includes(kind);
		if (mayPass && progress.failed < maxTries) return 'running';
		throw failure;
	}
}

/** Has the list read once it must show the video, which decides whose it is. */
async function settle({ item, requests, videos }: Wait): Promise<void> {
	if (item.video !== undefined) return;
	const { signal } = requests;
	const isAddressKnown = item.videoUrl !== undefined;
	const dueAt = (item.endedAt ?? 0) + (isAddressKnown ? 0 : item.listingDelayMs);
	Object.assign(item, { dueAt, listFailure: undefined });
	await pauseUntil(dueAt, signal);
	const startedAt = performance.now();
	// A read for another item settles this one, too.
	for (let delayMs = 1_000; item.dueAt !== undefined; delayMs *= 2) {
		try {
			await videos.list.read(requests);
		} catch (error) {
			const listFailure = classifyError(error);
			if (signal.aborted) throw createCancelled();
			const { retryAfterMs = 0 } = listFailure.facts;
			const nextAt = performance.now() + Math.max(delayMs, retryAfterMs);
			const maxWaitMs = retryAfterMs > 0 ? MAX_RETRY_AFTER_MS : MAX_LIST_WAIT_MS;
			const isOver = isAddressKnown || nextAt > startedAt + maxWaitMs;
			if (isOver) Object.assign(item, { dueAt: undefined, listFailure });
			else await pauseUntil(nextAt, signal);
		}
	}
}

/** Pauses if an item that left the queue has no candidate yet: it may come back, or be listed. */
async function mayBeListed(
	{ item, requests, settings }: Wait,
	progress: Progress,
): Promise<boolean> {
	if (item.hasLeft !== true || item.video || item.candidateCount > 0) return false;
	if (performance.now() >= progress.deadline) throw createTimeout({ item, settings }, progress);
	const nextAt = performance.now() + LEFT_INTERVAL_MS;
	await pauseUntil(Math.min(nextAt, progress.deadline), requests.signal);
	progress.delayMs = 0;
	return true;
}

/** @throws a RequestFailure of the kind `cancelled` when the signal is aborted */
async function pauseUntil(time: number, signal: AbortSignal): Promise<void> {
	// A timer may be early by a fraction of a millisecond.
	for (let isOver = false; !isOver; isOver = performance.now() >= time) {
		if (!(await pause(Math.ceil(time - performance.now()), signal))) throw createCancelled();
	}
}

function createTimeout(
	{ item, settings }: Pick<Wait, 'item' | 'settings'>,
	{ problem }: Progress,
): RequestFailure {
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
