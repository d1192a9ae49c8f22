import type { IDataObject } from 'n8n-workflow';
import { identifyEntry, parseLogTime } from '../api/videoLog';
import { Breaks, createSlots, inParts, pause } from '../api/pacing';
import { isObject, toText } from '../api/response';
import { classifyError } from '../failures/classifyError';
import { RequestFailure } from '../failures/failure';
import type { AccountRequests } from './accountRequests';
import { LogPace } from './accountRequests';
import type { LoggedVideo, WaitingItem } from './ownVideos';
import { canBeGiven, canOwn, decideOwners, FreeVideos, isBroken } from './ownVideos';

/** Items that ask for the log within this time share one request. */
const TOGETHER_MS = 20;

/** How often an item that waits for its siblings checks whether they leave it a single candidate. */
const REVIEW_INTERVAL_MS = 1_000;

/** A queue item of a run. Several input items may have the same one. */
export interface TrackedItem extends WaitingItem {
	/** When a response said that it is finished, or had left the queue, by `performance.now()`. */
	endedAt?: number | undefined;
	/** The tick of that response. */
	endedTick?: number | undefined;
	/** How long after its end the log may show its video. */
	listingDelayMs: number;
	/** Why the log could not be fetched when the item had to be settled. */
	logFailure?: RequestFailure | undefined;
	/** Ends the pauses before the next progress checks. */
	wake: Set<() => void>;
}

/** Keyed by n8n's object for one execution of a node, and gone with it. */
const runs = new WeakMap<object, Map<string, AccountVideos>>();

/**
 * The queue items and videos of one account in one run.
 *
 * @param run n8n's object for one execution of the node, which all tries of Retry On Fail share; a new
 * object for each call of an agent
 * @param account identifies the account: each item may have a credential of its own
 */
export function getAccountVideos(run: object, account: string): AccountVideos {
	const accounts = runs.get(run) ?? new Map<string, AccountVideos>();
	runs.set(run, accounts);
	const videos = accounts.get(account) ?? new AccountVideos();
	accounts.set(account, videos);
	return videos;
}

/** Whether the service does not list videos as it is assumed to, in any project of a run. */
export function isAssumptionBroken(run: object): boolean {
	return [...(runs.get(run)?.values() ?? [])].some((account) => account.isAssumptionBroken);
}

/** Which queue items of an account a run waits for, which videos the log has shown, and whose they are. */
export class AccountVideos {
	private readonly items = new Map<string, TrackedItem>();

	/** All entries that the log has shown in this run, by their key: also those that have vanished. */
	private readonly shown = new Map<string, LoggedVideo>();

	private readonly byAddress = new Map<string, LoggedVideo | 'several'>();

	private readonly free = new FreeVideos();

	/** The projects whose videos the log does not show as assumed; undefined for an unknown one. */
	private readonly broken = new Set<string | undefined>();

	private ticks = 0;

	/** The tag of the last response, if it had one. */
	private etag: string | undefined;

	private hasLog = false;

	private readonly pace = new LogPace();

	/** The end of all requests for the log that have begun. It never rejects. */
	private fetching: Promise<unknown> = Promise.resolve();

	/** The next request for the log, which has not begun. */
	private next: { isConditional: boolean; done: Promise<void> } | undefined;

	private reviewing: Promise<void> | undefined;

	/** The projects of items that are waited for and not settled; undefined for an unknown one. */
	private unsettledProjects: ReadonlySet<string | undefined> = new Set();

	/** The signal of the last try of the node that has requested the log before its first add. */
	private fetchedFor: AbortSignal | undefined;

	/** Spreads out work that thousands of items may do after the same response. */
	readonly takeSlot = createSlots(1);

	get isAssumptionBroken(): boolean {
		return this.broken.size > 0;
	}

	/** The next moment in the order of this run's requests and responses. */
	tick(): number {
		this.ticks += 1;
		return this.ticks;
	}

	/**
	 * The item of a queue ID.
	 *
	 * @param known with the tick before its add was sent, if this run has sent it
	 */
	track(known: {
		queueId: string;
		projectId?: string | undefined;
		runningTick?: number | undefined;
	}): TrackedItem {
		const { queueId, projectId, runningTick } = known;
		const item = this.items.get(queueId) ?? {
			...{ waits: 0, listingDelayMs: 0, wake: new Set<() => void>() },
		};
		this.items.set(queueId, item);
		item.projectId ??= projectId;
		if (runningTick !== undefined) this.noteRunning(item, runningTick);
		return item;
	}

	/** @param requestedTick the tick before the request that showed it */
	noteRunning(item: TrackedItem, requestedTick: number): void {
		item.runningTick = Math.max(item.runningTick ?? -1, requestedTick);
		if (item.endedTick === undefined || requestedTick < item.endedTick) return;
		// The earlier 'finished' was wrong, so what was decided from it is undone.
		if (item.video) {
			this.free.add(Object.assign(item.video, { shownTick: this.tick(), isOwned: false }));
			this.broken.add(item.projectId);
		}
		Object.assign(item, { endedAt: undefined, endedTick: undefined, settledTick: undefined });
		Object.assign(item, { hasLeft: false, video: undefined, videoUrl: undefined });
	}

	noteEnded(item: TrackedItem, hasLeft: boolean): void {
		// It had not left the queue after all, so its video may not be listed yet.
		if (item.hasLeft && !hasLeft) {
			Object.assign(item, { endedAt: undefined, endedTick: undefined, settledTick: undefined });
		}
		item.endedAt ??= performance.now();
		item.endedTick ??= this.tick();
		item.hasLeft = hasLeft;
		// The video of an item that left the queue may still be made, so later entries can be its own.
		if (hasLeft) item.settledTick = undefined;
	}

	/** Fetches the log before the first add of a try: the entries in it are of no item that is added then. */
	async fetchLogBeforeAdd(requests: AccountRequests): Promise<void> {
		if (this.fetchedFor === requests.signal) return;
		this.fetchedFor = requests.signal;
		await this.fetchLogIfPossible(requests, false);
	}

	/**
	 * Fetches the log before the progress of an item is checked, if that may tell which entries are not its own.
	 *
	 * @param isFirst whether this is the first check of an item that was added elsewhere
	 */
	async fetchLogBeforeCheck(requests: AccountRequests, isFirst: boolean): Promise<void> {
		if (isFirst || !this.hasLog) {
			await this.fetchLogIfPossible(requests, false);
			return;
		}
		if (this.pace.isDue(this.etag !== undefined)) await this.fetchLogIfPossible(requests);
	}

	/** Like `fetchLog`, but goes on without the log if it cannot be fetched. */
	async fetchLogIfPossible(requests: AccountRequests, isConditional = true): Promise<void> {
		await this.fetchLog(requests, isConditional).catch(() => undefined);
		if (requests.signal.aborted) throw new RequestFailure({ kind: 'cancelled', tries: 0 });
	}

	/**
	 * Fetches the log, and decides whose videos it shows. Items that call this before the request begins
	 * share it.
	 *
	 * @param isConditional whether the log is not needed if its tag has not changed. A tag may fail to
	 * change, which only a full response shows.
	 * @throws a RequestFailure when the log cannot be fetched
	 */
	async fetchLog(requests: AccountRequests, isConditional = false): Promise<void> {
		this.next ??= this.planFetch(requests);
		this.next.isConditional &&= isConditional;
		try {
			await this.next.done;
		} catch (error) {
			const failure = classifyError(error);
			// It belongs to an earlier try of the node, which has ended.
			if (failure.kind !== 'cancelled' || requests.signal.aborted) throw failure;
			await this.fetchLog(requests, isConditional);
		}
		// Thousands of items may wait for the same response: they go on in parts.
		await this.takeSlot(() => undefined);
	}

	/** Whether other items of its project are being waited for and not finished. */
	hasRunningSibling(item: TrackedItem): boolean {
		for (const other of this.items.values()) {
			const isRunning = other.waits > 0 && other.endedAt === undefined;
			if (isRunning && other !== item && isSameProject(item.projectId, other.projectId))
				return true;
		}
		return false;
	}

	/** Whether the log has shown entries of its project since the item was last known to be running. */
	hasNews(item: TrackedItem): boolean {
		return item.runningTick !== undefined && this.hasCandidates(item);
	}

	/** Whether `getCandidates` lists any. */
	hasCandidates(item: TrackedItem): boolean {
		return this.free.count({ ...item, settledTick: undefined }) > 0;
	}

	/**
	 * Waits a moment for siblings that are not settled yet: they may leave an item a single candidate.
	 *
	 * @returns whether it may be given a video later
	 */
	async waitForDecision(item: TrackedItem, signal: AbortSignal): Promise<boolean> {
		const isOpen = () =>
			canBeGiven(item) &&
			!isBroken(this.broken, item.projectId) &&
			[...this.unsettledProjects].some((projectId) => isSameProject(item.projectId, projectId));
		if (!isOpen()) return false;
		this.reviewing ??= pause(REVIEW_INTERVAL_MS, signal).then(() => {
			this.reviewing = undefined;
			this.noteUnsettled();
		});
		await this.reviewing;
		// Thousands of items may wait for it: they go on in parts.
		await this.takeSlot(() => undefined);
		if (signal.aborted) throw new RequestFailure({ kind: 'cancelled' });
		return isOpen();
	}

	/** The entries that can be an item's own, at most 100 of them, and how many there are. */
	getCandidates(item: TrackedItem): { list: LoggedVideo[]; count: number } {
		const count = this.free.count(item);
		if (count > 0) return { list: this.free.list(item), count };
		// An entry that is shown too late is listed, and given to no item.
		const late = { ...item, settledTick: undefined };
		return { list: this.free.list(late), count: this.free.count(late) };
	}

	private planFetch(requests: AccountRequests): { isConditional: boolean; done: Promise<void> } {
		const next = { isConditional: true, done: Promise.resolve() };
		const { signal } = requests;
		const earlier = this.fetching;
		next.done = (async () => {
			await pause(TOGETHER_MS, signal);
			await earlier;
			await this.pace.pause(signal);
			this.next = undefined;
			if (signal.aborted) throw new RequestFailure({ kind: 'cancelled' });
			await this.fetchNow(requests, next.isConditional ? this.etag : undefined);
		})();
		this.fetching = next.done.catch(() => undefined);
		return next;
	}

	private async fetchNow(requests: AccountRequests, etag: string | undefined): Promise<void> {
		const requestedAt = performance.now();
		const log = await this.pace.fetchLog(requests, etag);
		if (log.isUnchanged) return;
		const shownTick = this.tick();
		const breaks = new Breaks();
		await this.addEntries(log.entries, shownTick, breaks);
		this.etag = log.etag;
		this.hasLog = true;
		for (const item of this.items.values()) {
			const { endedAt = Infinity, listingDelayMs, videoUrl } = item;
			if (requestedAt >= endedAt + listingDelayMs && videoUrl === undefined)
				item.settledTick ??= shownTick;
		}
		this.decide();
		await this.wakeRunning(breaks);
	}

	private async addEntries(entries: unknown[], shownTick: number, breaks: Breaks): Promise<void> {
		for await (const part of inParts(entries, breaks)) {
			const added: LoggedVideo[] = [];
			for (const entry of part) {
				if (!isObject(entry)) continue;
				const key = identifyEntry(entry) ?? JSON.stringify(entry);
				const video = this.shown.get(key) ?? createLoggedVideo(entry, shownTick);
				if (!this.shown.has(key)) added.push(video);
				this.shown.set(key, video);
				video.entry = entry;
				const url = toText(entry.url);
				const sameAddress = this.byAddress.get(url) ?? video;
				this.byAddress.set(url, sameAddress === video ? video : 'several');
			}
			// The newest of a long list are found faster in sorted parts.
			for (const video of added.sort((a, b) => b.createdAt - a.createdAt)) this.free.add(video);
		}
	}

	/** Gives an item that knows the address of its video the entry of exactly that address, if it was shown. */
	assignByAddress(item: TrackedItem): void {
		const video = this.byAddress.get(item.videoUrl ?? '') ?? 'several';
		if (video !== 'several' && canOwn(item, video)) this.assign(item, video);
	}

	private assign(item: TrackedItem, video: LoggedVideo): void {
		item.video = video;
		video.isOwned = true;
		this.free.remove(video);
	}

	private decide(): void {
		const { own, broken } = decideOwners([...this.items.values()], this.free);
		for (const projectId of broken) this.broken.add(projectId);
		for (const [item, video] of own) {
			if (!isBroken(this.broken, item.projectId)) this.assign(item, video);
		}
		this.noteUnsettled();
	}

	private noteUnsettled(): void {
		const unsettled = [...this.items.values()].filter(
			(item) => item.waits > 0 && item.settledTick === undefined && canBeGiven(item),
		);
		this.unsettledProjects = new Set(unsettled.map(({ projectId }) => projectId));
	}

	/** Entries that the log shows while an item is running are not its own, so that is checked at once. */
	private async wakeRunning(breaks: Breaks): Promise<void> {
		for (const item of this.items.values()) {
			if (item.wake.size === 0 || !this.hasNews(item)) continue;
			for (const wake of [...item.wake]) wake();
			await breaks.takeDue();
		}
	}
}

/** Whether two items can be of the same project: one of an unknown project can be of any. */
function isSameProject(one: string | undefined, other: string | undefined): boolean {
	return one === undefined || other === undefined || one === other;
}

function createLoggedVideo(entry: IDataObject, shownTick: number): LoggedVideo {
	const createdAt = parseLogTime(entry.createdAt) ?? 0;
	return { entry, projectId: toText(entry.projectId), createdAt, shownTick, isOwned: false };
}
