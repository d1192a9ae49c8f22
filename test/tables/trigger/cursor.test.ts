import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { findNewestVideo } from '../../../nodes/VideoGeneration/api/videoLog';
import type { Cursor, StoredCursor, Watch } from '../../../nodes/VideoGeneration/trigger/cursor';
import {
	createIsOld,
	findTag,
	keepTag,
	parseCursor,
	selectNewVideos as select,
} from '../../../nodes/VideoGeneration/trigger/cursor';

// What is emitted over time, whatever happens, stands in test/laws/triggerHistories.test.ts.

const START = Date.parse('2026-01-15T12:00:00.000Z');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MINUTES_A_DAY = 24 * 60;
const WATCH: Watch = {
	account: 'abc',
	projectIds: [],
	emitExisting: false,
	polledAt: START,
};

const createEntry = (id: string, createdAt = new Date(START).toISOString()): IDataObject => ({
	...{ id, url: `https://files.example.com/${id}.mp4`, projectId: 'p', createdAt },
});
const createDate = (i: number) => new Date(START - i * 60_000).toISOString();
/** Entries at intervals of a minute, the newest one first. */
const createEntries = (count: number, createId = (i: number) => `log-${i}`) =>
	Array.from({ length: count }, (_, i) => createEntry(createId(i), createDate(i)));

/** It is finished a minute after the newest one of these. */
const NEW = createEntry('new', createDate(-1));

/** What is old is left out of the list and counted, as a poll does. */
const selectNewVideos: typeof select = (log, stored, watch) => {
	const isOld = createIsOld(stored, watch.account);
	const young = log.filter((each) => !isOld(each.createdAt));
	return select(young, stored, { ...watch, oldCount: log.length - young.length });
};

/** Polls as the node does, and converts the state to JSON and back each time. */
function createPoller() {
	let stored: StoredCursor = 'absent';
	return (logs: IDataObject[]) => {
		const { videos, cursor } = selectNewVideos(logs, stored, WATCH);
		stored = parseCursor(JSON.parse(JSON.stringify(cursor)));
		expect(stored).toEqual(cursor);
		expect(JSON.stringify(stored).length).toBeLessThan(200_000);
		return videos.map(({ id }) => id);
	};
}

const save = (log: IDataObject[], watch: Partial<Watch> = {}) =>
	selectNewVideos(log, 'absent', { ...WATCH, ...watch }).cursor;

describe('A later poll', () => {
	test.each([
		['the order of the list', createEntries(9).reverse()],
		['nothing, by its tag', []],
	])('keeps the very same cursor when what has changed is %s', (_what, log) => {
		const projectIds = ['p', 'q'];
		const cursor = save(createEntries(9), { projectIds });
		expect(selectNewVideos(log, cursor, { ...WATCH, projectIds }).cursor).toBe(cursor);
	});

	test('counts each change of the cursor, and remembers which projects are watched now', () => {
		const { changes, ...cursor } = save(createEntries(1));
		for (const [log, watch] of [
			[createEntries(2), WATCH],
			[createEntries(1), { ...WATCH, projectIds: ['p'] }],
			[[], { ...WATCH, projectIds: ['p'] }],
			[createEntries(1), { ...WATCH, account: 'with a renewed key' }],
			[[], { ...WATCH, account: 'other' }],
		] as const) {
			const { cursor: later } = selectNewVideos(log, { ...cursor, changes }, watch);
			expect(later).toMatchObject({ projects: watch.projectIds, changes: changes + 1 });
		}
		expect(keepTag({ ...cursor, changes }, 'abc', '"a"', START).changes).toBe(changes + 1);
	});

	test('finds nothing, and nothing for a test event, in a list without entries', () => {
		expect(selectNewVideos([{}], save([]), WATCH).videos).toEqual([]);
		expect(findNewestVideo([null, 5, 'text', {}, []], [])).toBeUndefined();
	});
});

describe('The tag of the last list', () => {
	const find = (tag: unknown, now = START, account = WATCH.account) =>
		findTag({ ...save([]), tag: tag as Cursor['tag'] }, account, now);

	test('is sent for an hour after the list was read in full, to its own account alone', () => {
		const { tag } = keepTag(save([]), 'other', '"a"', START);
		expect(find(tag, START, 'other')).toBe('"a"');
		expect(find(tag)).toBeUndefined();
		expect(find(tag, START + HOUR_MS - 1, 'other')).toBe('"a"');
		expect(find(tag, START + HOUR_MS, 'other')).toBeUndefined();
		expect(find(tag, START - 1, 'other')).toBeUndefined();
		expect(keepTag({ ...save([]), tag }, 'abc', undefined, START).tag).toBeUndefined();
	});

	test.each([
		{ account: 'abc', etag: 'a\r\nb', fullReadAt: START },
		{ account: 'abc', etag: '"a"'.repeat(67), fullReadAt: START },
		{ account: 'abc', etag: '"a"' },
		'"a"',
		null,
	])('is not sent when it is damaged: %j', (tag) => {
		expect(find(tag)).toBeUndefined();
	});
});

describe('Videos that come into the list are old', () => {
	test.each([
		['if one has left it, and they are older than all that were seen', 1, []],
		['but one that comes later is new, if none has left it', 0, ['old']],
	])('%s', (_when, deleted, emitted) => {
		for (const size of [20, 49]) {
			const poll = createPoller();
			const log = createEntries(size + 1, (i) => (i < size ? `log-${i}` : 'old'));
			poll(log.slice(0, size));
			expect(poll(log.slice(deleted))).toEqual(emitted);
			expect(poll([NEW, ...log.slice(2)])).toEqual(['new']);
		}
	});

	test.each([10, 49, 50, 300])('if it shows more than %d, and they are older than all', (size) => {
		const poll = createPoller();
		const log = createEntries(350);
		poll(log.slice(0, size));
		expect(poll(log.slice(0, size + 2))).toEqual([]);
		expect(poll([NEW, ...log])).toEqual(['new']);
	});

	test.each([9, 60])('not if another one of %d that was seen is older, and has left it', (size) => {
		const poll = createPoller();
		const log = createEntries(size);
		poll(log);
		const late = createEntry('late', createDate(size - 2.5));
		expect(poll([...log.slice(0, -2), late])).toEqual(['late']);
	});

	test('not if one that was seen has an older date now, or one is listed twice', () => {
		const poll = createPoller();
		const log = createEntries(9);
		poll(log);
		const [late, corrected] = [
			createEntry('late', createDate(20)),
			createEntry('log-3', createDate(30)),
		];
		expect(poll([...log.with(3, corrected), late, late])).toEqual(['late']);
	});

	test('also if one of its 50 entries has no date', () => {
		const poll = createPoller();
		const log = createEntries(51).with(9, createEntry('log-9', 'soon'));
		poll(log.slice(0, 50));
		expect(poll(log.slice(1))).toEqual([]);
	});

	test('but a late one is new, if the list reaches below those that are forgotten', () => {
		const poll = createPoller();
		const log = createEntries(3 * MINUTES_A_DAY);
		const [newest, oldest] = [log.slice(0, 60), log.slice(-50)];
		poll(newest);
		const late = createEntry('late', createDate(54.5));
		expect(poll([...newest.slice(0, -5), ...oldest])).toEqual([]);
		expect(poll([...newest, late, ...oldest])).toEqual(['late']);
	});

	test('if it was empty, unless they are of the last day', () => {
		const poll = createPoller();
		poll([]);
		const dates = [0, HOUR_MS, DAY_MS, DAY_MS + 1, 300 * DAY_MS];
		const log = dates.map((ageMs) =>
			createEntry(`${ageMs}`, new Date(START - ageMs).toISOString()),
		);
		expect(poll(log)).toEqual([`${DAY_MS}`, `${HOUR_MS}`, '0']);
	});

	test('also if the empty list was that of another account', () => {
		const other = { ...WATCH, account: 'other' };
		const { cursor } = selectNewVideos([], save(createEntries(3)), other);
		const later = { ...other, polledAt: START + 9 * DAY_MS };
		const { cursor: kept } = selectNewVideos([], cursor, later);
		expect(kept).toBe(cursor);
		const log = [createEntry('old', createDate(9999)), createEntry('log-0', createDate(9))];
		expect(selectNewVideos(log, kept, later).videos).toEqual([log[1]]);
	});

	test('but not because the account before had later ones', () => {
		const empty = { ...WATCH, account: 'other', polledAt: START - 9 * DAY_MS };
		const { cursor } = selectNewVideos([], save(createEntries(50)), empty);
		const log = [createEntry('new', new Date(START - 8 * DAY_MS).toISOString())];
		expect(selectNewVideos(log, cursor, empty).videos).toEqual(log);
	});
});

describe('A large account', () => {
	test('of 20,000 videos remembers the newest 5,000', () => {
		const poll = createPoller();
		const entries = createEntries(20_000, (i) => `${i}-${'ü"\\🎬'.repeat(20)}`);
		expect(poll(entries)).toEqual([]);
		const late = createEntry('late', createDate(4_999));
		const old = createEntry('old', createDate(5_000));
		expect(poll([old, late, ...entries])).toEqual(['late']);
		expect(poll([...entries, old, late].reverse())).toEqual([]);
	});

	test.each(['Z', '-12:00', '+14:00'])('tells new from old in the zone %s', (zone) => {
		const poll = createPoller();
		poll(createEntries(20_000));
		const offsetMs = { Z: 0, '-12:00': -12 * HOUR_MS, '+14:00': 14 * HOUR_MS }[zone] ?? NaN;
		const createAt = (minutes: number) => {
			const local = new Date(START - minutes * 60_000 + offsetMs).toISOString();
			return createEntry(`${minutes}`, local.replace('Z', zone));
		};
		expect(poll([5_001, 5_000, 4_999.5].map(createAt))).toEqual(['4999.5']);
	});

	test('emits a video whose date is unset or only looks old', () => {
		const poll = createPoller();
		const entries = createEntries(20_000);
		poll(entries);
		const videos = [
			...['0001-01-01T00:00:00.000Z', '1970-01-01T00:00:00.000Z', '0000-00-00T00:00:00Z'],
			...['2020-13-01T00:00:00Z', '2020-01-01T25:00:00.000Z', '2020-01-01Tsoon+02:00'],
		].map((createdAt) => createEntry(createdAt, createdAt));
		expect(poll([...videos, ...entries])).toEqual(videos.map(({ id }) => id));
		expect(poll([...entries, ...videos])).toEqual([]);
	});

	test('emits videos without a readable date, until it has forgotten such ones, and then says so', () => {
		const poll = createPoller();
		const entries = createEntries(1_000).map((entry) => ({ ...entry, createdAt: 'soon' }));
		poll(entries);
		expect(poll([...entries, createEntry('late', 'soon')])).toEqual(['late']);
		expect(() => poll([...entries, createEntry('later', 'soon')])).toThrow('incomplete');
		expect(poll([...entries, createEntry('later')])).toEqual(['later']);
	});

	test('has none of those emitted that get their dates once they are forgotten', () => {
		const poll = createPoller();
		const entries = createEntries(1_001, (i) => `video-${i}`);
		poll(entries.map((entry) => ({ ...entry, createdAt: 'soon' })));
		expect(poll([...entries.slice(1), createEntry('later')])).toEqual(['later']);
		expect(poll(entries.slice(1))).toEqual([]);
	});

	test('tells, once such ones are forgotten, each time that others are listed', () => {
		const undated = createEntries(1_001).map((entry) => ({ ...entry, createdAt: 'soon' }));
		const list = (...more: IDataObject[]) => [createEntry('dated'), ...more, ...undated];
		let stored: StoredCursor = save(list().slice(0, -1));
		const log = list(createEntry('late', '05.07.2026'));
		const reversed = [...list()].reverse();
		const told = [list().slice(0, -1), list(), reversed, log, log, [], log, list()].map((each) => {
			const { cursor, hasUndated } = selectNewVideos(each, stored, WATCH);
			stored = cursor;
			return hasUndated;
		});
		expect(told).toEqual([false, true, false, true, false, false, false, true]);
	});

	test('does not fail where old videos have their dates', () => {
		const poll = createPoller();
		const old = createEntries(2, (i) => `old-${i}`).map((entry) => ({
			...entry,
			createdAt: '2020-01-01T00:00:00.000Z',
		}));
		const undated = createEntries(1_001).map((entry) => ({ ...entry, createdAt: 'soon' }));
		poll([...undated, ...createEntries(20_000, (i) => `dated-${i}`)]);
		expect(poll([...undated, ...old])).toEqual([]);
	});

	test.each([
		['without any readable date', 'soon'],
		['of which all videos are of one millisecond', createDate(1)],
	])('%s is bounded, does not flood, and emits what is later', (_what, createdAt) => {
		const poll = createPoller();
		const logs = createEntries(20_000).map((log) => ({ ...log, createdAt }));
		expect(poll(logs)).toEqual([]);
		expect(poll([...logs, createEntry('later')])).toEqual(['later']);
		expect(poll([createEntry('later'), ...logs])).toEqual([]);
	});
});

// What else may change, and at any time, stands in test/laws/triggerYears.test.ts.
describe('A service that begins to write its dates otherwise', () => {
	const toLocal = (time: number, hours: number) =>
		new Date(time + hours * HOUR_MS).toISOString().replace(/\.\d+Z$/, '');
	const FORMS: [string, (time: number) => unknown][] = [
		['in milliseconds', (time) => time],
		['in an earlier zone without a word', (time) => toLocal(time, -9)],
		['in a later zone without a word', (time) => toLocal(time, 9)],
	];
	const write = (log: IDataObject[], form: (time: number) => unknown) =>
		log.map((each) => {
			const time = Date.parse(each.createdAt as string);
			return { ...each, createdAt: time > 0 ? form(time) : each.createdAt } as IDataObject;
		});

	// Of which the oldest are forgotten.
	test.each(FORMS)('%s, has no old video of 6,000 emitted, and each new one', (_how, form) => {
		const poll = createPoller();
		const log = [...createEntries(6_000), createEntry('undated', 'soon')];
		poll(log);
		expect(poll([NEW, ...log])).toEqual(['new']);
		const later = [createEntry('later', createDate(-2)), NEW, ...log];
		expect(poll(write(later.slice(1), form))).toEqual([]);
		expect(poll(write(later, form))).toEqual(['later']);
		expect(poll(write(later, form))).toEqual([]);
	});

	test.each(FORMS)('%s, has each new video of 50 emitted', (_how, form) => {
		const poll = createPoller();
		const log = createEntries(53);
		poll(log.slice(3));
		expect(poll(write(log.slice(2, 52), form))).toEqual(['log-2']);
		expect(poll(write(log.slice(0, 50), form))).toEqual(['log-1', 'log-0']);
	});

	test('so that none can be read, has a poll say so if videos were forgotten', () => {
		const poll = createPoller();
		const log = createEntries(6_000);
		poll(log);
		const later = [NEW, ...log];
		expect(() => poll(write(later, () => 'soon'))).toThrow('incomplete');
		expect(poll(later)).toEqual(['new']);
	});

	test('so that none can be read for a while, has no video emitted again once IDs change after that', () => {
		const poll = createPoller();
		const log = createEntries(121);
		poll(log.slice(61));
		// In the middle of the next lists, which are looked at from both ends.
		expect(poll(write(log.slice(60), () => 'soon'))).toEqual(['log-60']);
		expect(poll(log)).toHaveLength(60);
		expect(poll(log.map((each, i) => ({ ...each, id: `other-${i}` })))).toEqual([]);
	});

	test('so that none can be read, has up to 1,000 new videos emitted', () => {
		const poll = createPoller();
		const log = createEntries(1_010);
		poll(log.slice(-10));
		const undated = write(log, () => null);
		expect(poll(undated)).toHaveLength(1_000);
		expect(poll(undated)).toEqual([]);
	});

	test.each<[string, (log: IDataObject[]) => IDataObject[]]>([
		['some of them alone', (log) => [...moveBy(log.slice(0, 9), () => 9_999), ...log.slice(9)]],
		['the few that are left', (log) => moveBy(log.slice(0, 9), () => 9_999)],
		['each of some by another time', (log) => moveBy(log.slice(0, 20), (i) => 60 + i)],
	])('may have corrected %s', (_which, correct) => {
		const poll = createPoller();
		const log = createEntries(60);
		poll(log);
		expect(poll(correct(log))).toEqual([]);
		expect(poll([NEW, ...correct(log)])).toEqual(['new']);
	});
	const moveBy = (log: IDataObject[], getMinutes: (i: number) => number) =>
		log.map((each, i) => ({ ...each, createdAt: createDate(i - getMinutes(i)) }));

	test.each(['while', 'once'])(
		'without fractions of a second, is known by these dates %s its key is renewed',
		(when) => {
			const whole = createEntries(9);
			const precise = whole.map((each) => ({
				...each,
				createdAt: (each.createdAt as string).replace('.000Z', '.500Z'),
			}));
			let cursor = save(precise);
			if (when === 'once') ({ cursor } = selectNewVideos(whole, cursor, WATCH));
			const renewed = { ...WATCH, account: 'with a renewed key' };
			const news = [NEW, ...whole];
			expect(selectNewVideos(news, cursor, renewed).videos).toEqual(news.slice(0, 1));
		},
	);
});

test('A long list without IDs whose dates lose their fractions for a while has no video emitted again', () => {
	const poll = createPoller();
	const write = (id: number, isWhole: boolean) => {
		const date = new Date(Date.parse('2026-01-15T12:00:00.795Z') + id * 2_345);
		return { createdAt: isWhole ? date.toUTCString() : date.toJSON(), url: `https://a/${id}.mp4` };
	};
	const list = (isWhole: boolean, hasIds = false) =>
		Array.from({ length: 50 }, (_, id) => ({ ...write(id, isWhole), ...(hasIds && { id }) }));
	for (const log of [list(false, true), list(true, true), list(true), list(false)]) {
		expect(poll(log)).toHaveLength(0);
	}
});

test('Where dates have no time, new videos are not taken for one of their day that has left the list', () => {
	const poll = createPoller();
	const write = (id: string, day: number) => createEntry(id, `2026-01-${day}`);
	poll([write('first', 14), write('deleted', 15)]);
	const log = [write('second', 15), write('third', 15), write('first', 14)];
	expect(poll(log).sort()).toEqual(['second', 'third']);
});

describe('A service that writes other IDs', () => {
	const renumber = (log: IDataObject[], write: (id: number) => unknown) =>
		log.map((each, i) => ({ ...each, id: write(log.length - i) }) as IDataObject);

	const round = (id: number) => 2 ** 60 + id;
	const writeLong = (id: number) => String(2n ** 60n + BigInt(id));

	test.each<[string, (id: number) => unknown, (id: number) => unknown]>([
		['as text instead of rounded numbers', round, writeLong],
		['as rounded numbers', writeLong, round],
		['in other words', (id) => `log-${id}`, (id) => `video-${id}`],
		['as numbers that others had', (id) => 3 * id, (id) => 2 * id],
		['no more', (id) => `log-${id}`, () => undefined],
	])(
		'%s, has no video emitted again, nor when it writes the old ones again',
		(_how, before, after) => {
			const poll = createPoller();
			const log = createEntries(6);
			poll(renumber(log.slice(3), before));
			expect(poll(renumber(log.slice(2), before))).toHaveLength(1);
			for (const write of [after, before]) {
				expect(poll(renumber(log.slice(2), write))).toEqual([]);
				expect(poll(renumber(log.slice(1), write))).toHaveLength(1);
				expect(poll(renumber(log.slice(1), write))).toEqual([]);
				log.unshift(createEntry('next', createDate(-1 - log.length)));
			}
		},
	);

	test('in a list of two, which is enough, has none emitted again', () => {
		const poll = createPoller();
		poll(createEntries(2));
		expect(poll(createEntries(2, (i) => `other-${i}`))).toEqual([]);
	});

	test.each([20, 50])(
		'in a list of the newest %d, has nothing emitted that a deletion brings back',
		(size) => {
			const poll = createPoller();
			const log = createEntries(80);
			const write = (entries: IDataObject[]) =>
				entries.map((each) => ({ ...each, id: `other-${each.id as string}` }));
			poll(log.slice(20, 20 + size));
			for (let newest = 19; newest >= 10; newest--) poll(log.slice(newest, newest + size));
			expect(poll(write(log.slice(9, 9 + size)))).toEqual(['other-log-9']);
			expect(poll(write(log.slice(8, 10 + size).toSpliced(3, 2)))).toEqual(['other-log-8']);
			// It grows while IDs change again.
			expect(poll(write(write(log.slice(7, 31 + size))))).toEqual(['other-other-log-7']);
		},
	);

	test('as the number that the next one had, at equal intervals, has no video emitted again', () => {
		const poll = createPoller();
		const log = createEntries(51);
		poll(renumber(log.slice(1), String));
		expect(poll(renumber(log.slice(0, 50), (id) => String(id + 2)))).toEqual(['52']);
	});

	test('as the number that the next one had, in a list of ten, has none emitted again when it grows', () => {
		const poll = createPoller();
		/** The newest entries up to a number, by which they are dated. */
		const list = (newest: number, count: number, createId: (number: number) => string) =>
			Array.from({ length: count }, (_, i) =>
				createEntry(createId(newest - i), createDate(i - newest)),
			);
		expect(poll(list(20, 20, (number) => `video-${number}`))).toEqual([]);
		expect(poll(list(20, 10, (number) => String(number + 1)))).toEqual([]);
		expect(poll(list(21, 10, String))).toEqual(['21']);
		expect(poll(list(21, 21, String))).toEqual([]);
	});
});

const moveToZone = (log: IDataObject[], hours: number) =>
	log.map((each) => ({
		...each,
		createdAt: new Date(Date.parse(each.createdAt as string) + hours * HOUR_MS).toISOString(),
	}));

test.each([9, -5])(
	'Two dates that move %d hours to another zone are enough, whatever others could not be read',
	(hours) => {
		const poll = createPoller();
		const log = createEntries(8);
		poll(log.slice(2).map((each, i) => (i < 2 ? each : { ...each, createdAt: 'soon' })));
		expect(poll(moveToZone(log, hours))).toEqual(['log-1', 'log-0']);
	},
);

test.each([9, -9])(
	'Dates that move %d hours to another zone are known, also where older ones are forgotten',
	(hours) => {
		const poll = createPoller();
		const log = createEntries(21);
		const rename = (each: IDataObject) => ({ ...each, id: `other-${each.id as string}` });
		poll(log.slice(1));
		poll(log.slice(1, 11).map(rename));
		expect(poll(moveToZone(log, hours).map(rename))).toEqual(['other-log-0']);
	},
);

test('A list that loses its projects when none is chosen any more emits what is new', () => {
	const cursor = save(createEntries(9), { projectIds: ['p'] });
	const log = [NEW, ...createEntries(9)];
	const without = log.map((each) => ({ ...each, projectId: undefined }));
	expect(selectNewVideos(without, cursor, WATCH).videos).toMatchObject([{ id: 'new' }]);
});

test.each([[[]], [['p']]])(
	'A list without projects, of which %j are wanted, has a poll say so',
	(projectIds) => {
		const cursor = save(createEntries(9), { projectIds });
		const log = createEntries(10, (i) => `log-${i - 1}`).map((each) => ({
			...each,
			projectId: null,
		}));
		const poll = () => selectNewVideos(log, cursor, { ...WATCH, projectIds });
		if (projectIds.length > 0) expect(poll).toThrow('incomplete');
		else expect(poll().videos).toHaveLength(1);
	},
);

test('A list that shows nothing that was seen may have been cut, also if it shows a video twice', () => {
	const find = (log: IDataObject[], before = createEntries(20)) =>
		selectNewVideos(log, save(before), WATCH).hasGap;
	const later = Array.from({ length: 10 }, (_, i) => createEntry(`new-${i}`, createDate(-1 - i)));
	expect(find(later)).toBe(true);
	expect(find([...later, ...later.slice(0, 1)])).toBe(true);
	expect(find(later.slice(1))).toBe(false);
	expect(find([...later, ...createEntries(1)])).toBe(false);
	// A list that reaches below what is forgotten was not cut: whether or not the date tells so at once.
	for (const minutes of [60, 9_999]) {
		const old = createEntry('old', createDate(minutes));
		expect(find([...later, old], createEntries(50))).toBe(false);
	}
	expect(find(later, [])).toBe(false);
});

describe('A cursor that was saved', () => {
	const LOG = [{ id: 'a' }, createEntry('b')];
	const SOUND = JSON.parse(JSON.stringify(save(LOG))) as Record<string, unknown>;
	const REQUIRED = Object.keys(SOUND).filter((key) => !key.endsWith('Forgotten'));

	test.each([
		...REQUIRED.map((key) => ({ ...SOUND, [key]: undefined })),
		{ ...SOUND, version: 2 },
		{ ...SOUND, account: 7 },
		{ ...SOUND, projects: 'short' },
		{ ...SOUND, floor: 1.5 },
		{ ...SOUND, floor: 2 ** 42 },
		{ ...SOUND, changes: '5' },
		{ ...SOUND, videos: 'short' },
		null,
		{ lastTimeChecked: '2026-01-15T12:00:00.000Z', processedIds: ['a'] },
	])('is damaged when it is %j', (value) => {
		expect(parseCursor(value)).toBe('damaged');
		expect(parseCursor(undefined)).toBe('absent');
	});

	const DAMAGED: unknown[] = [{}, null, 'soon', { valueOf: 1, toString: 1 }, -5, 2 ** 43];

	test.each(DAMAGED)(
		'knows its videos, and goes on without its other parts, when they are %j',
		(damage) => {
			const cursor = save(LOG, { projectIds: ['p'] });
			const [damaged = ''] = Object.keys(cursor.videos);
			const videos = { ...cursor.videos, [damaged]: damage };
			const tag = { account: WATCH.account, etag: '"a"', fullReadAt: damage };
			const parts = { emptyAccount: damage, tag, projects: ['p', damage] };
			const stored = parseCursor({ ...cursor, ...parts, videos });
			expect(stored).toMatchObject({ emptyAccount: undefined, tag: undefined });
			const { projects } = parts;
			const sound = projects.filter((each) => typeof each === 'string');
			expect(parseCursor({ ...cursor, projects })).toHaveProperty('projects', sound);
			const watch = { ...WATCH, projectIds: ['p'] };
			expect(findTag(stored, WATCH.account, START)).toBeUndefined();
			const found = selectNewVideos([...LOG, createEntry('new')], stored, watch);
			const { videos: news, cursor: later, isDamaged } = found;
			expect(isDamaged).toBe(true);
			expect(news).toMatchObject([{ id: 'new' }]);
			expect(parseCursor(later)).toBe(later);
		},
	);

	test('can be any JSON: nothing throws, and existing videos do not flood the workflow', () => {
		const watch = { ...WATCH, emitExisting: true };
		const part = fc.constantFrom('emptyAccount', 'tag', 'undated', ...Object.keys(SOUND));
		const names = ['account', 'floor', 'etag', 'fullReadAt', '0'];
		const name = fc.constantFrom(...names, ...Object.keys(save(LOG).videos));
		fc.assert(
			fc.property(fc.jsonValue(), part, name, (value, key, inner) => {
				const tag = { account: 'abc', etag: '"a"', fullReadAt: START };
				const emptyAccount = { account: 'abc', floor: START };
				const whole: IDataObject = { ...SOUND, tag, emptyAccount };
				const nested = { ...whole, [key]: { ...(whole[key] as object), [inner]: value } };
				for (const saved of [value, { ...whole, [key]: value }, nested]) {
					const stored = parseCursor(saved);
					expect(() => findTag(stored, 'abc', START)).not.toThrow();
					const { videos, cursor } = selectNewVideos(LOG, stored, watch);
					// A sound cursor lacks one of the two entries only when a user edited it.
					if (stored === 'damaged' || saved === nested) expect(videos).toEqual([]);
					expect(selectNewVideos(LOG, parseCursor(cursor), watch).videos).toEqual([]);
				}
			}),
			{ seed: 1, numRuns: 500 },
		);
	});
});
