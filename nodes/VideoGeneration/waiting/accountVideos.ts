import type { IDataObject } from 'n8n-workflow';
import type { Service } from '../api/request';
import { isObject, toText } from '../api/response';
import { identifyEntry, parseLogTime } from '../api/videoLog';
import type { Unidentified } from '../failures/failure';
import { AccountList } from './accountList';
import type { Claim, Decision, ListedVideo, QueueItem } from './ownVideos';
import { addTo, ClaimNames, decideOwners, getEarliest, isOlder, pickNamed } from './ownVideos';

/** How long a video is owed that was paid for, and whose entry is not known when its wait ends. */
const OWED_MS = 30 * 60 * 1000;

/** After a video that had to be listed was not, its project is mistrusted for so many times its Listing Delay. */
const MISTRUSTED_DELAYS = 10;

/** Dates of one item may differ by so much: some are written without fractions of a second. */
const SAME_DATE_MS = 1_000;

/** A service, as far as this process knows it. */
interface KnownService {
	/** By account, which is a key: two keys may be of one account. */
	accounts: Map<number, AccountVideos>;
	/** Whether a list has named a queue ID. If so, a finished video can be identified at once. */
	namesQueueIds: boolean;
}

/** By address. All executions share them. */
const services = new Map<string, KnownService>();

/** What this process knows of the videos of an account. */
export function getAccountVideos({ baseUrl, account }: Service): AccountVideos {
	for (const { accounts } of services.values()) {
		for (const [key, videos] of accounts) if (!videos.forgetOld()) accounts.delete(key);
	}
	const unknown = { accounts: new Map<number, AccountVideos>(), namesQueueIds: false };
	const service = services.get(baseUrl) ?? unknown;
	services.set(baseUrl, service);
	const videos = service.accounts.get(account) ?? new AccountVideos(service);
	service.accounts.set(account, videos);
	return videos;
}

/** A queue item that is or was waited for, and the waits for it that go on or whose video is owed. */
interface Item extends QueueItem {
	claims: Set<Claim>;
}

interface Mistrust {
	/** By `performance.now()`. */
	until: number;
	/** Whether the service has accepted an add of the project. */
	isAdded: boolean;
}

/**
 * Which queue items of an account are waited for, when a list first showed each video, and whose it is. It is known while
 * anything is waited for or owed; whose a video is, for half an hour more.
 */
export class AccountVideos {
	/** The list, which all who wait read together. */
	list = this.createList();

	/** The waits that go on, and the videos that are owed. */
	readonly claims = new Set<Claim>();

	/** The items that had each queue ID, the latest last. */
	private readonly items = new Map<string, Item[]>();

	/** When a list first showed each entry to this process, also one that has vanished. */
	private readonly shownAt = new Map<string, number>();

	/** Whose own one an entry is. */
	private readonly owners = new Map<string, { item: Item; createdAt: unknown }>();

	/** Until when no item of a project is given an entry that does not name it; undefined for an unknown project. */
	private readonly mistrusted = new Map<string | undefined, Mistrust>();

	/** The same account with its other keys, since their lists show the same entry, and this one. */
	private keys: ReadonlySet<AccountVideos> = new Set([this]);

	/** An entry of the last list, by which another key of the account is known. */
	private sample: IDataObject | undefined;

	/** How many items are waited for, or will be. */
	private watching = 0;

	private idleSince = performance.now();

	constructor(private readonly service: KnownService) {}

	/** Whether a list of the service has named a queue ID. */
	get namesQueueIds(): boolean {
		return this.service.namesQueueIds;
	}

	/** Has the list read while an item is made. @returns a function that ends this: the next one reads it anew */
	begin(): () => void {
		this.watching += 1;
		return () => {
			this.watching -= 1;
			this.idleSince = performance.now();
			this.forgetOld();
		};
	}

	/** Forgets what is over, once nothing is waited for. @returns whether anything is left */
	forgetOld(): boolean {
		if (this.watching > 0) return true;
		this.list = this.createList();
		this.forgetOwed();
		if (this.claims.size > 0) return true;
		this.shownAt.clear();
		// The next round of a loop may wait for an item that was made beside these.
		if (performance.now() < this.idleSince + OWED_MS) return true;
		this.owners.clear();
		this.items.clear();
		this.mistrusted.clear();
		this.sample = undefined;
		return false;
	}

	/** Begins a wait for an item. Several may wait for the same one. */
	claim(known: QueueItem, listingDelayMs: number): Claim {
		const item = this.identify(known);
		for (const claim of item.claims) if (claim.owedUntil !== undefined) this.drop(claim);
		for (const other of this.findItems(item.queueId)) {
			if (known.sentAt !== undefined) other.isReplaced = other !== item;
			else if ((other.queuedAt ?? NaN) > (item.queuedAt ?? NaN)) item.isReplaced = true;
		}
		return this.add(item, listingDelayMs);
	}

	/** Ends a wait. @param isOwed whether its video was paid for, and may still appear */
	release(claim: Claim, isOwed: boolean): void {
		if (!isOwed) this.drop(claim);
		// A list that names it later, or a later wait, settles it.
		claim.own = claim.dueAt = undefined;
		claim.owedUntil = performance.now() + OWED_MS;
	}

	/** Notes an add that is being sent: a video of its project may appear. */
	expect(projectId: string | undefined): Claim {
		const sentAt = performance.now();
		return this.add({ queueId: '', projectId, sentAt, claims: new Set() }, 0);
	}

	/** Notes that another process of n8n is owed a video of a project: any new one may be that. */
	expectOfOthers(projectId: string): void {
		this.release(this.add({ queueId: '', projectId, claims: new Set() }, 0), true);
	}

	/** Whether this process is owed a video of a project. */
	isOwed(projectId: string | undefined): boolean {
		return [...this.claims].some(
			({ item, owedUntil }) =>
				owedUntil !== undefined &&
				item.projectId === projectId &&
				(item.queueId !== '' || item.sentAt !== undefined),
		);
	}

	private add(item: Item, listingDelayMs: number): Claim {
		const claim = { item, listingDelayMs };
		item.claims.add(claim);
		this.claims.add(claim);
		return claim;
	}

	private drop(claim: Claim): void {
		(claim.item as Item).claims.delete(claim);
		this.claims.delete(claim);
	}

	private forgetOwed(): void {
		const now = performance.now();
		for (const claim of this.claims) if ((claim.owedUntil ?? Infinity) < now) this.drop(claim);
	}

	/** Notes an entry that n8n keeps as given to an item. What this process has seen is surer: n8n keeps no account. */
	keepOwner(known: QueueItem, entry: IDataObject): void {
		const key = getEntryKey(entry);
		if (this.findOwner(key, entry) === undefined) this.setOwner(key, entry, this.identify(known));
	}

	/** Whether a video of a project was missing in a list that had to show it. */
	isMistrusted(projectId: string | undefined): boolean {
		const now = performance.now();
		return [...this.service.accounts.values()].some((account) =>
			[...account.mistrusted].some(([project, { until, isAdded }]) => {
				const isOfProject = project === projectId;
				const canBeOf = isOfProject || project === undefined || projectId === undefined;
				return until > now && (this.keys.has(account) ? canBeOf : isOfProject && isAdded);
			}),
		);
	}

	private createList(): AccountList {
		return new AccountList((entries, requestedAt) => {
			this.show(entries, requestedAt);
		});
	}

	/**
	 * The item of a queue ID. What was added just now is another item than any before, unless that is still being made:
	 * the service has then made one item of two equal orders.
	 */
	private identify(known: QueueItem): Item {
		const { queueId, projectId, queuedAt, sentAt } = known;
		const isSame = ({ claims, ...item }: Item) => {
			if (isOneDate(item, known) === false) return false;
			const isMade = [...claims].some(({ dueAt, owedUntil }) => !owedUntil && !dueAt);
			return sentAt === undefined || (isMade && item.projectId === projectId);
		};
		const found = this.findItems(queueId).findLast(isSame);
		const item = found ?? { ...known, claims: new Set() };
		if (found === undefined) addTo(this.items, queueId, item);
		item.projectId ??= projectId;
		item.queuedAt ??= queuedAt;
		return item;
	}

	/** The items that had a queue ID. */
	private findItems(queueId: string): Item[] {
		return [...this.keys].flatMap(({ items }) => items.get(queueId) ?? []);
	}

	/** One with another date is another entry: the service counts anew. */
	private findOwner(key: string, { createdAt }: IDataObject): Item | undefined {
		for (const { owners, shownAt } of this.keys) {
			const owner = owners.get(key);
			if (owner === undefined) continue;
			const [before = NaN, now = NaN] = [owner.createdAt, createdAt].map(parseLogTime);
			if (!(Math.abs(now - before) >= SAME_DATE_MS)) return owner.item;
			owners.delete(key);
			shownAt.delete(key);
		}
		return undefined;
	}

	private setOwner(key: string, { createdAt }: IDataObject, item: Item): void {
		this.owners.set(key, { item, createdAt });
	}

	/** Notes what a list shows, and gives entries that name an item to it. Then it settles the claims that are due. */
	private show(entries: unknown[], requestedAt: number): void {
		this.forgetOwed();
		this.findOtherKeys(entries);
		const open = listOpen(this);
		const isDue = ({ dueAt = Infinity }: Claim) => dueAt <= requestedAt;
		const earliest = open
			.filter(isDue)
			.reduce((min, claim) => Math.min(min, getEarliest(claim)), Infinity);
		const names = new ClaimNames(open);
		const named = new Map<Claim, ListedVideo[]>();
		const free = new Set<ListedVideo>();
		const now = performance.now();
		let changedAt = -Infinity;
		this.sample = undefined;
		for (const entry of entries) {
			// An entry without an address is not listed yet.
			if (!isObject(entry) || toText(entry.url) === '') continue;
			this.sample ??= entry;
			const key = getEntryKey(entry);
			const owner = this.findOwner(key, entry);
			const shownAt = this.noteShown(key, now);
			changedAt = Math.max(changedAt, shownAt);
			const claims = owner === undefined ? names.find(entry) : this.listWaits(owner);
			if (claims.length === 0 && (shownAt < earliest || owner !== undefined)) continue;
			const createdAt = parseLogTime(entry.createdAt);
			const video = { entry, key, projectId: toText(entry.projectId), createdAt, shownAt };
			if (owner === undefined) free.add(video);
			const own = owner === undefined ? pickNamed(claims, video) : claims;
			for (const claim of own) addTo(named, claim, video);
		}
		for (const [claim, videos] of named) {
			// Where the dates are of two clocks, one that looks older is its own in the end.
			const inTime = videos.filter((video) => !isOlder(claim, video));
			const [video, ...others] = inTime.length > 0 || !isDue(claim) ? inTime : videos;
			if (video === undefined || others.length > 0) continue;
			// Otherwise it is known as its own, which does not mean that the service tells so.
			claim.isNamed = claim.item.videoUrl === undefined && names.find(video.entry).includes(claim);
			this.service.namesQueueIds ||= claim.isNamed;
			this.give(claim, video);
			free.delete(video);
		}
		const due = new Set(open.filter((claim) => claim.own === undefined && isDue(claim)));
		const others = [...this.service.accounts.values()].flatMap((account) =>
			listOpen(account).filter(
				(claim) => !due.has(claim) && (this.keys.has(account) || isAdded(claim)),
			),
		);
		this.settle(decideOwners([...due], [...free], others, changedAt), [...due], [...free]);
	}

	private settle({ own, counts, missing }: Decision, due: Claim[], free: ListedVideo[]): void {
		const now = performance.now();
		const latest = new Map<string, ListedVideo>();
		for (const video of free) {
			const { shownAt = -Infinity } = latest.get(video.projectId) ?? {};
			if (video.shownAt >= shownAt) latest.set(video.projectId, video);
		}
		for (const claim of missing) {
			const { item, listingDelayMs } = claim;
			const { projectId } = item;
			const { until = 0, isAdded: wasAdded = false } = this.mistrusted.get(projectId) ?? {};
			this.mistrusted.set(projectId, {
				until: Math.max(until, now + MISTRUSTED_DELAYS * listingDelayMs),
				isAdded: isAdded(claim) || (wasAdded && until > now),
			});
		}
		for (const claim of due) {
			const video = own.get(claim);
			const { projectId } = claim.item;
			if (video && !this.isMistrusted(projectId)) this.give(claim, video);
			else {
				const count = (counts.get(claim) ?? 0) + Number(video !== undefined);
				const dates = count === 0 ? compareDates(claim, latest.get(projectId ?? '')) : undefined;
				claim.own = { unidentified: { count, projectId, dates } };
				if (claim.hasLeft === true) claim.listedUntil = now;
			}
		}
	}

	private give(claim: Claim, { entry, key }: ListedVideo): void {
		claim.own = { video: entry };
		this.setOwner(key, entry, claim.item as Item);
		if (claim.owedUntil !== undefined) this.drop(claim);
	}

	/** The waits for an item with this key. */
	private listWaits({ claims }: Item): Claim[] {
		return [...claims].filter((claim) => claim.own === undefined && this.claims.has(claim));
	}

	/** When a list first showed an entry to this process, with any key of the account. */
	private noteShown(key: string, now: number): number {
		let first = now;
		for (const { shownAt } of this.keys) first = Math.min(first, shownAt.get(key) ?? now);
		this.shownAt.set(key, first);
		return first;
	}

	/** Finds other keys of the account: their last list has shown an entry of this one. */
	private findOtherKeys(entries: unknown[]): void {
		const samples = new Map<string, AccountVideos>();
		for (const other of this.service.accounts.values()) {
			if (other.sample && !this.keys.has(other)) samples.set(getEntryKey(other.sample), other);
		}
		if (samples.size === 0) return;
		for (const entry of entries) {
			if (!isObject(entry)) continue;
			const other = samples.get(getEntryKey(entry));
			if (!other?.sample || !isSameVideo(entry, other.sample)) continue;
			const keys = new Set([...this.keys, ...other.keys]);
			for (const each of keys) each.keys = keys;
			for (const each of keys) each.mergeItems();
		}
	}

	/** Each key may have made an item of its own of one queue item, before they were known to be of one account. */
	private mergeItems(): void {
		for (const [queueId, items] of this.items) {
			const others = this.findItems(queueId).filter((each) => !items.includes(each));
			const findSame = (item: Item) => {
				const last = item === items.at(-1) ? others.at(-1) : undefined;
				const isOpen = last !== undefined && isOneDate(last, item) === undefined;
				return others.find((each) => isOneDate(each, item)) ?? (isOpen ? last : item);
			};
			this.items.set(queueId, [...new Set(items.map(findSame))]);
			for (const owner of this.owners.values()) {
				if (items.includes(owner.item)) owner.item = findSame(owner.item);
			}
			for (const claim of items.flatMap(({ claims }) => [...claims])) {
				const item = findSame(claim.item as Item);
				claim.item = item;
				item.claims.add(claim);
			}
		}
	}
}

/** The dates of an entry that was shown since the add, and seems to be older, and of its queue item. */
function compareDates(claim: Claim, video: ListedVideo | undefined): Unidentified['dates'] {
	const { queuedAt } = claim.item;
	if (!video || video.shownAt < getEarliest(claim) || !isOlder(claim, video)) return undefined;
	const [videoDate = '', queueDate = ''] = [video.createdAt, queuedAt].map((time = 0) =>
		new Date(time).toISOString(),
	);
	return { videoDate, queueDate };
}

/** Whether two items have the same date; undefined if one has none. */
function isOneDate({ queuedAt: one = NaN }: QueueItem, { queuedAt: other = NaN }: QueueItem) {
	const apartMs = Math.abs(one - other);
	return Number.isNaN(apartMs) ? undefined : apartMs < SAME_DATE_MS;
}

/** The claims of an account whose entries are not known. */
function listOpen({ claims }: { claims: ReadonlySet<Claim> }): Claim[] {
	return [...claims].filter(({ own }) => own === undefined);
}

/**
 * Whether the service has accepted an add of the item's project, which it does from the project's own account alone. What
 * a person enters for a wait may be another's project, or none, and must not take videos from strangers.
 */
function isAdded({ item: { projectId, sentAt } }: Claim): boolean {
	return projectId !== undefined && sentAt !== undefined;
}

/** Entries of different projects may have the same ID. */
function getEntryKey(entry: IDataObject): string {
	return `${toText(entry.projectId)}\n${identifyEntry(entry) ?? JSON.stringify(entry)}`;
}

/** Whether two entries are of one video: two accounts may number theirs alike. */
function isSameVideo(one: IDataObject, other: IDataObject): boolean {
	const identify = ({ createdAt, url }: IDataObject) =>
		`${toText(createdAt)} ${toText(url).replace(/\?.*/s, '')}`;
	return identify(one) === identify(other);
}
