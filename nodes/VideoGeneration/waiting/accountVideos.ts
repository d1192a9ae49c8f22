import type { IDataObject } from 'n8n-workflow';
import type { Service } from '../api/request';
import { isObject, toText } from '../api/response';
import { identifyEntry, parseLogTime } from '../api/videoLog';
import { AccountList } from './accountList';
import type { Claim, Decision, ListedVideo } from './ownVideos';
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

/** A queue item as its wait knows it. */
interface KnownItem {
	queueId: string;
	projectId?: string | undefined;
	queuedAt?: number | undefined;
	sentAt?: number | undefined;
}

/** A queue item that is or was waited for. */
interface Item extends KnownItem {
	item: string;
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

	/** The entries that are an item's own. */
	private readonly owners = new Map<string, string>();

	/** Until when no item of a project is given an entry that does not name it; undefined for an unknown project. */
	private readonly mistrusted = new Map<string | undefined, Mistrust>();

	/** The same account with its other keys, since their lists show the same entry, and this one. */
	private keys: ReadonlySet<AccountVideos> = new Set([this]);

	/** An entry of the last list, by which another key of the account is known. */
	private sample: IDataObject | undefined;

	/** How many items are waited for, or will be. */
	private watching = 0;

	private idleSince = performance.now();

	private adds = 0;

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

	/** Forgets what is over. @returns whether anything is left */
	forgetOld(): boolean {
		const now = performance.now();
		for (const claim of this.claims) {
			if ((claim.owedUntil ?? Infinity) < now) this.claims.delete(claim);
		}
		for (const [project, { until }] of this.mistrusted) {
			if (until < now) this.mistrusted.delete(project);
		}
		if (this.watching > 0) return true;
		this.list = this.createList();
		if (this.claims.size > 0) return true;
		this.shownAt.clear();
		this.sample = undefined;
		// The next round of a loop may wait for an item that was made beside these.
		if (now < this.idleSince + OWED_MS) return true;
		this.owners.clear();
		this.items.clear();
		return this.mistrusted.size > 0;
	}

	/** Begins a wait for an item. Several may wait for the same one. */
	claim(known: KnownItem, listingDelayMs: number): Claim {
		const item = this.identify(known);
		const { queueId, queuedAt = Infinity } = item;
		for (const claim of this.claims) {
			// It is waited for again.
			if (claim.item === item.item && claim.owedUntil !== undefined) this.claims.delete(claim);
			if (known.sentAt !== undefined && claim.queueId === queueId) {
				claim.isReplaced = claim.item !== item.item;
			}
		}
		const isReplaced = this.findItems(queueId).some((each) => (each.queuedAt ?? 0) > queuedAt);
		const claim = { ...item, listingDelayMs, isReplaced };
		this.claims.add(claim);
		return claim;
	}

	/** Ends a wait. @param isOwed whether its video was paid for, and may still appear */
	release(claim: Claim, isOwed: boolean): void {
		if (!isOwed) this.claims.delete(claim);
		// A list that names it later, or a later wait, settles it.
		claim.own = claim.dueAt = undefined;
		claim.owedUntil = performance.now() + OWED_MS;
	}

	/** Notes an add that is being sent: a video of its project may appear. */
	expect(projectId: string | undefined): Claim {
		const queueId = `add ${++this.adds}`;
		const claim = { item: `\n${queueId}`, queueId, projectId, sentAt: performance.now() };
		const expected = { ...claim, listingDelayMs: 0 };
		this.claims.add(expected);
		return expected;
	}

	/** Notes an entry that n8n keeps as given to an item. What this process has seen is surer: n8n keeps no account. */
	keepOwner(known: KnownItem, entry: IDataObject): void {
		const key = getEntryKey(entry);
		if (this.findOwner(key) === undefined) this.owners.set(key, this.identify(known).item);
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
	private identify(known: KnownItem): Item {
		const { queueId, projectId, queuedAt, sentAt } = known;
		const before = this.findItems(queueId);
		const isSame = (each: Item) => {
			const { queuedAt: date = NaN } = each;
			if (Math.abs(date - (queuedAt ?? NaN)) >= SAME_DATE_MS) return false;
			return sentAt === undefined || (each.projectId === projectId && this.isMade(each));
		};
		const found = before.findLast(isSame);
		const item = found ?? { ...known, item: `${queueId}\n${before.length}` };
		if (found === undefined) addTo(this.items, queueId, item);
		item.projectId ??= projectId;
		item.queuedAt ??= queuedAt;
		return { ...item, sentAt: sentAt ?? item.sentAt };
	}

	private findItems(queueId: string): Item[] {
		return [...this.keys].flatMap(({ items }) => items.get(queueId) ?? []);
	}

	private isMade({ item }: Item): boolean {
		return [...this.claims].some(
			(each) => each.item === item && each.owedUntil === undefined && each.dueAt === undefined,
		);
	}

	private findOwner(key: string): string | undefined {
		for (const { owners } of this.keys) {
			const owner = owners.get(key);
			if (owner !== undefined) return owner;
		}
		return undefined;
	}

	/** Notes what a list shows, and gives entries that name an item to it. Then it settles the claims that are due. */
	private show(entries: unknown[], requestedAt: number): void {
		this.findOtherKeys(entries);
		const open = listOpen(this);
		const isDue = ({ dueAt = Infinity }: Claim) => dueAt <= requestedAt;
		const earliest = open
			.filter(isDue)
			.reduce((min, claim) => Math.min(min, getEarliest(claim)), Infinity);
		const names = new ClaimNames(open);
		const ofItem = new Map<string, Claim[]>();
		for (const claim of open) addTo(ofItem, claim.item, claim);
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
			const shownAt = this.noteShown(key, now);
			changedAt = Math.max(changedAt, shownAt);
			const owner = this.findOwner(key);
			const claims = owner === undefined ? names.find(entry) : (ofItem.get(owner) ?? []);
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
			claim.isNamed = claim.videoUrl === undefined && names.find(video.entry).includes(claim);
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
		this.settle(decideOwners([...due], [...free], others, changedAt), [...due]);
	}

	private settle({ own, counts, missing }: Decision, due: Claim[]): void {
		const now = performance.now();
		for (const claim of missing) {
			const { projectId, listingDelayMs } = claim;
			const { until = 0, isAdded: wasAdded = false } = this.mistrusted.get(projectId) ?? {};
			this.mistrusted.set(projectId, {
				until: Math.max(until, now + MISTRUSTED_DELAYS * listingDelayMs),
				isAdded: isAdded(claim) || (wasAdded && until > now),
			});
		}
		for (const claim of due) {
			const video = own.get(claim);
			if (video && !this.isMistrusted(claim.projectId)) this.give(claim, video);
			else {
				const count = (counts.get(claim) ?? 0) + Number(video !== undefined);
				claim.own = { unidentified: { count, projectId: claim.projectId } };
				if (claim.hasLeft === true) claim.listedUntil = now;
			}
		}
	}

	private give(claim: Claim, { entry, key }: ListedVideo): void {
		claim.own = { video: entry };
		this.owners.set(key, claim.item);
		if (claim.owedUntil !== undefined) this.claims.delete(claim);
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
		}
	}
}

/** The claims of an account whose entries are not known. */
function listOpen({ claims }: { claims: ReadonlySet<Claim> }): Claim[] {
	return [...claims].filter(({ own }) => own === undefined);
}

/**
 * Whether the service has accepted an add of the item's project, which it does from the project's own account alone. What
 * a person enters for a wait may be another's project, or none, and must not take videos from strangers.
 */
function isAdded({ projectId, sentAt }: Claim): boolean {
	return projectId !== undefined && sentAt !== undefined;
}

/** Entries of different projects may have the same ID. */
function getEntryKey(entry: IDataObject): string {
	return `${toText(entry.projectId)}\n${identifyEntry(entry) ?? JSON.stringify(entry)}`;
}

/** Whether two entries are of one video: two accounts may number theirs alike. */
function isSameVideo(one: IDataObject, other: IDataObject): boolean {
	const identify = ({ createdAt, url }: IDataObject) =>
		`${toText(createdAt)} ${toText(url).split('?', 1).join()}`;
	return identify(one) === identify(other);
}
