import type { IDataObject } from 'n8n-workflow';
import type { FetchedProgress } from '../api/endpoints';
import { Breaks, createSlots, inParts, onAbort, pause } from '../api/pacing';
import { isObject, toText } from '../api/response';
import type { VideoLog } from '../api/videoLog';
import { identifyEntry, parseLogTime } from '../api/videoLog';
import { classifyError } from '../failures/errors';
import type { RequestFailure } from '../failures/failure';
import { CANCELLED, TIMED_OUT } from '../failures/failure';
import type { ListedVideo, QueueItem } from './ownVideos';
import { decideOwners, FreeVideos, getEarliest, ItemNames } from './ownVideos';

/** Items that ask for the list within this time share one request. */
const TOGETHER_MS = 20;

/** Minimum time between two requests for the list, which may be long. */
const MIN_INTERVAL_MS = 1_000;

/** Two requests are at least this many times as long apart as one takes. */
const REST_FACTOR = 50;

/** A request for the list that takes longer counts as failed. */
const TIMEOUT_MS = 30_000;

/** Minimum time between two requests for the list that settle no item. */
const REFRESH_INTERVAL_MS = 60_000;

/** The list of videos, and when its response began. */
type ListResponse = Pick<VideoLog, 'entries' | 'respondedAt'>;

/** The requests about an account. */
export interface AccountRequests {
	/** Requests the list of videos once. By the deadline, by `performance.now()`, it is not needed any more. */
	fetchList: (deadline: number) => Promise<ListResponse>;
	/** Requests the progress of a queue item once (specification, "GET /v1/queue/progress/{queueId}"). */
	fetchProgress: (queueId: string) => Promise<FetchedProgress>;
	/** Ends the requests. */
	signal: AbortSignal;
}

/** Reads the list of videos of an account for all items of a run together. */
export class ListReads {
	private requestedAt = -Infinity;

	/** How long the fastest request took: only a long list takes long each time. */
	private tookMs: number | undefined;

	/** Why the last request failed, and until when the service asks for no other one. */
	private failure: RequestFailure | undefined;

	private refusedUntil = -Infinity;

	/** The next request, which has not begun. */
	private next: Promise<void> | undefined;

	/** The end of all requests so far. It never rejects. */
	private last: Promise<unknown> = Promise.resolve();

	/** @param show notes what the list shows, with the time of the request */
	constructor(private readonly show: (entries: unknown[], requestedAt: number) => Promise<void>) {}

	/** When the last list that was received was requested, and from when on one is needed. */
	private knownAt = -Infinity;

	private neededFrom = -Infinity;

	/** Whether the last request has shown what is listed. */
	get isKnown(): boolean {
		return this.knownAt > this.neededFrom && this.failure === undefined;
	}

	private get minIntervalMs(): number {
		return Math.max(MIN_INTERVAL_MS, REST_FACTOR * (this.tookMs ?? 0));
	}

	/** Reads the list unless that was done a short while ago. A list that cannot be read ends nothing. */
	async refresh(requests: AccountRequests): Promise<void> {
		const intervalMs = Math.max(REFRESH_INTERVAL_MS, this.minIntervalMs);
		if (performance.now() >= this.requestedAt + intervalMs) await this.readIfPossible(requests);
	}

	/**
	 * Reads the list before an add. It is also read again if it was requested before a time: it may lack the
	 * videos of other executions. An add waits for that no longer than a request may take.
	 */
	async refreshFrom(time: number, requests: AccountRequests): Promise<void> {
		if (this.requestedAt >= time) return await this.refresh(requests);
		this.neededFrom = time;
		const timer = new AbortController();
		const timedOut = pause(TIMEOUT_MS, timer.signal);
		await Promise.race([this.readIfPossible(requests), timedOut]).finally(() => {
			timer.abort();
		});
	}

	/** Reads the list. A list that cannot be read ends nothing. */
	async readIfPossible(requests: AccountRequests): Promise<void> {
		await this.read(requests).catch(() => undefined);
		if (requests.signal.aborted) throw CANCELLED;
	}

	/**
	 * Reads the list. Items that call this before the request begins share it.
	 *
	 * @throws a RequestFailure when it cannot be read, with the rest of a `Retry-After`
	 */
	async read(requests: AccountRequests): Promise<void> {
		this.next ??= this.readNext(requests);
		this.last = this.next.catch(() => undefined);
		await this.next;
	}

	private async readNext(requests: AccountRequests): Promise<void> {
		const { last } = this;
		await pause(TOGETHER_MS, requests.signal);
		await last;
		const restMs = this.requestedAt + this.minIntervalMs - performance.now();
		await pause(Math.ceil(restMs), requests.signal);
		this.next = undefined;
		if (requests.signal.aborted) throw CANCELLED;
		const now = performance.now();
		const retryAfterMs = this.refusedUntil - now;
		if (this.failure && retryAfterMs > 0) throw this.failure.with({ retryAfterMs });
		this.requestedAt = now;
		try {
			const { entries, respondedAt } = await fetchInTime(requests, now + TIMEOUT_MS);
			// The wait for a slow service is no work.
			const tookMs = performance.now() - respondedAt;
			this.tookMs = Math.min(this.tookMs ?? tookMs, tookMs);
			await this.show(entries, now);
			this.failure = undefined;
			this.knownAt = now;
		} catch (error) {
			this.failure = classifyError(error);
			this.refusedUntil = performance.now() + (this.failure.facts.retryAfterMs ?? 0);
			throw this.failure;
		}
	}
}

/** @throws a RequestFailure when the response does not come in time, or the run ends */
async function fetchInTime(requests: AccountRequests, deadline: number): Promise<ListResponse> {
	const timer = new AbortController();
	const stopListening = onAbort(requests.signal, () => {
		timer.abort();
	});
	const timedOut = pause(TIMEOUT_MS, timer.signal).then((isOver) => {
		throw isOver ? TIMED_OUT : CANCELLED;
	});
	return await Promise.race([requests.fetchList(deadline), timedOut]).finally(() => {
		stopListening();
		timer.abort();
	});
}

/** A queue item that is waited for. Several input items may have the same one. */
export interface TrackedItem extends QueueItem {
	/** A list that is requested from then on settles the item. Undefined while none must, or once one has. */
	dueAt?: number | undefined;
	/** Its own entry, once it is known. */
	video?: IDataObject | undefined;
	/** The entries that can be its own otherwise: the newest, and the number of all. */
	candidates: IDataObject[];
	candidateCount: number;
	/** Why the list could not be read when it had to settle the item. */
	listFailure?: RequestFailure | undefined;
}

/** Keyed by n8n's object for one execution of a node, and gone with it. */
const runs = new WeakMap<object, Map<string, AccountVideos>>();

/**
 * The queue items and videos of one account in one run.
 *
 * @param run n8n's object for one execution of the node, which all tries of Retry On Fail share; a new
 * object for each call of an agent
 * @param account identifies the account: each item may have a credential of its own
 * @param listGiven the entries that n8n keeps as given to items of an earlier execution
 */
export function getAccountVideos(
	run: object,
	account: string,
	listGiven: () => IDataObject[],
): AccountVideos {
	const accounts = runs.get(run) ?? new Map<string, AccountVideos>();
	runs.set(run, accounts);
	const videos = accounts.get(account) ?? new AccountVideos(listGiven());
	accounts.set(account, videos);
	return videos;
}

/** Whether the service does not list videos as it is assumed to, in any project of a run. */
export function isAssumptionBroken(run: object): boolean {
	return [...(runs.get(run)?.values() ?? [])].some(({ broken }) => broken.size > 0);
}

/** Which queue items of an account a run waits for, when a list first showed each video, and whose it is. */
export class AccountVideos {
	readonly list = new ListReads(async (...shown) => {
		await this.show(...shown);
	});

	/** The projects whose videos are not listed as assumed; undefined for an unknown one. */
	broken = new Set<string | undefined>();

	/** Whether an entry has named a queue ID in this run: the service lets a finished video be identified at once. */
	namesQueueIds = false;

	private readonly items = new Map<string, TrackedItem>();

	/** When a list first showed each entry to this run, also one that has vanished. */
	private readonly shownAt = new Map<string, number>();

	/** The entries that are an item's own. */
	private readonly owned: Set<string>;

	/** Spreads out work that thousands of items may do after the same response. */
	readonly takeSlot = createSlots(1);

	constructor(given: IDataObject[]) {
		this.owned = new Set(given.map(getKey));
	}

	/** The item of a queue ID, with what is known of it now. */
	track(
		known: Pick<QueueItem, 'queueId' | 'projectId' | 'sentAt' | 'isListKnown' | 'queuedAt'>,
	): TrackedItem {
		const blank = { listingDelayMs: 0, candidates: [], candidateCount: 0 };
		const item = this.items.get(known.queueId) ?? { ...known, ...blank };
		this.items.set(known.queueId, item);
		item.projectId ??= known.projectId;
		item.queuedAt ??= known.queuedAt;
		return item;
	}

	/** Notes what a list shows, and settles the items that are due. */
	private async show(entries: unknown[], requestedAt: number): Promise<void> {
		const breaks = new Breaks();
		const items = [...this.items.values()].filter(({ video }) => video === undefined);
		const due = items.filter(({ dueAt = Infinity }) => requestedAt >= dueAt);
		const earliest = due.reduce((min, item) => Math.min(min, getEarliest(item)), Infinity);
		const free = await this.note(entries, new ItemNames(items), earliest, breaks);
		const settled = [];
		for (const item of due) {
			await breaks.takeDue();
			settled.push(free.findCandidates(item));
		}
		const { own, broken } = decideOwners(
			settled.filter(({ item }) => item.video === undefined),
			this.broken,
		);
		this.broken = broken;
		for (const { key } of own.values()) this.owned.add(key);
		for (const { item, candidates, count } of settled) {
			const left = candidates.filter(({ key }) => !this.owned.has(key));
			item.video ??= own.get(item)?.entry;
			item.candidates = left.map(({ entry }) => entry);
			item.candidateCount = count - candidates.length + left.length;
			item.dueAt = undefined;
		}
	}

	/**
	 * Notes when entries were first shown, and gives those that name an item to it.
	 *
	 * @returns the others that can be the own one of an item that is due
	 */
	private async note(
		entries: unknown[],
		names: ItemNames<TrackedItem>,
		earliest: number,
		breaks: Breaks,
	): Promise<FreeVideos> {
		const now = performance.now();
		const named = new Map<TrackedItem, ListedVideo[]>();
		const free = new Map<string, ListedVideo>();
		for await (const part of inParts(entries, breaks)) {
			for (const entry of part) {
				if (!isObject(entry)) continue;
				const key = getKey(entry);
				const shownAt = this.shownAt.get(key) ?? now;
				this.shownAt.set(key, shownAt);
				const item = names.find(entry);
				if ((item === undefined && shownAt < earliest) || this.owned.has(key)) continue;
				const createdAt = parseLogTime(entry.createdAt);
				const video = { entry, key, projectId: toText(entry.projectId), createdAt, shownAt };
				free.set(key, video);
				if (item) named.set(item, [...(named.get(item) ?? []), video]);
			}
		}
		for (const [item, [video, ...others]] of named) {
			if (video === undefined || others.length > 0) continue;
			item.video = video.entry;
			item.dueAt = undefined;
			this.namesQueueIds ||= item.videoUrl === undefined;
			this.owned.add(video.key);
			free.delete(video.key);
		}
		return new FreeVideos([...free.values()]);
	}
}

/** Entries of different projects may have the same ID. */
function getKey(entry: IDataObject): string {
	return `${toText(entry.projectId)}\n${identifyEntry(entry) ?? JSON.stringify(entry)}`;
}
