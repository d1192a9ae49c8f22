import type { IDataObject, IExecuteSingleFunctions } from 'n8n-workflow';
import { getAccountKey } from '../../../credentials/connection';
import type { VideoLog } from '../api/endpoints';
import { parseLogTime } from '../api/logTime';
import { Breaks, inParts, pause } from '../api/pause';
import { CREDENTIAL } from '../api/request';
import { isObject, toText } from '../api/response';
import { createSlots } from '../api/slots';
import { classifyError } from '../failures/classifyError';
import { isNotFound } from '../failures/failure';
import type { StatusWords } from './status';
import { getVerdict, getVideoUrl } from './status';
import type { Finding, LoggedVideo, QueuedVideo, VideoBatches } from './videoOwners';
import {
	addVideos,
	countCandidates,
	findRivals,
	findVideos,
	listCandidates,
	removeVanished,
	removeVideo,
} from './videoOwners';

/** A queue item whose end is unknown counts as a possible owner of a video for this long. */
const MEMORY_MS = 60 * 60 * 1000;

/** Minimum time between two searches for old items: thousands of items may begin to wait in a row. */
const FORGET_INTERVAL_MS = 60_000;

/** Items that finish within this time share one read of the log. */
const TOGETHER_MS = 20;

/** Minimum time between two reads of the log, which may be large. */
const MIN_READ_INTERVAL_MS = 1_000;

/** The log shows a finished item's entry within this time. */
export const MAX_LOG_DELAY_MS = 30_000;

/** Maximum number of queue items that are checked with each read of the log. */
const MAX_RIVALS = 100;

/**
 * An item's first read of the log, before its first check; a later one; or one that decides what
 * becomes of it. The first and the deciding read get the log even if its tag has not changed: nothing
 * else shows a tag that fails to change.
 */
export type LogRead = 'first' | 'later' | 'deciding';

/** The requests about an account. */
export interface AccountRequests {
	/** Requests the video log once (specification, "GET /v1/videos"), with the tag of an earlier response. */
	fetchLog: (etag: string | undefined) => Promise<VideoLog>;
	/** Requests the progress of a queue item once ("GET /v1/queue/progress/{queueId}"). */
	fetchProgress: (queueId: string) => Promise<IDataObject>;
	/** Ends the requests. */
	signal: AbortSignal;
}

/** A queue item that may own an entry of the video log. */
export interface TrackedItem extends QueuedVideo {
	/** Undefined for an add whose response has not come, or never came. */
	queueId?: string;
	/** The address that the item's progress tells. */
	videoUrl?: string | undefined;
	/** The item's own entry, once it is known. */
	video?: LoggedVideo | undefined;
	/** The result of the last read of the log. */
	found?: Finding | undefined;
	words?: StatusWords;
	/** The number of waits for it that are under way. */
	waits: number;
	/** When the last wait for it ended, by `performance.now()`. */
	endedAt: number;
	/** When it was first known to be finished, or to have left the queue, if its wait has ended. */
	goneAt?: number | undefined;
}

const accounts = new Map<string, AccountVideos>();

/**
 * The queue items and videos of the account that an item's credential names, which may be another
 * one for each item. All executions in this process share them.
 */
export async function getAccountVideos(context: IExecuteSingleFunctions): Promise<AccountVideos> {
	const key = getAccountKey(await context.getCredentials(CREDENTIAL));
	for (const [name, account] of accounts) if (account.isForgotten()) accounts.delete(name);
	const account = accounts.get(key) ?? new AccountVideos();
	accounts.set(key, account);
	return account;
}

/** Which queue items of an account are waited for, which videos its log shows, and whose they are. */
export class AccountVideos {
	private readonly items = new Set<TrackedItem>();

	/** The entries that the log shows, by their key. */
	private log = new Map<string, LoggedVideo>();

	/** The tag of the response that showed them, if it had one. */
	private etag: string | undefined;

	private batches: VideoBatches = new Map();

	/** The keys of entries that have an owner, and since when, by `performance.now()`. */
	private readonly owned = new Map<string, number>();

	private ticks = 0;

	private waits = 0;

	/** The end of all reads of the log that are under way: each begins after the one before it. */
	private reading = Promise.resolve();

	/** The reads that have not begun. */
	private readonly next: Partial<Record<LogRead, Promise<void> | undefined>> = {};

	/** Spreads out the creation of outputs: thousands of items may be finished at once. */
	readonly takeSlot = createSlots(1);

	/** When the last read of the log began, by `performance.now()`. */
	private readAt = -Infinity;

	/** When old items were searched for last, by `performance.now()`. */
	private forgotAt = -Infinity;

	/** The next tick, which is higher than all earlier ones. */
	tick(): number {
		this.ticks += 1;
		return this.ticks;
	}

	/** Begins to wait for an add that is about to be sent, or for a queue item. */
	track(known: Pick<TrackedItem, 'queueId' | 'projectId' | 'runningAt'>): TrackedItem {
		this.forgetOld();
		const item = this.find(known.queueId) ?? { isWanting: false, waits: 0, endedAt: 0 };
		if (item.waits === 0) this.takeBack(item);
		item.projectId ??= known.projectId;
		item.runningAt ??= known.runningAt;
		if (known.queueId !== undefined) item.queueId = known.queueId;
		this.resume(item);
		return item;
	}

	/** Begins to wait for an item again. */
	resume(item: TrackedItem): void {
		Object.assign(item, { closedAt: undefined, goneAt: undefined, hasLeft: undefined });
		item.waits += 1;
		this.waits += 1;
		this.items.add(item);
	}

	/** Names a tracked add, once its response has come. */
	name(item: TrackedItem, queueId: string, createdAt: number | undefined): void {
		if (this.find(queueId) !== undefined) this.beginAnew();
		item.queueId = queueId;
		item.createdAt = createdAt;
	}

	/** @param askedAt the tick before the request that showed it */
	noteRunning(item: TrackedItem, askedAt: number): void {
		Object.assign(item, { runningAt: askedAt, hasLostLog: false });
	}

	/**
	 * Ends a wait. The item may still own a video that the log shows later.
	 *
	 * @param isOver whether the log has shown everything that the item can own
	 */
	release(item: TrackedItem, isOver = false): void {
		item.waits -= 1;
		this.waits -= 1;
		item.endedAt = performance.now();
		if (item.waits === 0) {
			item.isWanting = false;
			if (isOver) Object.assign(item, { closedAt: this.tick(), goneAt: item.endedAt });
		}
		if (this.waits === 0) this.forgetLog();
	}

	/** Ends a wait for an item that has no video: it was refused, or its generation failed. */
	forget(item: TrackedItem): void {
		this.items.delete(item);
		this.release(item);
	}

	/**
	 * Reads the log, and looks for the videos of all items that want one. Items that ask for the same
	 * kind of read at nearly the same time share one, unless the item whose requests it uses is stopped.
	 *
	 * @throws a RequestFailure when the log cannot be read
	 */
	async readLog(requests: AccountRequests, read: LogRead): Promise<void> {
		this.next[read] ??= this.readNext(requests, read);
		await this.next[read].catch(async (error: unknown) => {
			if (requests.signal.aborted || classifyError(error).kind !== 'cancelled') throw error;
			await this.readLog(requests, read);
		});
	}

	/** The entries that can be an item's own, at most 100 of them, and how many there are. */
	getCandidates(item: TrackedItem): { list: LoggedVideo[]; count: number } {
		const { batches } = this;
		return { list: listCandidates(item, batches), count: countCandidates(item, batches) };
	}

	/** Whether nothing of the account has to be remembered any longer. An unused account is about to be used. */
	isForgotten(): boolean {
		this.forgetOld();
		return this.ticks > 0 && this.items.size === 0 && this.owned.size === 0;
	}

	private async readNext(requests: AccountRequests, read: LogRead): Promise<void> {
		if (this.waits > 1) {
			const restMs = this.readAt + MIN_READ_INTERVAL_MS - performance.now();
			// An item that is finished before its first check could be given no video.
			await pause(Math.max(TOGETHER_MS, read === 'first' ? 0 : restMs), requests.signal);
		}
		const begin = async () => {
			this.next[read] = undefined;
			this.readAt = performance.now();
			await this.readNow(requests, read === 'later' ? this.etag : undefined);
		};
		this.reading = this.reading.then(begin, begin);
		await this.reading;
	}

	private async readNow(requests: AccountRequests, etag: string | undefined): Promise<void> {
		const log = await requests.fetchLog(etag);
		const breaks = new Breaks();
		if (!log.isUnchanged) await this.update(log, breaks);
		await this.giveByAddress(breaks);
		await this.checkRivals(findRivals(this.getPossibleOwners(), this.batches), requests);
		for (const [item, found] of findVideos(this.getPossibleOwners(), this.batches)) {
			item.found = found;
			if (found.video) this.give(item, found.video);
		}
	}

	private async update({ entries, etag }: VideoLog, breaks: Breaks): Promise<void> {
		const seenAt = this.tick();
		const shown = new Map<string, LoggedVideo>();
		let knownCount = 0;
		for await (const part of inParts(entries, breaks)) {
			const added: LoggedVideo[] = [];
			for (const entry of part) {
				if (!isObject(entry)) continue;
				const key = getKey(entry);
				if (shown.has(key)) continue;
				const known = this.log.get(key);
				const video = known ?? createLoggedVideo(entry, key, seenAt);
				shown.set(key, video);
				if (known) knownCount += 1;
				else if (!this.owned.has(key)) added.push(video);
			}
			addVideos(this.batches, added);
		}
		if (knownCount < this.log.size) removeVanished(this.batches, shown);
		this.log = shown;
		this.etag = etag;
	}

	/**
	 * Checks the queue items that may own what another item would be given: those that are still running
	 * do not. Some of them are waited for no longer: after a timeout or Stop, the service goes on making
	 * their videos.
	 */
	private async checkRivals(
		rivals: TrackedItem[],
		{ fetchProgress }: AccountRequests,
	): Promise<void> {
		const known = rivals.filter(({ queueId }) => queueId !== undefined).slice(0, MAX_RIVALS);
		const check = async (item: TrackedItem) => {
			const askedAt = this.tick();
			const details = await fetchProgress(item.queueId ?? '');
			const verdict = item.words ? getVerdict(details, item.words) : 'running';
			item.videoUrl = getVideoUrl(details);
			if (verdict === 'running') this.noteRunning(item, askedAt);
			if (verdict === 'failed' && item.waits === 0) this.items.delete(item);
			return verdict === 'finished';
		};
		await Promise.all(
			known.map(async (item) => {
				const isGone = await check(item).catch(isNotFound);
				if (item.waits > 0 || !isGone) return;
				item.goneAt ??= performance.now();
				if (performance.now() - item.goneAt >= MAX_LOG_DELAY_MS) item.closedAt = this.tick();
			}),
		);
	}

	/** An item that knows the address of its video is given the entry of that address, and no other. */
	private async giveByAddress(breaks: Breaks): Promise<void> {
		const wanted = new Set(
			this.getItemsWithAddress().flatMap(({ url }) => [url, withoutQuery(url)]),
		);
		if (wanted.size === 0) return;
		const byAddress = new Map<string, LoggedVideo>();
		for await (const part of inParts([...this.log.values()], breaks)) {
			for (const video of part) {
				const url = toText(video.entry.url);
				for (const address of [withoutQuery(url), url]) {
					if (wanted.has(address)) byAddress.set(address, video);
				}
			}
		}
		for (const { item, url } of this.getItemsWithAddress()) {
			const video = byAddress.get(url) ?? byAddress.get(withoutQuery(url));
			if (video) this.give(item, video);
		}
	}

	private getItemsWithAddress(): { item: TrackedItem; url: string }[] {
		return [...this.items].flatMap((item) =>
			item.videoUrl === undefined || item.video ? [] : [{ item, url: item.videoUrl }],
		);
	}

	private give(item: TrackedItem, video: LoggedVideo): void {
		item.video = video;
		this.owned.set(video.key, performance.now());
		removeVideo(this.batches, video);
	}

	/** Makes an item search for its video again: its address in the log may have changed. */
	private takeBack(item: TrackedItem): void {
		const { video } = item;
		Object.assign(item, { video: undefined, videoUrl: undefined, found: undefined });
		if (video === undefined) return;
		this.owned.delete(video.key);
		const logged = this.log.get(video.key);
		if (logged) addVideos(this.batches, [logged]);
	}

	/** Frees the memory of a log that may be large. The next read cannot tell which entries are new. */
	private forgetLog(): void {
		this.log = new Map();
		this.etag = undefined;
		this.batches = new Map();
		this.readAt = -Infinity;
		for (const item of this.items) {
			item.closedAt = undefined;
			if (item.createdAt !== undefined || item.runningAt === undefined) continue;
			Object.assign(item, { runningAt: undefined, hasLostLog: true });
		}
	}

	/** A service that assigns a queue ID again was reset, as a sandbox is: its earlier items are void. */
	private beginAnew(): void {
		for (const item of this.items) if (item.waits === 0) this.drop(item);
	}

	private drop(item: TrackedItem): void {
		this.items.delete(item);
		this.takeBack(item);
	}

	private find(queueId: string | undefined): TrackedItem | undefined {
		if (queueId === undefined) return undefined;
		for (const item of this.items) if (item.queueId === queueId) return item;
		return undefined;
	}

	private getPossibleOwners(): TrackedItem[] {
		return [...this.items].filter(
			({ video, videoUrl }) => video === undefined && videoUrl === undefined,
		);
	}

	private forgetOld(): void {
		if (!isOver(this.forgotAt, FORGET_INTERVAL_MS)) return;
		this.forgotAt = performance.now();
		for (const item of this.items)
			if (item.waits === 0 && isOver(item.endedAt, MEMORY_MS)) this.drop(item);
		for (const [key, since] of this.owned) if (isOver(since, MEMORY_MS)) this.owned.delete(key);
	}
}

function isOver(since: number, durationMs: number): boolean {
	return performance.now() > since + durationMs;
}

function createLoggedVideo(entry: IDataObject, key: string, seenAt: number): LoggedVideo {
	const createdAt = parseLogTime(entry.createdAt) ?? Infinity;
	return { entry, key, projectId: toText(entry.projectId), createdAt, seenAt };
}

/** Tells an entry from all others: its ID, or the whole entry as text. */
function getKey(entry: IDataObject): string {
	return toText(entry.id) || JSON.stringify(entry);
}

function withoutQuery(url: string): string {
	return url.replace(/[?#].*/s, '');
}
