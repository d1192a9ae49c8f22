import type { IDataObject } from 'n8n-workflow';
import { isObject, toText } from '../api/response';
import { identifyEntry, parseLogTime } from '../api/videoLog';
import type { Run } from '../item/job';
import { AccountList } from './accountList';
import type { Decision, ListedVideo, QueueItem } from './ownVideos';
import { decideOwners, getEarliest, ItemNames } from './ownVideos';

/** How long a video is owed that was paid for, and whose entry is not known when its wait ends. */
const OWED_MS = 30 * 60 * 1000;

/** After a video that had to be listed was not, its project is mistrusted for so many times its Listing Delay. */
const MISTRUSTED_DELAYS = 10;

/** What this process knows of each service, by its address. All executions share it. */
const watches = new Map<string, Watch>();

/** Watches the videos of a service, until the run ends. */
export function watchService(baseUrl: string, run: Run): Watch {
	for (const each of watches.values()) each.forgetOld();
	const watch = watches.get(baseUrl) ?? new Watch();
	watches.set(baseUrl, watch);
	watch.serve(run);
	return watch;
}

interface Mistrust {
	/** By `performance.now()`. */
	until: number;
	/** The item whose video was missing. */
	item: Pick<QueueItem, 'account' | 'projectId' | 'sentAt'>;
}

/** An item as its wait knows it. */
type KnownItem = Pick<QueueItem, 'account' | 'queueId' | 'projectId' | 'queuedAt' | 'sentAt'>;

/**
 * Which queue items of a service are waited for, when a list first showed each video, and whose it is. What a list
 * shows is given to items of its own account alone. Two keys may belong to one account, so they share the rest.
 */
export class Watch {
	private readonly lists = new Map<number, AccountList>();

	/** The items that are waited for, and those whose video is owed. */
	private readonly items = new Map<string, QueueItem>();

	/** When a list first showed each entry to this process, also one that has vanished. */
	private readonly shownAt = new Map<string, number>();

	/** The entries that are an item's own, with the item's key. */
	private readonly owners = new Map<string, string>();

	/** An entry of the last list of each account, by which another key of the account is known. */
	private readonly samples = new Map<number, string>();

	/** The accounts that are one with several keys, since their lists show the same entry. */
	private readonly joined = new Map<number, Set<number>>();

	/** Until when no item of a project is given an entry that does not name it. */
	private readonly mistrusted = new Map<string, Mistrust>();

	private readonly runs = new Set<Run>();

	/** How long it is known which entries were given, after the last run. */
	private givenUntil = -Infinity;

	/** How many names it has given to items. */
	private named = 0;

	/** Whether a list has named a queue ID. If so, a finished video can be identified at once. */
	namesQueueIds = false;

	/** How many items are waited for, or will be. */
	private watching = 0;

	/** Has the lists read while an item is made. @returns a function that ends this: the next one reads them anew */
	begin(): () => void {
		this.watching += 1;
		return () => {
			this.watching -= 1;
			if (this.watching === 0) this.lists.clear();
		};
	}

	/** Knows what the lists have shown until the last run ends, and nothing is owed any more. */
	serve(run: Run): void {
		if (this.runs.has(run)) return;
		this.runs.add(run);
		run.onClose(() => {
			this.runs.delete(run);
			this.givenUntil = performance.now() + OWED_MS;
			this.forgetOld();
		});
	}

	/** Forgets videos that are owed no more, and mistrust that is over. */
	forgetOld(): void {
		const now = performance.now();
		for (const [key, { owedUntil = Infinity }] of this.items) {
			if (owedUntil < now) this.items.delete(key);
		}
		for (const [key, { until }] of this.mistrusted) {
			if (until < now) this.mistrusted.delete(key);
		}
		if (this.runs.size > 0 || this.items.size > 0) return;
		this.shownAt.clear();
		// The next round of a loop may wait for an item that was made beside these.
		if (this.givenUntil < now) this.owners.clear();
		this.samples.clear();
		this.joined.clear();
	}

	/** The list of an account, whose key may be another one for each item. */
	getList(account: number): AccountList {
		const onShown = (entries: unknown[], requestedAt: number) => {
			this.show(account, entries, requestedAt);
		};
		const list = this.lists.get(account) ?? new AccountList(onShown);
		this.lists.set(account, list);
		return list;
	}

	/** The item of a queue ID, with what is known of it now. Several input items may have the same one. */
	track(known: KnownItem): QueueItem {
		if (known.sentAt !== undefined) this.setAside(known);
		const key = getItemKey(known);
		const item = this.items.get(key) ?? { ...known, listingDelayMs: 0, waits: 0 };
		this.items.set(key, item);
		item.projectId ??= known.projectId;
		item.queuedAt ??= known.queuedAt;
		item.waits += 1;
		item.owedUntil = item.among = undefined;
		return item;
	}

	/**
	 * A service may use a queue ID again, so what was added just now is another item than one that has ended, and
	 * nothing that is listed is its own. It may also answer two adds with one item, which is still made then.
	 */
	private setAside(added: KnownItem): void {
		const key = getItemKey(added);
		const before = this.items.get(key);
		const isMade = before !== undefined && before.waits > 0 && before.dueAt === undefined;
		if (isMade && before.own === undefined && before.projectId === added.projectId) return;
		const aside = `${key}\n${++this.named}`;
		for (const [entry, owner] of this.owners) if (owner === key) this.owners.set(entry, aside);
		if (before === undefined) return;
		this.items.delete(key);
		before.key = aside;
		this.items.set(aside, before);
	}

	/** Ends a wait for an item. @param isOwed whether its video was paid for, and may still appear */
	release(item: QueueItem, isOwed: boolean): void {
		item.waits -= 1;
		if (item.waits > 0) return;
		if (!isOwed) this.items.delete(getItemKey(item));
		// A list that names it later, or a later wait, settles it.
		item.own = item.dueAt = undefined;
		item.owedUntil = performance.now() + OWED_MS;
	}

	/** Notes an add that is being sent: a video of its project may appear. */
	expect(account: number, projectId: string | undefined): QueueItem {
		const sentAt = performance.now();
		return this.track({ account, queueId: `add ${++this.named}`, projectId, sentAt });
	}

	/** Notes an entry that n8n keeps as given to an item. What this process has seen is surer: n8n keeps no account. */
	keepOwner(item: Pick<QueueItem, 'account' | 'queueId'>, entry: IDataObject): void {
		const key = getEntryKey(entry);
		if (!this.owners.has(key)) this.owners.set(key, getItemKey(item));
	}

	/** Notes that two keys are of one account. */
	private join(one: number, other: number): void {
		const all = new Set([one, other].flatMap((each) => [each, ...(this.joined.get(each) ?? [])]));
		for (const each of all) this.joined.set(each, all);
	}

	private isOfAccount(item: Pick<QueueItem, 'account'>, account: number): boolean {
		return item.account === account || this.joined.get(account)?.has(item.account) === true;
	}

	/** Whether a video of an item's project was missing in a list that had to show it. */
	isMistrusted({ account, projectId }: Pick<QueueItem, 'account' | 'projectId'>): boolean {
		const now = performance.now();
		return [...this.mistrusted.values()].some(({ until, item }) => {
			const isOfProject = item.projectId === projectId;
			const canBeOf = isOfProject || item.projectId === undefined || projectId === undefined;
			const isOurs = this.isOfAccount(item, account) ? canBeOf : isOfProject && isAdded(item);
			return until > now && isOurs;
		});
	}

	/** Notes what a list shows, and gives entries that name an item to it. Then it settles the items that are due. */
	private show(account: number, entries: unknown[], requestedAt: number): void {
		const unsettled = [...this.items.values()].filter(({ own }) => own === undefined);
		const ofAccount = unsettled.filter((item) => item.account === account);
		const isDue = ({ dueAt = Infinity }: QueueItem) => dueAt <= requestedAt;
		const earliest = Math.min(...ofAccount.filter(isDue).map(getEarliest), Infinity);
		const names = new ItemNames(ofAccount);
		const named = new Map<QueueItem, ListedVideo[]>();
		const free = new Map<string, ListedVideo>();
		const now = performance.now();
		const samples = new Map([...this.samples].map(([other, key]) => [key, other]));
		let sample: string | undefined;
		let changedAt = -Infinity;
		for (const entry of entries) {
			// An entry without an address is not listed yet.
			if (!isObject(entry) || toText(entry.url) === '') continue;
			const key = getEntryKey(entry);
			const other = samples.get(key) ?? account;
			if (other !== account) this.join(account, other);
			sample ??= key;
			const shownAt = this.shownAt.get(key) ?? now;
			this.shownAt.set(key, shownAt);
			changedAt = Math.max(changedAt, shownAt);
			const owner = this.owners.get(key);
			const item = owner === undefined ? names.find(entry) : this.items.get(owner);
			if (item === undefined && (shownAt < earliest || owner !== undefined)) continue;
			const createdAt = parseLogTime(entry.createdAt);
			const video = { entry, key, projectId: toText(entry.projectId), createdAt, shownAt };
			if (owner === undefined) free.set(key, video);
			const isWaiting = item?.account === account && item.own === undefined;
			// One that was there before its add names an item that had its queue ID before.
			if (isWaiting && shownAt > (item.sentAt ?? -Infinity))
				named.set(item, [...(named.get(item) ?? []), video]);
		}
		if (sample !== undefined) this.samples.set(account, sample);
		for (const [item, [video, ...others]] of named) {
			if (video === undefined || others.length > 0) continue;
			// Otherwise it is known as its own, which does not mean that the service tells so.
			item.isNamed = item.videoUrl === undefined && names.find(video.entry) === item;
			this.namesQueueIds ||= item.isNamed;
			this.give(item, video);
			free.delete(video.key);
		}
		const due = ofAccount.filter((item) => item.own === undefined && isDue(item));
		const isOther = (item: QueueItem) =>
			item.own === undefined &&
			!due.includes(item) &&
			(this.isOfAccount(item, account) || isAdded(item));
		const others = unsettled.filter(isOther);
		this.settle(decideOwners(due, [...free.values()], others, changedAt));
	}

	/** Settles the items that are due. */
	private settle({ own, candidates, missing }: Decision): void {
		for (const item of missing) {
			const until = performance.now() + MISTRUSTED_DELAYS * item.listingDelayMs;
			const key = JSON.stringify([item.account, item.projectId, isAdded(item)]);
			this.mistrusted.set(key, { until, item });
		}
		for (const [item, video] of own) {
			if (!this.isMistrusted(item)) this.give(item, video);
		}
		for (const [item, all] of candidates) {
			const keys = all.map(({ key }) => key).filter((key) => !this.owners.has(key));
			if (item.hasLeft === true) item.among = new Set(keys);
			item.own ??= { unidentified: { count: keys.length, projectId: item.projectId } };
		}
	}

	private give(item: QueueItem, { entry, key }: ListedVideo): void {
		const itemKey = getItemKey(item);
		item.own = { video: entry };
		this.owners.set(key, itemKey);
		if (item.waits === 0) this.items.delete(itemKey);
	}
}

/**
 * Whether the service has accepted an add of the item's project, which it does from the project's own account alone. What
 * a person enters for a wait may be another's project, or none, and must not take videos from strangers.
 */
function isAdded({ projectId, sentAt }: Pick<QueueItem, 'projectId' | 'sentAt'>): boolean {
	return projectId !== undefined && sentAt !== undefined;
}

function getItemKey(item: Pick<QueueItem, 'account' | 'key' | 'queueId'>): string {
	return item.key ?? `${item.account}\n${item.queueId}`;
}

/** Entries of different projects may have the same ID. */
function getEntryKey(entry: IDataObject): string {
	return `${toText(entry.projectId)}\n${identifyEntry(entry) ?? JSON.stringify(entry)}`;
}
