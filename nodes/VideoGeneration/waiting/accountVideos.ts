import type { IDataObject } from 'n8n-workflow';
import type { FetchedProgress } from '../api/endpoints';
import { createSlots, LongWork, onAbort, pause, pauseUntil } from '../api/pacing';
import { isObject, toText } from '../api/response';
import type { VideoLog } from '../api/videoLog';
import { identifyEntry, parseLogTime } from '../api/videoLog';
import { classifyError } from '../failures/errors';
import type { RequestFailure, Unidentified } from '../failures/failure';
import { CANCELLED, MAX_RETRY_AFTER_MS, TIMED_OUT } from '../failures/failure';
import type { ListedVideo, QueueItem } from './ownVideos';
import { decideOwners, findCandidates, getEarliest, ItemNames } from './ownVideos';

/** Items that ask for the list within this time share one request. */
const TOGETHER_MS = 20;

/** Minimum time between two requests for the list, which may be long. */
const MIN_INTERVAL_MS = 1_000;

/** Two requests are at least this many times as long apart as one takes. */
const REST_FACTOR = 50;

/** A request for the list that takes longer counts as failed. */
const TIMEOUT_MS = 30_000;

/** How long the list is requested again that must show a video, unless a `Retry-After` asks for more. */
const MAX_LIST_WAIT_MS = 30_000;

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
	private tookMs = 0;

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
		return this.knownAt >= this.neededFrom && this.failure === undefined;
	}

	private get minIntervalMs(): number {
		return Math.max(MIN_INTERVAL_MS, REST_FACTOR * this.tookMs);
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
		if (this.requestedAt >= time) {
			await this.refresh(requests);
			return;
		}
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
			this.tookMs = this.knownAt > 0 ? Math.min(this.tookMs, tookMs) : tookMs;
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
	/** Its own entry, once it is known. */
	video?: IDataObject | undefined;
}

/** The entry of an item's video, or why there is none. */
export type OwnVideo = { video: IDataObject } | { unidentified: Unidentified };

/** A finished item that waits for the list to show its video. */
interface Claim {
	item: TrackedItem;
	/** From this time on, a list response settles the item. */
	dueAt: number;
	settle: (own: OwnVideo) => void;
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
export function isListUnreliable(run: object): boolean {
	return [...(runs.get(run)?.values() ?? [])].some((videos) => videos.unreliableProjects.size > 0);
}

/** Which queue items of an account a run waits for, when a list first showed each video, and whose it is. */
export class AccountVideos {
	readonly list = new ListReads(async (...shown) => {
		await this.show(...shown);
	});

	/** The projects whose videos are not listed as assumed; undefined for an unknown one. */
	unreliableProjects = new Set<string | undefined>();

	/** Whether an entry has named a queue ID in this run: the service lets a finished video be identified at once. */
	private namesQueueIds = false;

	private readonly items = new Map<string, TrackedItem>();

	private readonly claims = new Set<Claim>();

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
		known: Pick<
			QueueItem,
			'queueId' | 'projectId' | 'sentAt' | 'isListKnown' | 'queuedAt' | 'given'
		>,
	): TrackedItem {
		const item = this.items.get(known.queueId) ?? { ...known, listingDelayMs: 0 };
		this.items.set(known.queueId, item);
		item.projectId ??= known.projectId;
		item.queuedAt ??= known.queuedAt;
		item.given ??= known.given;
		return item;
	}

	/**
	 * Claims the video of a finished item: has the list read once it must show the video. Another item's read
	 * may settle it as well.
	 */
	async claim(item: TrackedItem, requests: AccountRequests): Promise<OwnVideo> {
		const isAddressKnown = item.videoUrl !== undefined;
		const dueAt = performance.now() + (isAddressKnown ? 0 : item.listingDelayMs);
		// An entry that names the item may be listed already.
		if (this.namesQueueIds && !isAddressKnown) await this.list.readIfPossible(requests);
		if (item.video) return { video: item.video };
		const claim: Claim = { item, dueAt, settle: () => undefined };
		const own = new Promise<OwnVideo>((resolve) => {
			claim.settle = (settled) => {
				this.claims.delete(claim);
				resolve(settled);
			};
		});
		this.claims.add(claim);
		try {
			await pauseUntil(dueAt, requests.signal);
			await this.readForClaim(claim, isAddressKnown ? 0 : MAX_LIST_WAIT_MS, requests);
		} finally {
			this.claims.delete(claim);
		}
		return await own;
	}

	/** Reads the list until it settles a claim, again for a while if it cannot be read. */
	private async readForClaim(
		claim: Claim,
		maxMs: number,
		requests: AccountRequests,
	): Promise<void> {
		let endsAt: number | undefined;
		for (let delayMs = 1_000; this.claims.has(claim); delayMs *= 2) {
			try {
				await this.list.read(requests);
			} catch (error) {
				if (requests.signal.aborted) throw CANCELLED;
				const { retryAfterMs = 0 } = classifyError(error).facts;
				const now = performance.now();
				endsAt ??= now + (retryAfterMs > 0 ? MAX_RETRY_AFTER_MS : maxMs);
				// The last request is sent when the time is over.
				const nextAt = Math.max(now + retryAfterMs, Math.min(now + delayMs, endsAt));
				if (maxMs === 0 || now >= endsAt || nextAt > endsAt) claim.settle({ unidentified: {} });
				else await pauseUntil(nextAt, requests.signal);
			}
		}
	}

	/** Notes what a list shows, and settles the claims that are due. */
	private async show(entries: unknown[], requestedAt: number): Promise<void> {
		const items = [...this.items.values()].filter(({ video }) => video === undefined);
		const due = [...this.claims].filter(({ dueAt }) => requestedAt >= dueAt);
		const dueItems = [...new Set(due.map(({ item }) => item))];
		const earliest = Math.min(...dueItems.map(getEarliest), Infinity);
		const free = this.note(entries, new ItemNames(items), earliest);
		const work = new LongWork();
		const settled = [];
		for (const item of dueItems.filter(({ video }) => video === undefined)) {
			await work.yieldIfDue();
			settled.push(findCandidates(item, free));
		}
		const { own, unreliable } = decideOwners(settled, this.unreliableProjects);
		this.unreliableProjects = unreliable;
		for (const [item, { key, entry }] of own) {
			this.owned.add(key);
			item.video = entry;
		}
		for (const { item, settle } of this.claims) if (item.video) settle({ video: item.video });
		const candidates = new Map(settled.map((each) => [each.item, each.candidates]));
		for (const { item, settle } of due.filter((claim) => this.claims.has(claim))) {
			const left = candidates.get(item)?.filter(({ key }) => !this.owned.has(key)) ?? [];
			settle({ unidentified: describe(item, left) });
		}
	}

	/**
	 * Notes when entries were first shown, and gives those that name an item to it.
	 *
	 * @returns the others that can be the own one of an item that is due
	 */
	private note(entries: unknown[], names: ItemNames<TrackedItem>, earliest: number): ListedVideo[] {
		const now = performance.now();
		const named = new Map<TrackedItem, ListedVideo[]>();
		const free = new Map<string, ListedVideo>();
		for (const entry of entries) {
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
		for (const [item, [video, ...others]] of named) {
			if (video === undefined || others.length > 0) continue;
			item.video = video.entry;
			this.namesQueueIds ||= item.videoUrl === undefined;
			this.owned.add(video.key);
			free.delete(video.key);
		}
		return [...free.values()];
	}
}

/** The entries that may be an item's video, so that a person finds them in the list. */
function describe({ projectId }: TrackedItem, candidates: ListedVideo[]): Unidentified {
	const dates = candidates
		.filter(({ createdAt }) => createdAt !== undefined)
		.sort((a, b) => Number(a.createdAt) - Number(b.createdAt))
		.map(({ entry }) => toText(entry.createdAt));
	return { count: candidates.length, projectId, from: dates[0], to: dates.at(-1) };
}

/** Entries of different projects may have the same ID. */
function getKey(entry: IDataObject): string {
	return `${toText(entry.projectId)}\n${identifyEntry(entry) ?? JSON.stringify(entry)}`;
}
