import type { IDataObject } from 'n8n-workflow';
import { Stopwatch } from '../api/pause';
import { toText } from '../api/response';
import { classifyError } from '../failures/classifyError';
import type { FailureKind } from '../failures/failure';
import { isNotFound, RequestFailure } from '../failures/failure';
import type { AccountRequests, AccountVideos, LogRead, TrackedItem } from './accountVideos';
import { MAX_LOG_DELAY_MS } from './accountVideos';
import type { StatusWords } from './status';
import { getStatus, getVerdict, getVideoUrl } from './status';

/** Passing problems of the service or the network: the video is still being made. */
const PASSING: FailureKind[] = ['rateLimited', 'uncertain', 'unreached', 'cancelled'];

/** Responses that do not match the specification may be passing problems too, so a few are tolerated. */
const ODD: FailureKind[] = ['unreadable', 'unsuccessful', 'incomplete'];

/** This many 404 in a row mean that a queue item left the queue. */
const MAX_NOT_FOUND = 3;

/** The delays before each read of the log from an item's finish, until MAX_LOG_DELAY_MS are over. */
const LOG_DELAYS_MS = [0, 2_000, 4_000, 8_000, 10_000, 10_000];

/** One queue item to wait for. */
export interface Wait {
	account: AccountVideos;
	item: TrackedItem;
	queueId: string;
	/** Its progress where it is known, as after an add. */
	details?: IDataObject;
	intervalMs: number;
	timeoutMs: number;
	words: StatusWords;
	/** The wait fails after this many odd responses. */
	maxTries: number;
	/** The signal ends the wait. */
	requests: AccountRequests;
	/** Called with the status of every progress check. */
	onStatus?: (status: string) => void;
}

/** The state of the item as far as it is known. */
interface Progress {
	details: IDataObject;
	isSeen: boolean;
	notFound: number;
	oddResponses: number;
	/** Why the last check failed. */
	problem: RequestFailure | undefined;
}

/**
 * Waits until a queue item is finished, and looks for its video.
 *
 * @returns the finished item: `queueId`, `projectId`, `status`, `videoUrl`, `video` (the log entry or
 * null), the other details, and `videoCandidates` where the API cannot tell which video is its own
 * @throws a RequestFailure with the last status: `notGenerated`, `timedOut`, `cancelled`, or that of a
 * check that no later one mends
 */
export async function waitForVideo(wait: Wait): Promise<IDataObject> {
	const { account, item } = wait;
	const progress: Progress = {
		details: wait.details ?? {},
		isSeen: wait.details !== undefined,
		notFound: 0,
		oddResponses: 0,
		problem: undefined,
	};
	item.words = wait.words;
	try {
		const clock = new Stopwatch();
		const startedAt = clock.now();
		const deadline = startedAt + wait.timeoutMs;
		// Entries that are in the log before an item is seen running are not its own.
		if (item.createdAt === undefined) {
			await account.readLog(wait.requests, 'first').catch(() => undefined);
		}
		item.hasLeft = await waitForEnd(wait, progress, clock, deadline);
		if (item.createdAt !== undefined) item.finishedAt = item.createdAt + clock.now() - startedAt;
		await waitForLog(wait, progress, clock, item.hasLeft ? deadline : undefined);
		const output = await account.takeSlot(() => createOutput(wait, progress.details));
		// The video of an item that left the queue may still be made, so later entries can be its own.
		account.release(item, !item.hasLeft);
		return output;
	} catch (error) {
		const failure = classifyError(error).with({ lastStatus: getStatus(progress.details) });
		if (failure.kind === 'notGenerated') account.forget(item);
		else account.release(item);
		throw failure;
	}
}

/** @returns whether the item left the queue; it may have been cleared or finished */
async function waitForEnd(
	wait: Wait,
	progress: Progress,
	clock: Stopwatch,
	deadline: number,
): Promise<boolean> {
	// An item that was just queued is not finished yet.
	let delayMs = progress.isSeen ? wait.intervalMs : 0;
	for (;;) {
		const leftMs = deadline - clock.now();
		await pauseWait(wait, clock, Math.min(delayMs, leftMs));
		delayMs = wait.intervalMs;
		const checkedAt = wait.account.tick();
		try {
			const verdict = noteDetails(wait, progress, await wait.requests.fetchProgress(wait.queueId));
			if (verdict === 'finished') return false;
			wait.account.noteRunning(wait.item, checkedAt);
		} catch (error) {
			const failure = classifyError(error);
			if (wait.requests.signal.aborted) throw createCancelled();
			if (noteFailure(wait, progress, failure) === 'left') return true;
			delayMs = Math.max(delayMs, failure.facts.retryAfterMs ?? 0);
		}
		if (clock.now() >= deadline) throw createTimeout(wait, progress, false);
	}
}

async function pauseWait({ requests }: Wait, clock: Stopwatch, delayMs: number): Promise<void> {
	if (!(await clock.pause(Math.max(0, delayMs), requests.signal))) throw createCancelled();
}

function noteDetails(
	{ item, words, onStatus }: Wait,
	progress: Progress,
	details: IDataObject,
): 'finished' | 'running' {
	Object.assign(progress, { details, isSeen: true, notFound: 0, oddResponses: 0 });
	progress.problem = undefined;
	item.projectId ??= toText(details.projectId) || undefined;
	item.videoUrl = getVideoUrl(details);
	onStatus?.(getStatus(details));
	const verdict = getVerdict(details, words);
	if (verdict === 'failed') throw new RequestFailure('notGenerated');
	return verdict;
}

/** @throws the failure, unless a later check may go better */
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
	if (ODD.includes(kind)) progress.oddResponses += 1;
	const isOddForLong = ODD.includes(kind) && progress.oddResponses >= maxTries;
	if (isGone || PASSING.includes(kind) || (ODD.includes(kind) && !isOddForLong)) return 'running';
	throw failure;
}

/**
 * Reads the log until the item has its video, or there are as many videos as items that can own one,
 * or MAX_LOG_DELAY_MS are over. An item that left the queue waits for a candidate until its deadline.
 */
async function waitForLog(
	wait: Wait,
	progress: Progress,
	clock: Stopwatch,
	deadline: number | undefined,
): Promise<void> {
	const { item } = wait;
	item.isWanting = true;
	const startedAt = clock.now();
	const hasLeft = deadline !== undefined;
	const endsAt = deadline ?? startedAt + MAX_LOG_DELAY_MS;
	const pauseFor = async (delayMs: number) => {
		await pauseWait(wait, clock, Math.min(delayMs, endsAt - clock.now()));
	};
	for (let read = 0; item.video === undefined; read++) {
		const delayMs = LOG_DELAYS_MS[read] ?? clock.now() - startedAt;
		await pauseFor(delayMs);
		const isLast = clock.now() >= endsAt;
		const isDeciding = isLast || hasLeft;
		const retryAfterMs = await readLog(wait, progress, isDeciding ? 'deciding' : 'later');
		if (isDecided(wait, hasLeft)) break;
		if (isLast && hasLeft) throw createTimeout(wait, progress, true);
		if (isLast) break;
		await pauseFor(retryAfterMs);
	}
}

/** @returns how long the service asks to wait before the next read */
async function readLog(
	{ account, item, requests }: Wait,
	progress: Progress,
	read: LogRead,
): Promise<number> {
	try {
		await account.readLog(requests, read);
		return 0;
	} catch (error) {
		const failure = classifyError(error);
		if (requests.signal.aborted) throw createCancelled();
		const isPassing = [...PASSING, ...ODD].includes(failure.kind);
		if (!isPassing && item.videoUrl === undefined) throw failure;
		progress.problem = failure;
		return failure.facts.retryAfterMs ?? 0;
	}
}

function isDecided({ account, item }: Wait, hasLeft: boolean): boolean {
	if (item.video !== undefined || item.videoUrl !== undefined) return true;
	return hasLeft ? account.getCandidates(item).count > 0 : item.found?.isComplete === true;
}

function createCancelled(): RequestFailure {
	return new RequestFailure('cancelled');
}

function createTimeout(
	{ timeoutMs }: Wait,
	{ problem }: Progress,
	hasLeftQueue: boolean,
): RequestFailure {
	const { httpCode, serviceMessage } = problem?.facts ?? {};
	return new RequestFailure('timedOut', {
		waitedSeconds: Math.round(timeoutMs / 1000),
		hasLeftQueue,
		...(httpCode === undefined ? {} : { serviceMessage: serviceMessage ?? httpCode }),
	});
}

function createOutput({ account, item, queueId }: Wait, details: IDataObject): IDataObject {
	const video = item.video?.entry ?? null;
	const output: IDataObject = {
		queueId,
		projectId: item.projectId ?? item.video?.projectId ?? null,
		status: details.status ?? null,
		videoUrl: item.videoUrl ?? video?.url ?? null,
		video,
	};
	if (video === null && item.videoUrl === undefined) {
		const { list, count } = account.getCandidates(item);
		output.videoCandidates = list.map(({ entry }) => entry);
		output.videoCandidateCount = count;
	}
	// The fields that people use come first, and the details do not overwrite them.
	return { ...output, ...details, ...output };
}
