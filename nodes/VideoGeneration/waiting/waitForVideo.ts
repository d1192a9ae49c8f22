import type { IDataObject } from 'n8n-workflow';
import { fetchProgress, fetchVideoLog } from '../api/endpoints';
import { pauseUntil } from '../api/pacing';
import { createIncomplete, getServiceMessage, isObject, toText } from '../api/response';
import { parseLogTime, putFirst } from '../api/videoLog';
import { classifyError } from '../failures/errors';
import {
	CANCELLED,
	isInsecure,
	isNotFound,
	isTransient,
	isUnread,
	UNREAD,
	MAX_RETRY_AFTER_MS,
	RequestFailure,
	type Unidentified,
} from '../failures/failure';
import type { Job } from '../item/job';
import { keepPlain, listStates } from '../item/ledger';
import { isOnWorker } from '../n8n/execution';
import { limitRetryAfter, type ListRequests } from './accountList';
import { type KeyVideos, getKeyVideos } from './accountVideos';
import type { Claim, OwnVideo } from './ownVideos';

/** How a video is waited for. */
export interface WaitSettings {
	intervalMs: number;
	timeoutMs: number;
	/** So long before or after an item's end, the list may show its video. */
	listingDelayMs: number;
	/** In lower case. */
	words: Record<'completed' | 'failed', ReadonlySet<string>>;
	/** "Videos at Once" of Video > Generate; undefined for as many as can be told apart. */
	videosAtOnce: number | undefined;
	/** The binary field for the file; undefined without a download. */
	binaryPropertyName: string | undefined;
	/** '' for the name in the address. */
	fileName: string;
}

/** What is known of the videos of an item's account, and how the item's execution reads from the service. */
export interface Watching {
	videos: KeyVideos;
	end: () => void;
	/** Each request is sent once. */
	requests: ListRequests & { fetchProgress: (queueId: string) => Promise<IDataObject> };
}

/** A finished item. */
export interface FinishedVideo {
	/** `status`, `videoUrl`, `queueId`, `projectId`, `video` (the entry of the list or null), and the other details. */
	json: IDataObject;
	/** Why neither its video nor its address is known. */
	unidentified?: Unidentified | undefined;
	/** Whether the service itself told which video is the item's: by its address, or by an entry that names the item. */
	isTold?: boolean;
}

/** Queue > Wait: waits for the video of a queue item, unless an earlier try has finished it. */
export async function resumeVideo(job: Job, settings: WaitSettings): Promise<FinishedVideo> {
	const { finished, unidentified } = job.ledger.state;
	if (finished) return { json: finished, unidentified };
	const watching = await watchVideos(job, job.api);
	return await waitForVideo(job, settings, watching).finally(watching.end);
}

/** Watches the videos of an item's account. The caller ends it. @param api how requests are sent, and until when */
export async function watchVideos({ context, open }: Job, api: Job['api']): Promise<Watching> {
	const service = await open();
	const videos = getKeyVideos(service);
	const end = videos.begin();
	// What n8n keeps as given to the node's items is theirs, also where another process has given it.
	for (const [, { createdAt, finished, queueId = '' }] of listStates(context)) {
		const ids = { queueId, queuedAt: parseLogTime(createdAt) };
		if (isObject(finished?.video)) videos.noteOwner(ids, finished.video);
	}
	const once = { ...api, maxTries: 1 };
	const requests: Watching['requests'] = {
		signal: api.signal,
		fetchProgress: async (queueId) => await fetchProgress(service, queueId, once),
		// All executions wait for the list, so it takes no slot of this one.
		fetchList: async (deadline) =>
			await fetchVideoLog(service, { ...once, takeSlot: undefined, deadline }),
	};
	return { videos, end, requests };
}

/**
 * Waits for the video of the ledger's queue item.
 *
 * @param sentAt when this try has sent its add
 * @param unsure of its turn of workers: aborted if videos of other processes may appear
 */
export async function waitForVideo(
	job: Job,
	settings: WaitSettings,
	watching: Watching,
	{ sentAt, unsure }: { sentAt?: number | undefined; unsure?: AbortSignal | undefined } = {},
): Promise<FinishedVideo> {
	const { context, ledger, run } = job;
	const { videos } = watching;
	const { queueId = '', projectId, createdAt, running } = ledger.state;
	const ids = { queueId, projectId, queuedAt: parseLogTime(createdAt), sentAt };
	// When an earlier try of this execution found it running: another process has a `performance.now()` of its own.
	const runningAt = running?.executionId === getExecutionId(context) ? running?.at : undefined;
	const claim = videos.claim(ids, settings.listingDelayMs, {
		runningAt,
		// On a worker and without a turn, videos of other processes may appear.
		unsure: unsure ?? (isOnWorker(context) ? AbortSignal.abort() : undefined),
	});
	let isOwed = true;
	try {
		const video = await new Wait(job, settings, watching, claim).untilSettled();
		const { json, unidentified } = video;
		// While its entry is not known, its video is owed: listed later, it must not be taken for another item's.
		isOwed = json.video === null;
		if (createdAt !== undefined) json.createdAt ??= createdAt;
		// A later try settles an item whose list of videos could not be read.
		if (isUnread(unidentified)) ledger.keep({ unidentified });
		else ledger.keep({ stage: 'finished', finished: keepPlain(json), unidentified });
		return video;
	} catch (error) {
		const { kind } = classifyError(error);
		const isEnd = kind === 'notGenerated' || kind === 'leftQueue';
		// After an end without a video, one that is listed later is another's.
		isOwed = !isEnd;
		// With `leftQueue`, a retry ends at its first 404.
		ledger.keep({ unidentified: undefined, ...(isEnd && { endedAs: kind }) });
		throw error as Error;
	} finally {
		run.isListUnreliable ||= videos.isMistrusted(claim.item.projectId);
		videos.release(claim, isOwed);
	}
}

/** An item has left the queue after so many 404 in a row, over this time. A gateway, which sends no JSON, may be restarting. */
const MIN_NOT_FOUND = 3;
const MIN_NOT_FOUND_MS = { service: 15_000, gateway: 60_000 };

/** Other failures end the wait after this many in a row, or after "Max Tries" if that is more. */
const MIN_FAILURES = 3;

/** A list that must show a video and cannot be read is requested again for so long, unless a `Retry-After` asks for more. */
const MAX_LIST_WAIT_MS = 30_000;

/** The status of a new item, the only one that the specification names ("States and transitions"). */
const PENDING = 'pending';

/** What a check says of an item; 'left' if it is in the queue no more, and its end was not seen; 'unknown' if it failed. */
type Verdict = 'finished' | 'failed' | 'running' | 'left' | 'unknown';

/** The wait for one queue item. */
class Wait {
	/** The last progress; undefined until the item is seen. */
	private details: IDataObject | undefined;
	/** When its status was first seen, by `performance.now()`. */
	private statusSince = performance.now();
	/** When the next check is due. */
	private checkAt: number;
	private readonly deadline: number;
	/** The 404 in a row from the same sender, and when the first one was received. */
	private notFound: { by: 'service' | 'gateway'; count: number; since: number } | undefined;
	/** How many checks failed in a row for another reason, and why the last one failed. */
	private failedChecks = 0;
	private lastFailure: RequestFailure | undefined;

	constructor(
		private readonly job: Job,
		private readonly settings: WaitSettings,
		private readonly watching: Watching,
		/** Changed by `videos`: by `note`, and by each list that settles it. */
		private readonly claim: Readonly<Claim>,
	) {
		this.details = job.ledger.state.details;
		// What this process has not added is checked at once.
		this.checkAt = (claim.item.sentAt ?? -Infinity) + settings.intervalMs;
		this.deadline = performance.now() + settings.timeoutMs;
	}

	/** @throws a RequestFailure with the last status: `notGenerated`, `timedOut`, `leftQueue`, `cancelled`, or a check's */
	async untilSettled(): Promise<FinishedVideo> {
		const { claim } = this;
		try {
			do {
				await this.waitForEnd();
			} while (!(await this.waitForListing()));
			const own = await this.readOwn();
			// An item that left the queue and has no candidate was cleared, or has failed. A list that was not read has no count.
			const isWithout = 'unidentified' in own && own.unidentified.count === 0;
			if (claim.hasLeft && isWithout && !claim.item.videoUrl)
				throw new RequestFailure({ kind: 'leftQueue' });
			return createOutput(claim, this.details ?? {}, own);
		} catch (error) {
			throw classifyError(error).with({ lastStatus: getStatus(this.details) });
		}
	}

	/** Checks the progress until the item is finished or has left the queue. */
	private async waitForEnd(): Promise<void> {
		const { deadline, claim, settings, watching } = this;
		const { requests, videos } = watching;
		for (;;) {
			// Once a minute, the list is read, which tells since when each entry is listed, and which item it names.
			await videos.list.refresh(requests);
			// Before the claim is due, only an entry that names its item, or is known as its own, settles it: the item is finished,
			// whatever its status is called.
			if (claim.own !== undefined) {
				// A check that is due gets its last status.
				if (performance.now() >= this.checkAt) await this.check().catch(() => undefined);
				return;
			}
			await pauseUntil(Math.min(this.checkAt, deadline), requests.signal);
			const verdict = await this.check();
			if (verdict === 'failed') {
				throw new RequestFailure({ kind: 'notGenerated', ...getServiceMessage(this.details) });
			}
			if (verdict === 'finished' || verdict === 'left') return;
			if (performance.now() < deadline) continue;
			const { httpCode, serviceMessage } = this.lastFailure?.facts ?? {};
			throw new RequestFailure({
				kind: 'timedOut',
				waitedSeconds: Math.round(settings.timeoutMs / 1000),
				statusSeconds: Math.round((performance.now() - this.statusSince) / 1000) || undefined,
				isPending: !this.details || normalize(getStatus(this.details)) === PENDING,
				serviceMessage: serviceMessage ?? httpCode,
			});
		}
	}

	/**
	 * Waits until the list has to show the video. Some services tell its address a moment after the end.
	 *
	 * @returns false to wait for its end again: it runs, or it had left the queue and is back there as failed
	 */
	private async waitForListing(): Promise<boolean> {
		const { claim, watching } = this;
		const { requests, videos } = watching;
		const dueAt = performance.now() + claim.listingDelayMs;
		videos.note(claim, { dueAt });
		const isKnown = () => claim.own !== undefined || claim.item.videoUrl !== undefined;
		// An entry that names the item may be listed already.
		const { namesQueueIds } = videos.knownService;
		if (namesQueueIds && !isKnown()) await videos.list.read(requests).catch(() => undefined);
		while (!isKnown() && performance.now() < dueAt) {
			await pauseUntil(Math.min(this.checkAt, dueAt), requests.signal);
			// At the end of the delay it is checked, due or not, unless a Retry-After asks for more.
			if (this.lastFailure?.facts.retryAfterMs && performance.now() < this.checkAt) break;
			const wasGone = claim.hasLeft;
			const verdict = await this.check().catch(() => undefined);
			if (verdict === 'running' || (wasGone && verdict === 'failed')) {
				// A list may have settled it meanwhile.
				videos.note(claim, { dueAt: undefined, own: undefined, listedUntil: undefined });
				return false;
			}
		}
		return true;
	}

	/** Reads the list that has to show the video, again for a while if it cannot be read. */
	private async readOwn(): Promise<OwnVideo> {
		const { claim } = this;
		const { requests, videos } = this.watching;
		let endsAt: number | undefined;
		// A read for another item may settle it as well.
		for (let delayMs = 1_000; claim.own === undefined; delayMs *= 2) {
			// With its address known, this list settles it before its delay is over.
			videos.note(claim, { dueAt: Math.min(claim.dueAt ?? Infinity, performance.now()) });
			const failure = await videos.list.read(requests).then(() => undefined, classifyError);
			if (requests.signal.aborted) throw CANCELLED;
			if (failure === undefined) continue;
			const retryAfterMs = limitRetryAfter(failure);
			const now = performance.now();
			endsAt ??= now + (retryAfterMs > 0 ? MAX_RETRY_AFTER_MS : MAX_LIST_WAIT_MS);
			// With a longer Retry-After, or a known address, there is no further request. The last one is sent at `endsAt`.
			const isEnd = claim.item.videoUrl !== undefined || now + retryAfterMs > endsAt;
			if (isEnd) return { unidentified: UNREAD };
			const nextAt = Math.max(now + retryAfterMs, Math.min(now + delayMs, endsAt));
			await pauseUntil(nextAt, requests.signal);
		}
		return claim.own;
	}

	/** Checks the progress. @throws the failure, if a later check cannot help */
	private async check(): Promise<Verdict> {
		const { claim, job, settings, watching } = this;
		const { requests, videos } = watching;
		const checkedAt = performance.now();
		try {
			const details = await requests.fetchProgress(claim.item.queueId);
			this.checkAt = performance.now() + settings.intervalMs;
			// The progress is that of the item that has its queue ID now.
			if (claim.item.isReplaced) return this.noteLeft();
			const videoUrl = getVideoUrl(details);
			if (toText(details.status) === '' && videoUrl === undefined) {
				throw createIncomplete('details.status');
			}
			if (getStatus(details) !== getStatus(this.details)) this.statusSince = checkedAt;
			this.details = details;
			this.notFound = this.lastFailure = undefined;
			this.failedChecks = 0;
			const projectId = toText(details.projectId) || undefined;
			videos.note(claim, { hasLeft: false, projectId, videoUrl });
			const verdict = getVerdict(details, settings.words);
			if (verdict === 'running') {
				videos.note(claim, { runningAt: checkedAt });
				job.ledger.state.running = { at: checkedAt, executionId: getExecutionId(job.context) };
			}
			// It is in the queue: an end that an earlier try has seen does not count.
			const ended = { endedAs: undefined, unidentified: undefined };
			job.ledger.keep({ stage: 'queued', details: keepPlain(details), ...ended });
			return verdict;
		} catch (error) {
			if (requests.signal.aborted) throw CANCELLED;
			return this.noteFailure(classifyError(error));
		}
	}

	/** The last verdict of an item that is in the queue no more; 'left' if its end was not seen by then. */
	private noteLeft(): Verdict {
		const last = getVerdict(this.details ?? {}, this.settings.words);
		if (last !== 'running') return last;
		this.watching.videos.note(this.claim, { hasLeft: true });
		return 'left';
	}

	/** @throws a failure that a later check cannot better */
	private noteFailure(failure: RequestFailure): Verdict {
		const now = performance.now();
		this.lastFailure = failure;
		this.checkAt = now + Math.max(this.settings.intervalMs, limitRetryAfter(failure));
		// An item that was never seen has not left. An answer that is no JSON has a `content`, and is a gateway's.
		if (this.details !== undefined && isNotFound(failure)) {
			const by = failure.facts.content === undefined ? 'service' : 'gateway';
			// It had left the queue in an earlier try, and has not come back.
			if (by === 'service' && this.job.ledger.state.endedAs === 'leftQueue')
				throw new RequestFailure({ kind: 'leftQueue' });
			if (this.notFound?.by !== by) this.notFound = { by, count: 0, since: now };
			this.notFound.count += 1;
			const isLasting = now - this.notFound.since >= MIN_NOT_FOUND_MS[by];
			return isLasting && this.notFound.count >= MIN_NOT_FOUND ? this.noteLeft() : 'unknown';
		}
		// Transient failures say nothing about the item. A certificate that was accepted before is renewed soon.
		const isHiccup = isTransient(failure) || (this.details !== undefined && isInsecure(failure));
		if (isHiccup) return 'unknown';
		this.notFound = undefined;
		this.failedChecks += 1;
		if (this.failedChecks < Math.max(this.job.api.maxTries, MIN_FAILURES)) return 'unknown';
		throw failure;
	}
}

function createOutput(claim: Claim, details: IDataObject, own: OwnVideo): FinishedVideo {
	const { projectId, queueId, videoUrl } = claim.item;
	const video = 'video' in own ? own.video : null;
	const output: IDataObject = {
		status: details.status ?? null,
		videoUrl: videoUrl ?? video?.url ?? null,
		queueId,
		projectId: projectId ?? video?.projectId ?? null,
		video: video && putFirst(video),
	};
	const isTold = videoUrl !== undefined || claim.isNamed === true;
	const unidentified = 'unidentified' in own && !isTold ? own.unidentified : undefined;
	// The fields that people use come first, and the details do not overwrite them.
	return { json: { ...output, ...details, ...output }, unidentified, isTold };
}

const getExecutionId = (context: Job['context']) => context.getExecutionId() as string | undefined;

/** With an unknown status, a video may still be made, unless it has an address. */
function getVerdict(details: IDataObject, words: WaitSettings['words']): Verdict {
	const status = normalize(toText(details.status));
	if (words.completed.has(status)) return 'finished';
	if (words.failed.has(status)) return 'failed';
	return getVideoUrl(details) === undefined ? 'running' : 'finished';
}

const getVideoUrl = ({ videoUrl }: IDataObject) => toText(videoUrl) || undefined;

const getStatus = ({ status }: IDataObject = {}) => toText(status) || 'unknown';

/** A status word as it is compared. */
export const normalize = (word: string) => word.trim().toLowerCase();
