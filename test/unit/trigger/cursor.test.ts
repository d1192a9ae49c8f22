import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import type { Cursor, StoredCursor, Watch } from '../../../nodes/VideoGeneration/trigger/cursor';
import {
	findNewestVideo,
	findTag,
	keepTag,
	parseCursor,
	selectNewVideos,
} from '../../../nodes/VideoGeneration/trigger/cursor';

// What is emitted over time, whatever happens, stands in test/engine/triggerHistories.test.ts.

const START = Date.parse('2026-01-15T12:00:00.000Z');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MINUTES_A_DAY = 24 * 60;
const WATCH: Watch = {
	account: 'abc',
	projectIds: [],
	emitExisting: false,
	isContinuous: true,
	polledAt: START,
};

const createEntry = (id: string, createdAt = new Date(START).toISOString()): IDataObject => ({
	...{ id, url: `https://files.example.com/${id}.mp4`, projectId: 'p', createdAt },
});
const createDate = (i: number) => new Date(START - i * 60_000).toISOString();
/** Entries at intervals of a minute, the newest one first. */
const createEntries = (count: number, createId = (i: number) => `log-${i}`) =>
	Array.from({ length: count }, (_, i) => createEntry(createId(i), createDate(i)));

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
		['the order of the list', createEntries(9).reverse(), ['p', 'q']],
		['the order of the watched projects', createEntries(9), ['q', 'p', 'q']],
		['nothing, by its tag', [], ['p', 'q']],
	])('keeps the very same cursor when what has changed is %s', (_what, log, projectIds) => {
		const cursor = save(createEntries(9), { projectIds: ['p', 'q'] });
		expect(selectNewVideos(log, cursor, { ...WATCH, projectIds }).cursor).toBe(cursor);
	});

	test('counts each change of the cursor, and remembers which projects are watched now', () => {
		const { changes, ...cursor } = save(createEntries(1));
		for (const [log, watch] of [
			[createEntries(2), WATCH],
			[createEntries(1), { ...WATCH, projectIds: ['p'] }],
			[createEntries(1), { ...WATCH, account: 'with a renewed key' }],
			[[], { ...WATCH, account: 'other' }],
		] as const) {
			const { cursor: later } = selectNewVideos(log, { ...cursor, changes }, watch);
			expect(later).toMatchObject({ projects: watch.projectIds, changes: changes + 1 });
		}
		expect(keepTag({ ...cursor, changes }, 'abc', '"a"', START).changes).toBe(changes + 1);
	});

	test('finds nothing, and nothing for a test event, in a list without entries', () => {
		const junk = [null, 5, 'text', {}, []] as unknown as IDataObject[];
		expect(selectNewVideos(junk, save([]), WATCH).videos).toEqual([]);
		expect(findNewestVideo(junk, [])).toBeUndefined();
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
		['if it had 50 entries, and they are older than those', 50, []],
		['not if it had 49 entries', 49, ['old']],
	])('%s', (_when, size, emitted) => {
		const poll = createPoller();
		const log = createEntries(size + 1, (i) => (i < size ? `log-${i}` : 'old'));
		poll(log.slice(0, size));
		expect(poll(log.slice(1))).toEqual(emitted);
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

	test('does not say so of a list in which old videos have their dates', () => {
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

describe('A cursor that was saved', () => {
	const LOG = [{ id: 'a' }, createEntry('b')];
	const SOUND = JSON.parse(JSON.stringify(save(LOG))) as Record<string, unknown>;
	const REQUIRED = Object.keys(SOUND).filter((key) => key !== 'isUndatedForgotten');

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

	test('can be any JSON: nothing throws, and existing videos do not flood the workflow', () => {
		const watch = { ...WATCH, emitExisting: true };
		fc.assert(
			fc.property(fc.jsonValue(), fc.constantFrom(...Object.keys(SOUND)), (value, key) => {
				for (const saved of [value, { ...SOUND, [key]: value }]) {
					const stored = parseCursor(saved);
					const { videos, cursor } = selectNewVideos(LOG, stored, watch);
					// A sound cursor lacks one of the two entries only when a user edited it.
					if (stored === 'damaged') expect(videos).toEqual([]);
					expect(selectNewVideos(LOG, parseCursor(cursor), watch).videos).toEqual([]);
				}
			}),
			{ seed: 1, numRuns: 500 },
		);
	});
});
