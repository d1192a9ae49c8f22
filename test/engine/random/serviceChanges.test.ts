import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import fc from 'fast-check';
import { ActiveTrigger, STORAGES } from '../../support/n8nServer/ActiveTrigger';
import { passTime, runWithoutWaiting } from '../../support/engine/runWithoutWaiting';
import { useSandbox } from '../../support/engine/useSandbox';
import { testPlans } from './testPlans';
import { DATES, ENTRY_NAMES, IDS } from './forms';

/*
 * A service that runs for months changes how it writes its list, from one day to the next. A trigger goes on: it emits
 * no video twice, and misses none without a word, which is a poll that fails or a line in n8n's log.
 *
 * What cannot hold stands in docs/trigger.md, and is not drawn: IDs that change while dates cannot be read, or together
 * with them; entries that had no ID, and change their dates, their project or the path of their address; another zone
 * without a word of a list of fewer than 10 videos; videos that come into a list of fewer than 50 which none has left; deletions while dates
 * cannot be read, or before the next poll after a change of IDs.
 *
 * What a trigger emits otherwise stands in triggerHistories.test.ts; a change in the middle of a wait, in
 * waitChanges.test.ts.
 */

const MINUTE_MS = 60_000;

/** How a service writes its list of videos. */
interface Form {
	date: keyof typeof DATES;
	id: keyof typeof IDS;
	host: string;
	/** The names of fields that the specification has; the others are as it has them. */
	names: { id?: string; url?: string; projectId?: string; createdAt?: string };
	/** How many of the newest videos are listed. */
	size: number;
	order: 'newestFirst' | 'oldestFirst' | 'shuffled';
}

interface Video {
	count: number;
	time: number;
}

const USUAL: Form = {
	date: 'iso',
	id: 'text',
	host: 'https://a.example.com',
	names: {},
	size: Infinity,
	order: 'oldestFirst',
};

function selectListed(videos: readonly Video[], { size, order }: Form): Video[] {
	const newestFirst = [...videos].sort((a, b) => b.time - a.time).slice(0, size);
	if (order === 'oldestFirst') return newestFirst.reverse();
	return order === 'newestFirst' ? newestFirst : newestFirst.sort((a, b) => hash(a) - hash(b));
}
const hash = ({ count }: Video) => (count * 7_919) % 1_009;

function writeList(videos: readonly Video[], form: Form): string {
	const { date, host, id, names } = form;
	const entries = selectListed(videos, form).map(({ count, time }) => {
		const {
			id: idName = 'id',
			url = 'url',
			projectId = 'projectId',
			createdAt = 'createdAt',
		} = names;
		const rest = {
			[url]: `${host}/videos/${count}.mp4`,
			[projectId]: 'p',
			[createdAt]: DATES[date](time),
			count,
		};
		return `{"${idName}":${IDS[id](count)},${JSON.stringify(rest).slice(1)}`;
	});
	return `{"status":"success","message":"","videos":[${entries.join(',')}]}`;
}

type Change = Partial<Form>;
const of = fc.constantFrom;
const change: fc.Arbitrary<Change> = fc.oneof(
	fc.record({ date: of(...(Object.keys(DATES) as (keyof typeof DATES)[])) }),
	fc.record({ id: of(...(Object.keys(IDS) as (keyof typeof IDS)[])) }),
	fc.record({ host: of('https://a.example.com', 'https://b.example.com', 'http://b.example.com') }),
	fc.record({
		names: of<Form['names']>(...ENTRY_NAMES),
	}),
	fc.record({ size: of(50, 100, Infinity) }),
	fc.record({ order: of('newestFirst', 'oldestFirst', 'shuffled') }),
);
const round = fc.record({
	finished: fc.oneof({ weight: 9, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: of(60, 120) }),
	everyMs: of(2_345, 30_017, 7 * MINUTE_MS + 3),
	change: fc.option(change, { nil: undefined }),
	isRemoving: of(false, false, false, true),
	place: fc.double({ min: 0, max: 0.999, noNaN: true }),
});
const history = fc.record({
	size: fc.oneof(
		{ weight: 30, arbitrary: of(12, 49, 60, 120) },
		{ weight: 1, arbitrary: of(5_200) },
	),
	form: fc.tuple(change, change).map(([one, other]): Form => ({ ...USUAL, ...one, ...other })),
	storage: of(...STORAGES),
	projectIds: of<string[]>([], ['p']),
	rounds: fc.array(round, { minLength: 1, maxLength: 12 }),
});
type Drawn<T> = T extends fc.Arbitrary<infer Value> ? Value : never;

/** What an entry is known by, where its ID says nothing: all of this must stay. */
const isBlind = ({ id, names }: Form) =>
	['none', 'objects', 'longNumbers'].includes(id) || names.id !== undefined;
const isDated = ({ date, names }: Form) =>
	!['unreadable', 'none'].includes(date) && names.createdAt === undefined;
const SHIFTS: Partial<Record<keyof typeof DATES, number>> = { ahead: 9, behind: -5 };
const getShift = (form: Form) => (isDated(form) ? (SHIFTS[form.date] ?? 0) : 0);

/** Whether a change is one that the documents name as one that the trigger can't follow. */
function isHopeless(before: Form, after: Form, { finished, isRemoving }: Drawn<typeof round>) {
	const changesIds = before.id !== after.id || before.names !== after.names;
	const isUndated = !isDated(before) || !isDated(after);
	if (isUndated && (changesIds || isBlind(before))) return true;
	if (isUndated && (isRemoving || before.size !== after.size)) return true;
	if (changesIds && isRemoving) return true;
	if (getShift(before) === getShift(after)) return false;
	return isUndated || isBlind(before) || finished > 3;
}

const service = useSandbox();

/** Plays a history. @returns what the trigger has done wrong */
async function play({ size, form: first, storage, projectIds, rounds }: Drawn<typeof history>) {
	const { sandbox } = service;
	sandbox.reset();
	sandbox.configure({ etags: 'none' });
	const warnings: string[] = [];
	jest.spyOn(Container.get(Logger), 'warn').mockImplementation((line: string) => {
		warnings.push(line);
	});
	let form = isDated(first) ? first : { ...first, date: 'iso' as const, names: {} };
	let now = sandbox.clock.now() - size * MINUTE_MS;
	let videos: Video[] = [];
	const finish = (count: number, everyMs: number) => {
		for (let i = 0; i < count; i++) {
			now += everyMs;
			videos.push({ count: (videos.at(-1)?.count ?? 0) + 1, time: now });
		}
	};
	sandbox.addFault({
		kind: 'rewrittenBody',
		operation: 'video.getAll',
		rewrite: () => writeList(videos, form),
	});
	const trigger = await ActiveTrigger.create({
		credentials: { baseUrl: sandbox.url, apiKey: sandbox.apiKey },
		storage,
		parameters: { projectIds },
	});
	const run = async (isFirst: boolean) => {
		passTime(MINUTE_MS);
		warnings.length = 0;
		const poll = async () => (isFirst ? await trigger.activate() : await trigger.poll());
		const { items, error } = await runWithoutWaiting(poll, sandbox);
		return { emitted: (items ?? []).map(({ json }) => json.count as number), error };
	};
	finish(size, MINUTE_MS);
	form = { ...form, names: projectIds.length > 0 ? {} : form.names };
	await run(true);
	const old = new Set(videos.map(({ count }) => count));
	const check = ({ emitted, error }: Awaited<ReturnType<typeof run>>, what: string): string[] => {
		const again = emitted.filter((count) => old.has(count));
		const isWord = /has no '(createdAt|projectId)'/.test(error?.message ?? '');
		if (error) return isWord ? [] : [`${what}: ${error.message}`];
		const listed = new Set(selectListed(videos, form).map(({ count }) => count));
		const waiting = videos.map(({ count }) => count).filter((count) => !old.has(count));
		const missed = waiting.filter((count) => listed.has(count) && !emitted.includes(count));
		const isSaid = warnings.some((line) => line.includes('missed'));
		const unsaid = isSaid ? [] : waiting.filter((count) => !listed.has(count));
		for (const count of waiting) old.add(count);
		const { staticData, row = '' } = trigger.database;
		const wrong = { again, missed, unsaid };
		return [
			...Object.entries(wrong).flatMap(([name, counts]) =>
				counts.length > 0
					? [`${what}: ${name} ${counts.slice(0, 9).join()} of ${counts.length}`]
					: [],
			),
			...(Math.max(staticData.length / 2, row.length) > 256_000 ? [`${what}: a long state`] : []),
		];
	};
	const problems: string[] = [];
	/** The last readable form of dates. */
	let { date } = form;
	for (const drawn of rounds) {
		const before = form;
		if (isDated(form)) ({ date } = form);
		const after = { ...form, ...drawn.change };
		// Dates that come back are of the zone that they were of.
		const comesBack = !isDated(before) && isDated(after) && after.names === before.names;
		if (comesBack) after.date = date;
		if (!isHopeless(before, after, drawn)) form = after;
		if (drawn.isRemoving && isDated(form)) videos = removeAt(videos, drawn.place);
		finish(drawn.finished, drawn.everyMs);
		const what = `${JSON.stringify(before)} -> ${JSON.stringify(form)}`;
		const result = await run(false);
		problems.push(...check(result, what));
		if (!result.error) continue;
		// It goes on once the list is as it was.
		const { createdAt, projectId } = before.names;
		form = { ...before, date, names: (createdAt ?? projectId) ? {} : before.names };
		const later = await run(false);
		problems.push(...(later.error ? [`${what}: ${later.error.message}`] : check(later, what)));
	}
	jest.restoreAllMocks();
	return problems;
}

/** Without one of the videos, but not the newest, which may be new. */
function removeAt(videos: readonly Video[], place: number): Video[] {
	const index = Math.floor(place * Math.max(0, videos.length - 3));
	return videos.filter((_, each) => each !== index);
}

testPlans(
	'Whatever changes in the list of a service, a trigger emits no video twice, and misses none without a word',
	history,
	{ usual: 40, share: 1 },
	async (drawn) => {
		expect(await play(drawn)).toEqual([]);
	},
);
