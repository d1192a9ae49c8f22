import type { IDataObject } from 'n8n-workflow';
import type { Service } from '../api/request';
import { isObject, toText } from '../api/response';
import {
	addTo,
	createIsAtOrBefore,
	EntryNames,
	getEntryKey,
	getPrint,
	areKnownToDiffer,
} from '../api/videoLog';
import { AccountList } from './accountList';
import { KnownEntries, type KnownEntry } from './knownEntries';
import type { Claim, QueueItem, QueueItemIds } from './ownVideos';
import {
	decideOwners,
	findListed,
	getEarliestShownAt,
	getOldestDate,
	isOlder,
	ListedVideo,
	listNames,
	pickNamed,
} from './ownVideos';

/** A paid video whose wait ends without its entry is owed for so long: it may still be listed. */
export const OWED_MS = 30 * 60 * 1000;

/** After a video that had to be listed was not, its project is mistrusted for so many times its Listing Delay. */
const MISTRUSTED_DELAYS = 10;

/** Each video that a service does not tell multiplies how many it must tell in a row, up to a maximum. */
const REQUIRED_FACTOR = 4;
const MAX_REQUIRED = 16;

/** What a wait sees of its item. */
type Seen = Partial<
	Pick<Claim, 'dueAt' | 'hasLeft' | 'listedUntil' | 'own' | 'runningAt'> &
		Pick<QueueItem, 'projectId' | 'videoUrl'>
>;

/** Until when, by project; undefined for an unknown one. */
type Times = Map<string | undefined, number>;

/** Whether this process has sent its add, unless that was refused: a project is of one account, so that counts with all keys. */
const isProjectProven = ({ item: { projectId, sentAt } }: Claim) =>
	projectId !== undefined && sentAt !== undefined;

/** A service, as far as this process knows it. */
export class KnownService {
	/** By API key. Two keys may be of one account. */
	readonly byKey = new Map<number, KeyVideos>();
	/** Until when projects that an add has proved are mistrusted, with all keys. */
	readonly mistrustedByAll: Times = new Map();
	/** Whether a list has named a queue ID: a finished video can then be identified at once. */
	namesQueueIds = false;
	private toldInARow = 0;
	private required = 1;

	/** Whether it can be expected to tell which video is whose. The specification does not promise it. */
	get isTelling(): boolean {
		return this.toldInARow >= this.required;
	}

	/** @param isTold whether it has told which video a finished item's is */
	noteWhetherTold(isTold: boolean): void {
		this.toldInARow = isTold ? this.toldInARow + 1 : 0;
		if (!isTold) this.required = Math.min(this.required * REQUIRED_FACTOR, MAX_REQUIRED);
	}
}

/** By address, for as long as this process lives. All executions share them. */
const services = new Map<string, KnownService>();

/** What this process knows of the videos of a key's account. */
export function getKeyVideos({ baseUrl, keyId }: Service): KeyVideos {
	for (const { byKey } of services.values()) {
		for (const [each, videos] of byKey) if (videos.isOver()) byKey.delete(each);
	}
	const service = services.get(baseUrl) ?? new KnownService();
	services.set(baseUrl, service);
	const videos = service.byKey.get(keyId) ?? new KeyVideos(service);
	service.byKey.set(keyId, videos);
	return videos;
}

/** What is known of an account's videos. Its keys share it, once their lists have shown the same entry. */
class AccountMemory {
	/** The waits that go on, and the videos that are owed. */
	readonly claims = new Set<Claim>();
	/** The items that had each queue ID, the latest last. */
	readonly items = new Map<string, QueueItem[]>();
	readonly entries = new KnownEntries();
	/** How many items are waited for, or will be. */
	watchers = 0;
	/** Until when no item of a project is given an entry that does not name it. */
	readonly mistrusted: Times = new Map();
	private forgottenAt = performance.now();

	/** Whether nothing is waited for or owed. */
	get isIdle(): boolean {
		return this.watchers + this.claims.size === 0;
	}

	/** Forgets what lists have shown once nothing is waited for or owed, and the rest after half an hour without use. */
	forgetOld(): void {
		const now = performance.now();
		for (const claim of this.claims) if ((claim.owedUntil ?? now) < now) this.drop(claim);
		if (this.isIdle) this.entries.forgetFree();
		const since = now - OWED_MS;
		if (this.forgottenAt > since) return;
		// Each half hour that has passed ages the entries by one step: after two, what was not used is forgotten.
		for (; this.forgottenAt <= since; this.forgottenAt += OWED_MS) this.entries.forgetOld();
		for (const [queueId, items] of this.items) {
			const kept = items.filter(({ claims, usedAt = 0 }) => claims.size > 0 || usedAt > since);
			if (kept.length > 0) this.items.set(queueId, kept);
			else this.items.delete(queueId);
		}
	}

	drop(claim: Claim): void {
		claim.item.claims.delete(claim);
		// An owed video was in use until its time ended, which may be noticed later.
		claim.item.usedAt = claim.owedUntil ?? performance.now();
		this.claims.delete(claim);
	}

	/** Takes in what is known with another key of the account, which may have objects of its own for the same queue items. */
	join({ claims, entries, items, mistrusted, watchers }: AccountMemory): void {
		this.watchers += watchers;
		const findSame = (item: QueueItem) =>
			this.items
				.get(item.queueId)
				?.findLast((each) => !areKnownToDiffer(each.queuedAt, item.queuedAt)) ?? item;
		for (const claim of claims) {
			this.claims.add(claim);
			const { isReplaced, projectId, queuedAt, sentAt, videoUrl } = claim.item;
			claim.item = findSame(claim.item);
			if (isReplaced) claim.item.isReplaced = true;
			claim.item.projectId ??= projectId;
			claim.item.queuedAt ??= queuedAt;
			claim.item.sentAt ??= sentAt;
			claim.item.videoUrl ??= videoUrl;
			claim.item.claims.add(claim);
		}
		this.entries.join(entries, findSame);
		// Those that this key does not know.
		const others = [...items.values()].flat().filter((item) => findSame(item) === item);
		for (const item of others) addTo(this.items, item.queueId, item);
		for (const [projectId, until] of mistrusted) extend(this.mistrusted, projectId, until);
	}
}

/**
 * The videos of an account, as they are waited for with one of its keys: which items are waited for, when a list first
 * showed each video, and whose it is. The last is known for at least half an hour after it was used.
 */
export class KeyVideos {
	/** The list, which all who wait with this key read together. */
	list = new AccountList(this);
	private memory = new AccountMemory();
	/** An entry of the last list, by which another key of the account is known. */
	private sample: IDataObject | undefined;
	/** How many items are waited for with this key, or will be. */
	private ownWatchers = 0;

	constructor(readonly knownService: KnownService) {}

	/** Keeps what is known while an item is made. @returns a function that ends this */
	begin(): () => void {
		// What the last list has shown may be forgotten by now, so it has to be read again.
		if (this.ownWatchers === 0) this.list = new AccountList(this);
		this.ownWatchers += 1;
		this.memory.watchers += 1;
		return () => {
			this.ownWatchers -= 1;
			this.memory.watchers -= 1;
			this.memory.forgetOld();
		};
	}

	/** Whether nothing is known any more. Items stay known for half an hour, for later rounds of a loop. */
	isOver(): boolean {
		this.memory.forgetOld();
		const { entries, isIdle, items } = this.memory;
		return isIdle && entries.isEmpty && items.size === 0;
	}

	/** Begins a wait for a queue item. Several may wait for the same one. */
	claim(
		ids: QueueItemIds,
		listingDelayMs: number,
		known: Pick<Claim, 'runningAt' | 'unsure'> = {},
	): Claim {
		const item = this.identify(ids);
		// This wait takes over from those that have ended without the video.
		for (const claim of item.claims) if (claim.owedUntil !== undefined) this.memory.drop(claim);
		// A new add has the queue ID now, so all others of it are replaced. Of an item that was added elsewhere, the dates tell.
		for (const other of this.memory.items.get(item.queueId) ?? []) {
			const laterMs = (item.queuedAt ?? NaN) - (other.queuedAt ?? NaN);
			if (ids.sentAt !== undefined) other.isReplaced = other !== item;
			else if (laterMs > 0) other.isReplaced = true;
			else if (laterMs < 0) item.isReplaced = true;
		}
		return Object.assign(this.addClaim(item, listingDelayMs), known);
	}

	/** Notes what a wait has seen of its item, and when a list settles it. Another wait may have seen the address already. */
	note(claim: Claim, { projectId, videoUrl, ...seen }: Seen): void {
		Object.assign(claim, seen);
		const { item } = claim;
		item.projectId ??= projectId;
		item.videoUrl = videoUrl ?? item.videoUrl;
	}

	/** Ends a wait. @param isOwed whether its video was paid for, and may still appear: a list or a later wait settles it */
	release(claim: Claim, isOwed: boolean): void {
		// What is owed is unsettled again: a later list may give it its entry.
		claim.own = claim.dueAt = undefined;
		if (isOwed) claim.owedUntil = performance.now() + OWED_MS;
		else this.memory.drop(claim);
	}

	/** Notes that the video of an add that is sent now may appear: any new entry of the project. */
	expect(projectId: string | undefined, sentAt: number): Claim {
		return this.addClaim({ queueId: '', projectId, sentAt, claims: new Set() }, 0);
	}

	/** Whether this process is owed a video of a project that may appear in a later list. */
	isOwed(projectId: string | undefined): boolean {
		return [...this.memory.claims].some(
			({ item, listedUntil, owedUntil }) =>
				owedUntil !== undefined && listedUntil === undefined && item.projectId === projectId,
		);
	}

	private addClaim(item: QueueItem, listingDelayMs: number): Claim {
		const claim = { item, listingDelayMs, hasLeft: false };
		item.claims.add(claim);
		this.memory.claims.add(claim);
		return claim;
	}

	/** Notes an entry that n8n keeps as given to an item. An owner that this process has seen is surer. */
	noteOwner(ids: QueueItemIds, entry: IDataObject): void {
		const { entries } = this.memory;
		if (!entries.find(entry)?.owner) entries.give(entry, this.identify(ids));
	}

	/** Whether a video of a project was missing in a list that had to show it. Two projects may be one if either is unknown. */
	isMistrusted(projectId: string | undefined): boolean {
		const now = performance.now();
		return (
			(this.knownService.mistrustedByAll.get(projectId) ?? now) > now ||
			[...this.memory.mistrusted].some(
				([project, until]) =>
					until > now && (project === undefined || [project, undefined].includes(projectId)),
			)
		);
	}

	/** The item of these IDs, which is added if it is new, and learns what they tell. */
	private identify(ids: QueueItemIds): QueueItem {
		const { queueId, projectId, queuedAt, sentAt } = ids;
		const isSame = (item: QueueItem) => {
			if (areKnownToDiffer(item.queuedAt, queuedAt)) return false;
			// Its end was not seen, and its wait goes on.
			const isBeingMade = [...item.claims].some(({ dueAt, owedUntil }) => !owedUntil && !dueAt);
			// A new add gives a new item, unless the service has made one item of two equal orders.
			return sentAt === undefined || (isBeingMade && item.projectId === projectId);
		};
		const found = this.memory.items.get(queueId)?.findLast(isSame);
		const item = found ?? { ...ids, claims: new Set() };
		if (found === undefined) addTo(this.memory.items, queueId, item);
		item.projectId ??= projectId;
		item.queuedAt ??= queuedAt;
		item.usedAt = performance.now();
		return item;
	}

	/** Notes what a list shows, and gives entries that name an item to it. Then it settles the claims that are due. */
	show(entries: unknown[], requestedAt: number): void {
		const { knownService, memory } = this;
		memory.forgetOld();
		if (memory.isIdle) return;
		// First, for it adds the claims of the account's other keys.
		this.findOtherKeys(entries);
		this.sample = entries.find(isListed);
		const unsettled = listUnsettled(memory.claims);
		const due = unsettled.filter(({ dueAt = Infinity }) => dueAt <= requestedAt);
		const owed = unsettled.filter(({ owedUntil }) => owedUntil !== undefined);
		const wanting = [...due, ...owed];
		const earliest = Math.min(...wanting.map(getEarliestShownAt));
		// An entry of exactly the oldest date is not too old.
		const isTooOld = createIsAtOrBefore(Math.min(...wanting.map(getOldestDate)) - 1);
		const projects = new Set(wanting.map(({ item }) => item.projectId ?? ''));
		const isOfDueProject = (projectId: string) =>
			projectId === '' || projects.has(projectId) || projects.has('');
		// An entry that was listed before all adds is no unsettled item's.
		const firstSentAt = Math.min(...unsettled.map(({ item }) => item.sentAt ?? -Infinity));
		const names = new EntryNames(unsettled, listNames);
		const named = new Map<Claim, ListedVideo[]>();
		const free: ListedVideo[] = [];
		/** What is known of all entries that this list is the first to show. */
		const asNew: KnownEntry = { shownAt: performance.now() };
		let changedAt = -Infinity;
		for (const entry of entries) {
			if (!isListed(entry)) continue;
			const { owner, shownAt } = memory.entries.show(entry, asNew);
			changedAt = Math.max(changedAt, shownAt);
			if (!owner && shownAt <= firstSentAt) continue;
			// Another wait for its owner is given it as well.
			const claims = owner ? listUnsettled(owner.claims) : names.find(entry);
			const projectId = toText(entry.projectId);
			if (claims.length === 0) {
				// Most of a long list are too old for all that it settles.
				if (owner || shownAt < earliest || !isOfDueProject(projectId) || isTooOld(entry.createdAt))
					continue;
			}
			const video = new ListedVideo(entry, projectId, shownAt);
			if (!owner) free.push(video);
			for (const claim of owner ? claims : pickNamed(claims, video)) addTo(named, claim, video);
		}
		const given = new Set<ListedVideo>();
		for (const [claim, videos] of named) {
			const inTime = videos.filter((video) => !isOlder(claim, video));
			// If it must be listed by now, the dates of entries that look older are of another clock.
			const isOtherClock = inTime.length === 0 && due.includes(claim);
			// Of several, none is given.
			const [video, ...others] = isOtherClock ? videos : inTime;
			if (video === undefined || others.length > 0) continue;
			// By its queue ID, if it has no address that can name it. An owner is given its entry again without a name, too.
			claim.isNamed = claim.item.videoUrl === undefined && names.find(video.entry).includes(claim);
			knownService.namesQueueIds ||= claim.isNamed;
			this.give(claim, video);
			given.add(video);
		}
		const left = free.filter((video) => !given.has(video));
		// What is listed already does not appear later.
		for (const claim of findListed(listUnsettled(unsettled), left)) memory.drop(claim);
		this.settle(listUnsettled(due), left, changedAt);
	}

	/** Settles the claims that the list has to show. @param changedAt when an entry of the list was last new */
	private settle(due: Claim[], free: ListedVideo[], changedAt: number): void {
		// A project is of one account: those that wait for a proven one with another key are rivals, too.
		const memories = new Set([...this.knownService.byKey.values()].map(({ memory }) => memory));
		const all = [...memories].flatMap((memory) =>
			listUnsettled(memory.claims).filter(
				(claim) => memory === this.memory || isProjectProven(claim),
			),
		);
		const { own, counts, missing } = decideOwners(due, free, all, changedAt);
		const now = performance.now();
		// With one missing, what this list gives to others of its project is in doubt, too.
		for (const claim of missing) {
			const { projectId } = claim.item;
			const until = now + MISTRUSTED_DELAYS * claim.listingDelayMs;
			extend(this.memory.mistrusted, projectId, until);
			if (isProjectProven(claim)) extend(this.knownService.mistrustedByAll, projectId, until);
		}
		for (const claim of due) {
			const video = own.get(claim);
			const { projectId } = claim.item;
			if (video && !this.isMistrusted(projectId)) {
				this.give(claim, video);
				continue;
			}
			// `counts` was counted without the entry that is withheld from it now.
			const count = (counts.get(claim) ?? 0) + Number(video !== undefined);
			claim.own = { unidentified: { count, projectId } };
			// It left the queue, so what is listed later is another's.
			if (claim.hasLeft) claim.listedUntil = now;
		}
	}

	private give(claim: Claim, { entry }: ListedVideo): void {
		claim.own = { video: entry };
		this.memory.entries.give(entry, claim.item);
		if (claim.owedUntil !== undefined) this.memory.drop(claim);
	}

	/** Finds other keys of the account: their last list has shown an entry of this one. */
	private findOtherKeys(entries: unknown[]): void {
		const all = [...this.knownService.byKey.values()];
		const samples = new Map<string, KeyVideos>();
		for (const each of all) {
			if (each.sample && each.memory !== this.memory) samples.set(getEntryKey(each.sample), each);
		}
		if (samples.size === 0) return;
		for (const entry of entries.filter(isListed)) {
			const other = samples.get(getEntryKey(entry));
			// An entry before may have shown this already.
			if (!other?.sample || other.memory === this.memory) continue;
			if (getPrint(entry) !== getPrint(other.sample)) continue;
			const { memory } = other;
			this.memory.join(memory);
			for (const each of all) if (each.memory === memory) each.memory = this.memory;
		}
	}
}

/** An entry without an address is not listed yet. */
const isListed = (entry: unknown): entry is IDataObject =>
	isObject(entry) && toText(entry.url) !== '';

function extend(times: Times, projectId: string | undefined, until: number): void {
	times.set(projectId, Math.max(times.get(projectId) ?? until, until));
}

/** The claims that no list has settled. */
const listUnsettled = (claims: Iterable<Claim>) =>
	[...claims].filter(({ own }) => own === undefined);
