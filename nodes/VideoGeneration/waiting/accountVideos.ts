import type { IDataObject } from 'n8n-workflow';
import type { Service } from '../api/request';
import { isObject, toText } from '../api/response';
import { identifyEntry, parseLogTime } from '../api/videoLog';
import type { Unidentified } from '../failures/failure';
import { AccountList } from './accountList';
import type { Claim, Decision, Item, ListedVideo, QueueItem } from './ownVideos';
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
	/** Until when a project is mistrusted with every key, by `performance.now()`: the service has accepted its adds. */
	mistrusted: Map<string | undefined, number>;
}

/** By address. All executions share them. */
const services = new Map<string, KnownService>();

/** What this process knows of the videos of an account. */
export function getAccountVideos({ baseUrl, account }: Service): AccountVideos {
	for (const { accounts } of services.values()) {
		for (const [key, videos] of accounts) if (videos.isOver()) accounts.delete(key);
	}
	const unknown = { accounts: new Map<number, AccountVideos>(), namesQueueIds: false };
	const service = services.get(baseUrl) ?? { ...unknown, mistrusted: new Map() };
	services.set(baseUrl, service);
	const videos = service.accounts.get(account) ?? new AccountVideos(service);
	service.accounts.set(account, videos);
	return videos;
}

/** What is known of an entry of the list. */
interface KnownEntry {
	/** When a list first showed it to this process, also if it has vanished; Infinity before. */
	shownAt: number;
	/** Whose own one it is. */
	owner?: Item;
	/** Its date when it was given, in milliseconds since 1970. */
	createdAt?: number | undefined;
}

/** What is known of an account. Its keys share it, once their lists have shown the same entry. */
class Known {
	/** The waits that go on, and the videos that are owed. */
	readonly claims = new Set<Claim>();

	/** The items that had each queue ID, the latest last. */
	readonly items = new Map<string, Item[]>();

	readonly entries = new Map<string, KnownEntry>();

	/** Until when no item of a project is given an entry that does not name it; undefined for an unknown project. */
	readonly mistrusted = new Map<string | undefined, number>();

	/** Takes in what is known with another key of the account, which may have items of its own for the same queue items. */
	join({ claims, entries, items, mistrusted }: Known): void {
		const same = new Map<Item, Item>();
		for (const [queueId, theirs] of items) {
			const ours = [...(this.items.get(queueId) ?? [])];
			const last = ours.at(-1);
			for (const item of theirs) {
				const isOpen =
					item === theirs.at(-1) && last && isOneDate(last.queuedAt, item.queuedAt) === undefined;
				const found =
					ours.find((each) => isOneDate(each.queuedAt, item.queuedAt)) ??
					(isOpen ? last : undefined);
				if (found) same.set(item, found);
				else addTo(this.items, queueId, item);
			}
		}
		for (const claim of claims) {
			this.claims.add(claim);
			claim.item = same.get(claim.item) ?? claim.item;
			claim.item.claims.add(claim);
		}
		for (const [key, theirs] of entries) {
			const { shownAt, owner } = theirs;
			if (owner) theirs.owner = same.get(owner) ?? owner;
			const { shownAt: before = Infinity, ...ours } = this.entries.get(key) ?? {};
			this.entries.set(key, { ...theirs, ...ours, shownAt: Math.min(shownAt, before) });
		}
		for (const [projectId, until] of mistrusted) extend(this.mistrusted, projectId, until);
	}
}

/**
 * Which queue items of an account are waited for, when a list first showed each video, and whose it is. It is known until
 * half an hour after the last wait, and while anything is owed.
 */
export class AccountVideos {
	/** The list, which all who wait read together. */
	list = this.createList();

	private known = new Known();

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

	/** Has the list read while an item is made. @returns a function that ends this */
	begin(): () => void {
		// What was read while nothing was waited for is too old.
		if (this.watching === 0) this.list = this.createList();
		this.watching += 1;
		return () => {
			this.watching -= 1;
			this.idleSince = performance.now();
		};
	}

	/** Whether all of it can be forgotten: the next round of a loop may wait for an item that was made beside the last ones. */
	isOver(): boolean {
		this.forgetOwed();
		const isIdle = this.watching === 0 && this.known.claims.size === 0;
		return isIdle && performance.now() >= this.idleSince + OWED_MS;
	}

	/** Begins a wait for an item. Several may wait for the same one. */
	claim(known: QueueItem, listingDelayMs: number): Claim {
		const item = this.identify(known);
		for (const claim of item.claims) if (claim.owedUntil !== undefined) this.drop(claim);
		for (const other of this.known.items.get(item.queueId) ?? []) {
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
		return [...this.known.claims].some(
			({ item, owedUntil }) =>
				owedUntil !== undefined &&
				item.projectId === projectId &&
				(item.queueId !== '' || item.sentAt !== undefined),
		);
	}

	private add(item: Item, listingDelayMs: number): Claim {
		const claim = { item, listingDelayMs };
		item.claims.add(claim);
		this.known.claims.add(claim);
		return claim;
	}

	private drop(claim: Claim): void {
		claim.item.claims.delete(claim);
		this.known.claims.delete(claim);
	}

	private forgetOwed(): void {
		const now = performance.now();
		for (const claim of this.known.claims) if ((claim.owedUntil ?? now) < now) this.drop(claim);
	}

	/** Notes an entry that n8n keeps as given to an item. What this process has seen is surer: n8n keeps no account. */
	keepOwner(known: QueueItem, entry: IDataObject): void {
		if (this.find(entry).owner === undefined) this.setOwner(entry, this.identify(known));
	}

	/** Whether a video of a project was missing in a list that had to show it. */
	isMistrusted(projectId: string | undefined): boolean {
		const now = performance.now();
		return (
			(this.service.mistrusted.get(projectId) ?? now) > now ||
			[...this.known.mistrusted].some(
				([project, until]) =>
					until > now && (project === undefined || [project, undefined].includes(projectId)),
			)
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
			if (isOneDate(item.queuedAt, queuedAt) === false) return false;
			const isMade = [...claims].some(({ dueAt, owedUntil }) => !owedUntil && !dueAt);
			return sentAt === undefined || (isMade && item.projectId === projectId);
		};
		const found = this.known.items.get(queueId)?.findLast(isSame);
		const item = found ?? { ...known, claims: new Set() };
		if (found === undefined) addTo(this.known.items, queueId, item);
		item.projectId ??= projectId;
		item.queuedAt ??= queuedAt;
		return item;
	}

	/** What is known of an entry. One whose date is not that of the given one is another: the service counts anew. */
	private find(entry: IDataObject): KnownEntry {
		const { entries } = this.known;
		const key = getEntryKey(entry);
		const found = entries.get(key);
		const isAnother =
			found?.owner && isOneDate(found.createdAt, parseLogTime(entry.createdAt)) === false;
		if (found && !isAnother) return found;
		const unknown = { shownAt: Infinity };
		entries.set(key, unknown);
		return unknown;
	}

	private setOwner(entry: IDataObject, owner: Item): void {
		Object.assign(this.find(entry), { owner, createdAt: parseLogTime(entry.createdAt) });
	}

	/** Notes what a list shows, and gives entries that name an item to it. Then it settles the claims that are due. */
	private show(entries: unknown[], requestedAt: number): void {
		this.forgetOwed();
		this.findOtherKeys(entries);
		const open = listOpen(this.known.claims);
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
			const known = this.find(entry);
			const { owner } = known;
			const shownAt = (known.shownAt = Math.min(known.shownAt, now));
			changedAt = Math.max(changedAt, shownAt);
			const claims = owner ? listOpen(owner.claims) : names.find(entry);
			if (claims.length === 0 && (shownAt < earliest || owner)) continue;
			const createdAt = parseLogTime(entry.createdAt);
			const video = { entry, projectId: toText(entry.projectId), createdAt, shownAt };
			if (!owner) free.add(video);
			for (const claim of owner ? claims : pickNamed(claims, video)) addTo(named, claim, video);
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
		const due = listOpen(open).filter(isDue);
		const others = new Set<Claim>();
		for (const { known } of this.service.accounts.values()) {
			for (const claim of listOpen(known.claims)) {
				if (known === this.known || isAdded(claim)) others.add(claim);
			}
		}
		for (const claim of due) others.delete(claim);
		this.settle(decideOwners(due, [...free], [...others], changedAt), due, [...free]);
	}

	private settle({ own, counts, missing }: Decision, due: Claim[], free: ListedVideo[]): void {
		const now = performance.now();
		for (const claim of missing) {
			const { projectId } = claim.item;
			const until = now + MISTRUSTED_DELAYS * claim.listingDelayMs;
			extend(this.known.mistrusted, projectId, until);
			if (isAdded(claim)) extend(this.service.mistrusted, projectId, until);
		}
		const latestLast = free.sort((a, b) => a.shownAt - b.shownAt);
		const latest = new Map(latestLast.map((video) => [video.projectId, video]));
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

	private give(claim: Claim, { entry }: ListedVideo): void {
		claim.own = { video: entry };
		this.setOwner(entry, claim.item);
		if (claim.owedUntil !== undefined) this.drop(claim);
	}

	/** Finds other keys of the account: their last list has shown an entry of this one. */
	private findOtherKeys(entries: unknown[]): void {
		const { accounts } = this.service;
		const samples = new Map<string, AccountVideos>();
		for (const other of accounts.values()) {
			if (other.sample && other.known !== this.known) samples.set(getEntryKey(other.sample), other);
		}
		if (samples.size === 0) return;
		for (const entry of entries.filter(isObject)) {
			const { known, sample } = samples.get(getEntryKey(entry)) ?? this;
			if (known === this.known || !sample || !isSameVideo(entry, sample)) continue;
			this.known.join(known);
			for (const key of accounts.values()) if (key.known === known) key.known = this.known;
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

/** Whether two dates are of one thing; undefined if one is not known. */
function isOneDate(one = NaN, other = NaN): boolean | undefined {
	const apartMs = Math.abs(one - other);
	return Number.isNaN(apartMs) ? undefined : apartMs < SAME_DATE_MS;
}

/** The claims whose entries are not known. */
function listOpen(claims: Iterable<Claim>): Claim[] {
	return [...claims].filter(({ own }) => own === undefined);
}

function extend(
	times: Map<string | undefined, number>,
	projectId: string | undefined,
	until: number,
) {
	times.set(projectId, Math.max(times.get(projectId) ?? until, until));
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
