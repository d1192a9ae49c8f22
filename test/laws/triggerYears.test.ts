import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import fc from 'fast-check';
import type { PollResult } from '../support/n8nServer/ActiveTrigger';
import { ActiveTrigger, STORAGES } from '../support/n8nServer/ActiveTrigger';
import { passTime, runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { useSandbox } from '../support/engine/useSandbox';
import { testPlans } from './testPlans';
import {
	type Form,
	hasDates,
	IDS,
	isBlind,
	listChanges,
	selectListed,
	USUAL,
	writeEntry,
	writeList,
} from './forms';

/*
 * A year of one or two triggers. The service changes how it writes and cuts its list, several things in a week; people
 * delete videos, and change which projects start the workflow. A trigger emits no video twice, none that finished before
 * its first poll, and misses none without a word: a poll that fails, or a line in n8n's log. The oracle knows the videos
 * themselves, and not how a trigger tells them.
 *
 * What docs/trigger.md excepts is excused, or not drawn: see `isHopeless`. Not drawn either: a video that finishes in the
 * second of a poll, a service whose clock is wrong, two accounts, dates out of order, tags, kills, and n8n's failures,
 * which triggerHistories.test.ts draws; and a change in the middle of a wait, which waitChanges.test.ts draws.
 */

const MINUTE_MS = 60_000;
const WEEKS = process.env.RUNS === undefined ? 8 : 52;

interface Video {
	count: number;
	time: number;
	projectId: string;
	/** Whether its own date is never written. */
	isUndated: boolean;
}

const HOST = 'https://a.example.com';

function write(videos: readonly Video[], form: Form): string {
	const entries = selectListed(videos, form).map(({ isUndated, ...video }) => {
		const { count } = video;
		const url = `${form.host}/videos/${count}.mp4`;
		const undated = isUndated && { [form.names.createdAt ?? 'createdAt']: '05.07.2026' };
		return writeEntry({ ...video, url }, form, { ...undated, count });
	});
	return writeList(entries);
}

type Change = Partial<Form>;
const of = fc.constantFrom;
const change = fc.oneof(
	...listChanges(
		[HOST, 'https://b.example.com', 'http://b.example.com'],
		[10, 20, 25, 49, 50, 100, 300, Infinity],
	),
);
/** Of two changes of one thing in a week, the later one counts. */
const changes = (maxLength: number) =>
	fc.array(change, { maxLength }).map((all): Change => Object.assign({}, ...all) as Change);
const filter = fc.subarray(['p', 'q']);
const week = fc.record({
	changes: fc.oneof(changes(1), changes(3)),
	finished: fc.oneof({ weight: 9, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: of(60, 120) }),
	everyMs: of(2_345, 30_017, 7 * MINUTE_MS + 3),
	removed: of(0, 0, 0, 1, 2),
	place: fc.double({ min: 0, max: 0.999, noNaN: true }),
	/** How the workflow polls then; an unpublished one is published before it polls. */
	polling: of('once', 'once', 'once', 'overlapping', 'prepared', 'failing', 'unpublished'),
	filters: fc.option(fc.tuple(filter, filter), { nil: undefined, freq: 8 }),
	name: of(undefined, undefined, undefined, 'Renamed', 'Video Trigger'),
});
const year = fc.record({
	size: fc.oneof(
		{ weight: 30, arbitrary: of(0, 1, 5, 12, 49, 60, 120) },
		{ weight: 1, arbitrary: of(5_200) },
	),
	form: changes(3).map((all): Form => ({ ...USUAL, host: HOST, ...all })),
	storage: of(...STORAGES),
	isTwo: of(false, false, false, true),
	filters: fc.tuple(filter, filter),
	/** Each of so many videos has no readable date. */
	undatedEvery: of(Infinity, Infinity, 9),
	weeks: fc.array(week, { minLength: WEEKS, maxLength: WEEKS }),
});
type Drawn<T> = T extends fc.Arbitrary<infer Value> ? Value : never;
type Week = Drawn<typeof week>;

const isReadable = ({ isUndated }: Video, form: Form) => !isUndated && hasDates(form);
const SHIFTS: Partial<Record<Form['date'], number>> = { ahead: 9, behind: -5 };
const getShift = (form: Form) => (hasDates(form) ? (SHIFTS[form.date] ?? 0) : 0);

/** What tells an entry, apart from its date and its address. */
const identify = (count: number, form: Form) =>
	[IDS[form.id](count), isBlind(form) && `${form.date} ${JSON.stringify(form.names)}`].join();

/** What an entry is known by changes. */
const changesIdentity = (before: Form, after: Form) =>
	before.id !== after.id ||
	isBlind(before) !== isBlind(after) ||
	(isBlind(before) && (before.names !== after.names || before.date !== after.date));

/** Whether nothing tells any more which videos of a list the trigger has seen, if it shows so many dated ones of them. */
function isHopeless(before: Form, after: Form, known: number): boolean {
	const isMoved = getShift(before) !== getShift(after);
	const changesIds = changesIdentity(before, after);
	// Without a date, nothing tells an ID that has changed from a new one.
	if ((isMoved || changesIds) && !(hasDates(before) && hasDates(after))) return true;
	if (isMoved && changesIds) return true;
	return (isMoved || changesIds) && known < 2;
}

/** What one trigger must have seen, missed and emitted. */
class Watcher {
	/** Videos that it has seen, or that were there before it. */
	readonly old = new Set<number>();
	/** What they were known by when they were listed last, and after how many changes of IDs that was. */
	readonly listed = new Map<number, { identity: string; changes: number; isDated: boolean }>();
	private changes = 0;
	/** What the last poll listed. */
	private last: readonly Video[] = [];
	/** Those whose IDs have changed while most of that list kept theirs. */
	private readonly few = new Set<number>();
	/** Videos that no list has shown, of which n8n's log says so. */
	readonly missed = new Set<number>();
	/** Which projects the last poll watched. */
	watched: readonly string[];

	constructor(
		readonly index: number,
		public filter: readonly string[],
		private form: Form,
	) {
		this.watched = filter;
	}

	/** Compares a poll with what it must emit. @returns what is wrong */
	check(
		emitted: readonly number[],
		{ videos, form, isSaid }: { videos: Video[]; form: Form; isSaid: boolean },
	): string[] {
		if (changesIdentity(this.form, form)) this.changes += 1;
		this.form = form;
		const shown = selectListed(videos, { ...form, order: 'oldestFirst' });
		const isShown = new Set(shown.map(({ count }) => count));
		const filters = [this.filter, this.watched];
		const isWanted = ({ projectId }: Video) =>
			filters.every((filter) => filter.length === 0 || filter.includes(projectId));
		const waiting = videos.filter((video) => !this.old.has(video.count));
		const isExcused = this.createExcuse(shown, form);
		const again = emitted.filter((count) => this.old.has(count) && !isExcused(count));
		const missed = waiting.filter(
			(video) =>
				isShown.has(video.count) &&
				isWanted(video) &&
				!emitted.includes(video.count) &&
				!(isSaid && !isReadable(video, form)),
		);
		const unsaid = waiting.filter(
			(video) => !isShown.has(video.count) && isWanted(video) && !isSaid && this.listed.size > 0,
		);
		const twice = emitted.filter((count, i) => emitted.indexOf(count) !== i);
		const times = emitted.map((count) => videos.find((video) => video.count === count)?.time ?? 0);
		const isDatedOne = (count: number) =>
			videos.some((video) => video.count === count && isReadable(video, form));
		const dated = times.filter((_, i) => isDatedOne(emitted[i] ?? 0));
		const disordered = dated.filter((time, i) => time < (dated[i - 1] ?? 0));
		for (const { count } of waiting) {
			this.old.add(count);
			if (!isShown.has(count)) this.missed.add(count);
		}
		this.remember(shown, form);
		this.watched = this.filter;
		const toCounts = (list: Video[]) => list.map(({ count }) => count);
		const wrong = { again, twice, disordered, missed: toCounts(missed), unsaid: toCounts(unsaid) };
		return Object.entries(wrong).flatMap(([name, counts]) =>
			counts.length > 0 ? [`${name} ${counts.slice(0, 9).join()} of ${counts.length}`] : [],
		);
	}

	/** What a poll has listed. */
	remember(shown: readonly Video[], form: Form): void {
		this.last = shown;
		for (const video of shown) {
			const { count } = video;
			this.few.delete(count);
			const was = this.listed.get(count);
			const isKept = was?.changes === this.changes && was.isDated;
			const { changes } = this;
			const identity = identify(count, form);
			this.listed.set(count, { identity, changes, isDated: isKept || isReadable(video, form) });
		}
	}

	/** Which videos the documents say may be repeated, or were missed before. */
	private createExcuse(shown: readonly Video[], form: Form) {
		// What was listed before an earlier change is old, if it comes up.
		const isRenamed = ([count, was]: [number, { identity: string; changes: number }]) =>
			was.changes === this.changes - 1 && was.identity !== identify(count, form);
		const renamed = new Set([...this.listed].filter(isRenamed).map(([count]) => count));
		const counts = shown.map(({ count }) => count);
		const seen = this.last.filter(({ count, isUndated }) => !isUndated && counts.includes(count));
		const changed = seen.filter(({ count }) => renamed.has(count));
		// It may have renumbered none of those that the list shows.
		const isInPart = seen.length > 0 && changed.length * 2 <= seen.length;
		for (const count of isInPart ? renamed : []) this.few.add(count);
		const dated = new Set(
			shown.filter((video) => isReadable(video, form)).map(({ count }) => count),
		);
		const hasLeft = [...this.listed.keys()].some((count) => !counts.includes(count));
		const olderCount = hasLeft ? 0 : [...dated].findIndex((count) => this.listed.has(count));
		return (count: number) => {
			const was = this.listed.get(count);
			// An old one that comes up alone may be a late one.
			if (!was) return this.missed.has(count) || !dated.has(count) || olderCount === 1;
			const isSure = was.isDated && dated.has(count);
			return this.few.has(count) || (was.changes !== this.changes && !isSure);
		};
	}
}

const service = useSandbox();

/** Plays a year. @returns what the triggers have done wrong */
async function play({ size, form: first, storage, isTwo, ...drawn }: Drawn<typeof year>) {
	const { sandbox } = service;
	sandbox.reset();
	sandbox.configure({ etags: 'none' });
	const warnings: string[] = [];
	jest.spyOn(Container.get(Logger), 'warn').mockImplementation((line: string) => {
		warnings.push(line);
	});
	let form = hasDates(first) ? first : { ...first, date: 'iso' as const, names: {} };
	const filters = drawn.filters.slice(0, isTwo ? 2 : 1);
	if (filters.flat().length > 0) form = { ...form, names: {} };
	const watchers = filters.map((filter, i) => new Watcher(i, filter, form));
	const choosesProjects = () =>
		watchers.some(({ filter, watched }) => filter.length + watched.length > 0);
	let now = sandbox.clock.now() - size * MINUTE_MS;
	let count = 0;
	let videos: Video[] = [];
	const finish = (finished: number, everyMs: number) => {
		// None has finished before the last poll without being listed then, or will only finish after the next one.
		now = Math.max(now, count > 0 ? sandbox.clock.now() : now);
		for (let i = 0; i < finished; i++) {
			now += everyMs;
			count += 1;
			const isUndated = count % drawn.undatedEvery === 1;
			videos.push({ count, time: now, isUndated, projectId: count % 3 === 0 ? 'q' : 'p' });
		}
	};
	sandbox.addFault({
		kind: 'rewrittenBody',
		operation: 'video.getAll',
		rewrite: () => write(videos, form),
	});
	const trigger = await ActiveTrigger.create({
		credentials: { baseUrl: sandbox.url, apiKey: sandbox.apiKey },
		storage,
		others: isTwo ? [{}] : [],
	});
	/** Has the triggers poll one after the other. @returns what each emits, and its error */
	const run = async (polling: Week['polling']) => {
		// The header with the service's time has no fractions.
		const passedMs = Math.max(MINUTE_MS, now + 1_000 - sandbox.clock.now());
		passTime(passedMs);
		sandbox.clock.advance(passedMs);
		warnings.length = 0;
		const [one, other] = watchers.map(({ filter }) => ({ projectIds: [...filter] }));
		Object.assign(trigger, { parameters: one, others: other ? [other] : [] });
		const poll = async ({ index }: Watcher): Promise<PollResult[]> => {
			const start = async (after?: Promise<unknown>) =>
				await trigger.poll(after ? { after } : {}, index);
			if (polling === 'overlapping') return await Promise.all([start(), start()]);
			const running = start();
			if (polling !== 'prepared') return [await running];
			return await Promise.all([running, start(running)]);
		};
		const results = await runWithoutWaiting(async () => {
			if (polling === 'unpublished') {
				const activated = trigger
					.activateAll({}, 'activate')
					.catch((error: unknown) => [
						...watchers.map((): PollResult => ({ items: null, error: error as Error })),
					]);
				return (await activated).map((result) => [result]);
			}
			const all: PollResult[][] = [];
			for (const watcher of watchers) all.push(await poll(watcher));
			return all;
		}, sandbox);
		return results.map((polls) => ({
			emitted: polls.flatMap(({ items }) => (items ?? []).map(({ json }) => json.count as number)),
			error: polls.find(({ error }) => error)?.error,
		}));
	};
	finish(size, MINUTE_MS);
	await run('unpublished');
	for (const watcher of watchers) {
		for (const video of videos) watcher.old.add(video.count);
		watcher.remember(selectListed(videos, form), form);
	}
	const problems: string[] = [];
	/** The last readable form of dates. */
	let { date } = form;
	/** The form of the list with which n8n has saved the static data. */
	let saved = form;
	for (const [number, each] of drawn.weeks.entries()) {
		const before = form;
		if (hasDates(form)) ({ date } = form);
		for (let i = 0; i < each.removed; i++) videos = removeAt(videos, each.place);
		finish(each.finished, each.everyMs);
		const isPublished = each.filters !== undefined || each.name !== undefined;
		// Without durable cursors, a restart may repeat videos of two triggers.
		const canPublish = storage === 'durable cursors' || (saved === before && !isTwo);
		const wanted = isPublished ? 'unpublished' : each.polling;
		const polling = wanted === 'unpublished' && !canPublish ? 'once' : wanted;
		if (polling === 'unpublished') {
			trigger.name = each.name ?? trigger.name;
			for (const [i, watcher] of watchers.entries())
				watcher.filter = each.filters?.[i] ?? watcher.filter;
		}
		const after = { ...form, ...each.changes };
		// Nothing else tells videos without a date apart that have no ID.
		const isBare = isBlind(after) && after.names.url !== undefined && drawn.undatedEvery < Infinity;
		if (isBare || (choosesProjects() && after.names.projectId !== undefined)) after.names = {};
		// Dates that come back are of the zone that they were of.
		const comesBack = !hasDates(before) && hasDates(after) && after.names === before.names;
		if (comesBack) after.date = date;
		const isKnown = (video: Video) =>
			!video.isUndated && watchers.every(({ listed }) => listed.has(video.count));
		const known = selectListed(videos, after).filter(isKnown).length;
		if (!isHopeless(before, after, known)) form = after;
		const what = `week ${number}, ${polling}: ${JSON.stringify(before)} -> ${JSON.stringify(form)}`;
		if (polling === 'failing') {
			sandbox.addFault({
				kind: 'status',
				status: 400,
				operation: 'video.getAll',
				times: watchers.length,
			});
			for (const { emitted, error } of await run('once')) {
				if (!error || emitted.length > 0) problems.push(`${what}: a poll that fails has no error`);
			}
		}
		const check = async (how: Week['polling']) => {
			const results = await run(how);
			const isSaid = warnings.some((line) => line.includes('missed'));
			for (const [i, { emitted, error }] of results.entries()) {
				const isWord = /has no '(createdAt|projectId)'/.test(error?.message ?? '');
				if (error && !isWord) problems.push(`${what}: ${error.message}`);
				if (error) continue;
				const wrong = watchers[i]?.check(emitted, { videos, form, isSaid }) ?? [];
				problems.push(...wrong.map((one) => `${what}: ${one}`));
			}
			const { staticData, ...rows } = trigger.database;
			const lengths = [
				staticData.length / 2 / watchers.length,
				...Object.values(rows).map((row = '') => row.length),
			];
			if (Math.max(...lengths) > 256_000) problems.push(`${what}: a long state`);
			if (how === 'unpublished' || results.some(({ emitted }) => emitted.length > 0)) saved = form;
			return results.some(({ error }) => error);
		};
		if (!(await check(polling))) continue;
		// It goes on once the list is as it was.
		const { createdAt, projectId } = before.names;
		form = { ...before, date, names: (createdAt ?? projectId) ? {} : before.names };
		if (await check('once')) problems.push(`${what}: it still fails`);
	}
	jest.restoreAllMocks();
	return problems;
}

/** Without one of the videos, but not the newest, which may be new. */
function removeAt(videos: readonly Video[], place: number): Video[] {
	const index = Math.floor(place * Math.max(0, videos.length - 3));
	return videos.filter((_, each) => each !== index || videos.length < 4);
}

testPlans(
	'Whatever changes in the list of a service in a year, a trigger emits no video twice, and misses none without a word',
	year,
	{ usual: 40, share: 0.4 },
	async (drawn) => {
		expect(await play(drawn)).toEqual([]);
	},
);
