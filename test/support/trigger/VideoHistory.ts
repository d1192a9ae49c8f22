import type { IDataObject } from 'n8n-workflow';
import { hashText } from '../../../nodes/VideoGeneration/api/hash';
import { toText } from '../../../nodes/VideoGeneration/api/response';
import {
	findTag,
	keepTag,
	parseCursor,
	selectNewVideos,
} from '../../../nodes/VideoGeneration/trigger/cursor';

/** A log. The node ignores `time`, which is what its date means; 0 if it is not a date. */
export type ListedLog = IDataObject & { time: number };

/** An event in the account, in n8n or in the node's settings. */
export type Step =
	| { kind: 'finish'; logs: ListedLog[] }
	| { kind: 'remove' | 'restore' | 'shuffle' | 'repeat'; share: number }
	| { kind: 'poll'; outcome: 'saved' | 'failed' | 'abandoned' }
	| { kind: 'restart' }
	| { kind: 'watch'; projectIds: string[] }
	/** Time passes, or the clock of n8n's machine is set. */
	| { kind: 'clock'; byMinutes: number };

/** The limits that `Cursor` promises for accounts of any size. */
const ALWAYS_REMEMBERED = 5_000;
const STATE_LIMIT_BYTES = 256_000;

/**
 * The tags that the service sends. A `constant` tag and a service for which the log is
 * `alwaysUnchanged` are broken.
 */
export type Tagging = 'none' | 'strong' | 'constant' | 'alwaysUnchanged';

const ACCOUNT = 'abc';
const HOUR_MS = 3_600_000;

/** The moments at which n8n saves the state: after every poll, or only when an execution starts. */
export type Saving = 'always' | 'withExecutions';

/**
 * An account and a trigger over time, compared with the simplest reference: the set of all entries
 * that were ever listed. Throws as soon as the two differ.
 */
export class VideoHistory {
	private listed: ListedLog[] = [];

	private readonly removed: ListedLog[] = [];

	private readonly everListed = new Map<string, number>();

	private projectIds: string[] = [];

	private addedProjects: ((log: ListedLog) => boolean) | undefined;

	/** The state in n8n's memory; `saved` is the state that n8n reads after a restart. */
	private state: unknown;

	private saved: unknown;

	private isContinuous = false;

	private isFirstPoll = true;

	private now = Date.parse('2026-01-15T12:00:00.000Z');

	/** Clock times of all full reads that n8n may remember. */
	private fullReads: number[] = [];

	constructor(
		existing: ListedLog[],
		private readonly emitExisting: boolean,
		private readonly saving: Saving,
		private readonly tagging: Tagging,
	) {
		this.listed = [...existing];
	}

	take(step: Step): void {
		switch (step.kind) {
			case 'finish':
				this.listed.push(...step.logs);
				break;
			case 'remove':
				this.removed.push(...this.listed.splice(0, Math.ceil(this.listed.length * step.share)));
				break;
			case 'restore':
				this.listed.push(...this.removed.splice(0, Math.ceil(this.removed.length * step.share)));
				break;
			case 'shuffle':
				this.listed = rotate(this.listed, Math.floor(this.listed.length * step.share)).reverse();
				break;
			case 'repeat':
				this.listed.push(
					...this.listed.slice(0, Math.ceil(Math.min(this.listed.length, 5_000) * step.share)),
				);
				break;
			case 'poll':
				this.poll(step.outcome);
				break;
			case 'restart':
				this.restart(this.projectIds);
				break;
			case 'watch':
				this.restart(step.projectIds);
				break;
			case 'clock':
				this.now += step.byMinutes * 60_000;
				break;
		}
	}

	/** Reactivates the workflow from the saved state and polls at once, as n8n does. */
	private restart(projectIds: string[]): void {
		if (this.isFirstPoll) {
			this.projectIds = projectIds;
			return;
		}
		const before = this.projectIds;
		this.state = this.saved;
		this.isContinuous = this.saving === 'always';
		this.projectIds = projectIds;
		if (this.saving === 'withExecutions') {
			this.addedProjects = (log) => before.length > 0 && !before.includes(toText(log.projectId));
		}
		this.poll('saved');
		this.saved = this.state;
		this.addedProjects = undefined;
	}

	private poll(outcome: 'saved' | 'failed' | 'abandoned'): void {
		if (outcome === 'failed') return;
		this.now += 60_000;
		const stored = parseCursor(parseJson(this.state));
		const tag = findTag(stored, ACCOUNT, this.now);
		const etag = this.createTag();
		const isUnchanged = tag !== undefined && (this.tagging === 'alwaysUnchanged' || tag === etag);
		if (isUnchanged) this.checkUnchanged();

		const listed = isUnchanged ? [] : this.listed;
		const selection = selectNewVideos(listed, stored, {
			account: ACCOUNT,
			projectIds: this.projectIds,
			emitExisting: this.emitExisting,
			isContinuous: this.isContinuous,
		});
		const videos = selection.videos as ListedLog[];
		const cursor = isUnchanged ? selection.cursor : keepTag(selection.cursor, etag, this.now);
		this.checkVideos(videos, listed);
		const state = JSON.stringify(cursor);
		check(Buffer.byteLength(state) < STATE_LIMIT_BYTES, `the state has ${state.length} bytes`);
		if (outcome === 'abandoned') return;

		if (!isUnchanged) this.fullReads.push(this.now);
		for (const log of listed) this.everListed.set(identify(log), log.time);
		this.state = state;
		if (this.saving === 'always' || videos.length > 0 || this.isFirstPoll) this.saved = state;
		this.isFirstPoll = false;
		this.isContinuous = true;
	}

	private createTag(): string | undefined {
		if (this.tagging === 'none') return undefined;
		return this.tagging === 'strong' ? String(hashText(JSON.stringify(this.listed))) : 'constant';
	}

	/**
	 * Checks that a log is treated as unchanged only if the tag is correct, or for at most an hour if
	 * the tag is broken.
	 */
	private checkUnchanged(): void {
		if (this.tagging === 'strong') {
			const isNews = (log: ListedLog) => !this.everListed.has(identify(log)) && this.isWanted(log);
			check(!this.listed.some(isNews), 'there is a new video in a log that is called unchanged');
			return;
		}
		const isRecent = this.fullReads.some((at) => at <= this.now && this.now - at < HOUR_MS);
		check(isRecent, 'the log was not read in full for an hour');
	}

	private checkVideos(videos: ListedLog[], listed: ListedLog[]): void {
		const unseen = new Map(
			listed
				.filter((log) => !this.everListed.has(identify(log)) && this.isWanted(log))
				.map((log) => [identify(log), log]),
		);
		for (const video of videos) {
			check(unseen.delete(identify(video)), `${identify(video)} is emitted, but is not new`);
		}
		const mayBeForgotten = this.createForgottenTest();
		for (const [identity, log] of unseen) {
			check(mayBeForgotten(log), `${identity} is new, but is not emitted`);
		}
		const times = videos.map(({ time }) => time || Infinity);
		const isSorted = times.every((time, i) => i === 0 || time >= (times[i - 1] ?? 0));
		check(isSorted, 'the videos are not in order');
	}

	private isWanted(log: ListedLog): boolean {
		if (this.isFirstPoll && !this.emitExisting) return false;
		if (this.addedProjects?.(log) === true) return false;
		return this.projectIds.length === 0 || this.projectIds.includes(toText(log.projectId));
	}

	/**
	 * Returns a test for videos that may be forgotten: of more than 5,000, all but the newest, and those
	 * without a date if there are more than 1,000.
	 */
	private createForgottenTest(): (log: ListedLog) => boolean {
		const times = Float64Array.from(this.everListed.values()).sort();
		const dated = times.filter((time) => time > 0);
		const boundary = dated.at(-ALWAYS_REMEMBERED - 1) ?? 0;
		const isUndatedForgotten = times.length - dated.length > 1_000;
		return ({ time }) => (time === 0 ? isUndatedForgotten : time <= boundary);
	}
}

function identify({ id, url }: IDataObject): string {
	return typeof id === 'string' || typeof id === 'number' ? `id ${id}` : `url ${toText(url)}`;
}

function parseJson(state: unknown): unknown {
	return typeof state === 'string' ? (JSON.parse(state) as unknown) : undefined;
}

function rotate<T>(list: T[], by: number): T[] {
	return [...list.slice(by), ...list.slice(0, by)];
}

function check(isTrue: boolean, otherwise: string): void {
	if (!isTrue) throw new Error(otherwise);
}
