import type { IDataObject } from 'n8n-workflow';
import { Breaks, createSlots, inParts } from '../api/pacing';
import { isObject, toText } from '../api/response';
import { identifyEntry, parseLogTime } from '../api/videoLog';
import type { RequestFailure } from '../failures/failure';
import { ListReads } from './listReads';
import type { ListedVideo, QueueItem } from './ownVideos';
import { decideOwners, FreeVideos, getEarliest, ItemNames } from './ownVideos';

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
	track(known: Pick<QueueItem, 'queueId' | 'projectId' | 'sentAt' | 'queuedAt'>): TrackedItem {
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
