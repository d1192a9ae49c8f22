import type { IDataObject } from 'n8n-workflow';
import { toText } from '../api/response';
import { identifyEntry, isOneDate, parseLogTime } from '../api/videoLog';
import type { QueueItem } from './ownVideos';

/** What is known of an entry. Those that one list was the first to show share it, until one of them is given. */
export interface KnownEntry {
	/** When that list showed it to this process, by `performance.now()`; Infinity before. */
	shownAt: number;
	/** Whether that list showed nothing of the list before: the service may have written all IDs anew. */
	mayBeOld?: boolean;
	/** The queue item whose video it is, and the date of the entry when it was given. */
	owner?: QueueItem;
	createdAt?: number | undefined;
}

/** By project, and there by ID: to make one text of both takes longer than to parse the list. */
type Entries = Map<string, Map<string, KnownEntry>>;

function put(all: Entries, projectId: string, id: string, known: KnownEntry): void {
	const entries = all.get(projectId);
	if (entries) entries.set(id, known);
	else all.set(projectId, new Map([[id, known]]));
}

const identify = (entry: IDataObject) => identifyEntry(entry) ?? JSON.stringify(entry);

/** What is known of the entries of an account. */
export class KnownEntries {
	/** Those that were used since `forgetOld` was called last, and before that. */
	private used: Entries = new Map();
	private older: Entries = new Map();

	get isEmpty(): boolean {
		return this.used.size + this.older.size === 0;
	}

	/**
	 * What is known of an entry. An ID that comes again with another date is that of a new entry.
	 *
	 * @param first what is known of all entries that the present list is the first to show; undefined if it does not show it
	 */
	find(entry: IDataObject, first?: KnownEntry): KnownEntry | undefined {
		const projectId = toText(entry.projectId);
		const id = identify(entry);
		const used = this.used.get(projectId)?.get(id);
		let known = used ?? this.older.get(projectId)?.get(id);
		if (known?.owner && isOneDate(known.createdAt, parseLogTime(entry.createdAt)) === false) {
			known = undefined;
		}
		if (first === undefined) return known;
		if (known?.shownAt === Infinity) known = { ...known, shownAt: first.shownAt };
		known ??= first;
		if (known !== used) put(this.used, projectId, id, known);
		return known;
	}

	/** Notes whose an entry is. */
	give(entry: IDataObject, owner: QueueItem): void {
		const { shownAt = Infinity, mayBeOld = false } = this.find(entry) ?? {};
		const createdAt = parseLogTime(entry.createdAt);
		const known = { shownAt, mayBeOld, owner, createdAt };
		put(this.used, toText(entry.projectId), identify(entry), known);
	}

	/** Takes in what is known with another key of the account. @param findSame the item of this one that is theirs */
	join({ older, used }: KnownEntries, findSame: (item: QueueItem) => QueueItem): void {
		for (const [projectId, entries] of [...older, ...used]) {
			for (const [id, each] of entries) {
				const theirs = each.owner ? { ...each, owner: findSame(each.owner) } : each;
				const ours = this.used.get(projectId)?.get(id) ?? this.older.get(projectId)?.get(id);
				const shownAt = Math.min(theirs.shownAt, ours?.shownAt ?? Infinity);
				put(this.used, projectId, id, ours ? { ...theirs, ...ours, shownAt } : theirs);
			}
		}
	}

	/** Forgets what was not used since this was called last. */
	forgetOld(): void {
		[this.used, this.older] = [new Map() as Entries, this.used];
	}

	/** Forgets all entries but those that were given. */
	forgetFree(): void {
		for (const all of [this.used, this.older]) {
			for (const [projectId, entries] of all) {
				for (const [id, { owner }] of entries) if (!owner) entries.delete(id);
				if (entries.size === 0) all.delete(projectId);
			}
		}
	}
}
