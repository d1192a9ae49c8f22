import type { IDataObject } from 'n8n-workflow';
import { toText } from '../api/response';
import { identifyEntry, areKnownToDiffer, parseLogTime } from '../api/videoLog';
import type { QueueItem } from './ownVideos';

/** What is known of an entry. Those that one list was the first to show share it, until one of them is given. */
export interface KnownEntry {
	/** When that list showed it to this process, by `performance.now()`; Infinity before. */
	shownAt: number;
	/** The queue item whose video it is, and the date of the entry when it was given. */
	owner?: QueueItem;
	createdAt?: number | undefined;
}

/** What is known of the entries of a project, by ID: those that were used since `forgetOld` was called last, and before. */
interface Project {
	used: Map<string, KnownEntry>;
	older: Map<string, KnownEntry>;
}

const identify = (entry: IDataObject) => identifyEntry(entry) ?? JSON.stringify(entry);

/** What is known of the entry with an ID, if it is this one: an ID that comes again with another date is that of a new entry. */
function getIfSame(known: KnownEntry | undefined, entry: IDataObject): KnownEntry | undefined {
	const isAnother =
		known?.owner && areKnownToDiffer(known.createdAt, parseLogTime(entry.createdAt));
	return isAnother ? undefined : known;
}

/** What is known of the entries of an account. */
export class KnownEntries {
	/** To make one text of project and ID takes longer than to parse the list. */
	private readonly projects = new Map<string, Project>();
	/** The one that was asked for last: most entries of a list follow others of their project. */
	private last: [projectId?: string, project?: Project] = [];

	get isEmpty(): boolean {
		return this.projects.size === 0;
	}

	/** What is known of an entry; undefined for a new one. */
	find(entry: IDataObject): KnownEntry | undefined {
		const { used, older } = this.getProject(toText(entry.projectId));
		const id = identify(entry);
		return getIfSame(used.get(id) ?? older.get(id), entry);
	}

	/** Notes that the present list shows an entry. @param asNew what is known of all that it is the first to show */
	show(entry: IDataObject, asNew: KnownEntry): KnownEntry {
		const { used, older } = this.getProject(toText(entry.projectId));
		const id = identify(entry);
		const last = used.get(id);
		let known = getIfSame(last ?? older.get(id), entry) ?? asNew;
		if (known.shownAt === Infinity) known = { ...known, shownAt: asNew.shownAt };
		if (known !== last) used.set(id, known);
		return known;
	}

	/** Notes whose an entry is. */
	give(entry: IDataObject, owner: QueueItem): void {
		const { shownAt = Infinity } = this.find(entry) ?? {};
		const known = { shownAt, owner, createdAt: parseLogTime(entry.createdAt) };
		this.getProject(toText(entry.projectId)).used.set(identify(entry), known);
	}

	/** Takes in what is known with another key of the account. @param findSame the item of this one that is theirs */
	join({ projects }: KnownEntries, findSame: (item: QueueItem) => QueueItem): void {
		for (const [projectId, others] of projects) {
			const { used, older } = this.getProject(projectId);
			for (const [id, each] of [...others.older, ...others.used]) {
				const theirs = each.owner ? { ...each, owner: findSame(each.owner) } : each;
				const ours = used.get(id) ?? older.get(id);
				const shownAt = Math.min(theirs.shownAt, ours?.shownAt ?? Infinity);
				used.set(id, ours ? { ...theirs, ...ours, shownAt } : theirs);
			}
		}
	}

	/** Forgets what was not used since this was called last. */
	forgetOld(): void {
		for (const project of this.projects.values()) {
			project.older = project.used;
			project.used = new Map();
		}
		this.dropEmpty();
	}

	/** Forgets all entries but those that were given. */
	forgetFree(): void {
		for (const { used, older } of this.projects.values()) {
			for (const all of [used, older]) {
				for (const [id, { owner }] of all) if (!owner) all.delete(id);
			}
		}
		this.dropEmpty();
	}

	private getProject(projectId: string): Project {
		const [lastId, last] = this.last;
		if (last && lastId === projectId) return last;
		const project = this.projects.get(projectId) ?? { used: new Map(), older: new Map() };
		this.projects.set(projectId, project);
		this.last = [projectId, project];
		return project;
	}

	private dropEmpty(): void {
		this.last = [];
		for (const [id, { used, older }] of this.projects) {
			if (used.size + older.size === 0) this.projects.delete(id);
		}
	}
}
