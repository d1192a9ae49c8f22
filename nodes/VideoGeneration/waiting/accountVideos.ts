import type { IDataObject } from 'n8n-workflow';
import { Breaks, createSlots, inParts } from '../api/pacing';
import { isObject, toText } from '../api/response';
import { identifyEntry, parseLogTime } from '../api/videoLog';
import type { RequestFailure } from '../failures/failure';
import { ListReads } from './listReads';
import type { ListedVideo, QueueItem } from './ownVideos';
import { decideOwners, findCandidates, getLastForeign } from './ownVideos';

/** A queue item that is waited for. Several input items may have the same one. */
export interface TrackedItem extends QueueItem {
	/** When a response said that it is finished, or had left the queue. */
	endedAt?: number | undefined;
	/** From when on a request for the list settles it; undefined while none must, or once one has. */
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
	return [...(runs.get(run)?.values() ?? [])].some(({ broken }) => broken.size > 0);
}

/** Which queue items of an account a run waits for, when the list has first shown each video, and whose it is. */
export class AccountVideos {
	readonly list = new ListReads(async (...shown) => {
		await this.show(...shown);
	});

	/** The projects whose videos are not listed as assumed; undefined for an unknown one. */
	broken = new Set<string | undefined>();

	private readonly items = new Map<string, TrackedItem>();

	/** When this run was first shown each entry, also one that has vanished. */
	private readonly shownAt = new Map<string, number>();

	/** The entries that are an item's own. */
	private readonly owned = new Set<string>();

	/** Spreads out work that thousands of items may do after the same response. */
	readonly takeSlot = createSlots(1);

	/** The item of a queue ID, with what is known of it now. */
	track(known: Pick<QueueItem, 'queueId' | 'projectId' | 'sentAt' | 'queuedAt'>): TrackedItem {
		const blank = { listingDelayMs: 0, candidates: [], candidateCount: 0 };
		const item = this.items.get(known.queueId) ?? { ...known, ...blank };
		this.items.set(known.queueId, item);
		item.projectId ??= known.projectId;
		return item;
	}

	/** Notes when the entries were first shown, and settles the items that are due. */
	private async show(entries: unknown[], requestedAt: number): Promise<void> {
		const breaks = new Breaks();
		const due = [...this.items.values()].filter(({ dueAt = Infinity }) => requestedAt >= dueAt);
		const videos = await this.note(entries, due, breaks);
		const settled = [];
		for (const item of due) {
			await breaks.takeDue();
			settled.push(findCandidates(item, videos));
		}
		const { own, broken } = decideOwners(settled, this.broken);
		this.broken = broken;
		for (const { key } of own.values()) this.owned.add(key);
		for (const { item, candidates, count } of settled) {
			const left = candidates.filter(({ key }) => !this.owned.has(key));
			item.video = own.get(item)?.entry;
			item.candidates = left.map(({ entry }) => entry);
			item.candidateCount = count - candidates.length + left.length;
			item.dueAt = undefined;
		}
	}

	/** @returns the entries that can be the own one of an item that is due */
	private async note(
		entries: unknown[],
		due: TrackedItem[],
		breaks: Breaks,
	): Promise<ListedVideo[]> {
		const now = performance.now();
		const lastForeign = due.reduce((min, item) => Math.min(min, getLastForeign(item)), Infinity);
		const videos = new Map<string, ListedVideo>();
		for await (const part of inParts(entries, breaks)) {
			for (const entry of part) {
				if (!isObject(entry)) continue;
				const projectId = toText(entry.projectId);
				const key = `${projectId}\n${identifyEntry(entry) ?? JSON.stringify(entry)}`;
				const shownAt = this.shownAt.get(key) ?? now;
				this.shownAt.set(key, shownAt);
				if (shownAt <= lastForeign || this.owned.has(key)) continue;
				const createdAt = parseLogTime(entry.createdAt);
				videos.set(key, { entry, key, projectId, createdAt, shownAt });
			}
		}
		return [...videos.values()];
	}
}
