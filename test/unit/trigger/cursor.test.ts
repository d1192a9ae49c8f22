import type { IDataObject } from 'n8n-workflow';
import type { StoredCursor, Watch } from '../../../nodes/VideoGeneration/trigger/cursor';
import {
	findNewestVideo,
	parseCursor,
	selectNewVideos,
} from '../../../nodes/VideoGeneration/trigger/cursor';

const START = Date.parse('2026-01-15T12:00:00.000Z');
const WATCH: Watch = { account: 'abc', projectIds: [], emitExisting: false, isContinuous: true };

const createEntry = (id: string, more: IDataObject = {}): IDataObject => ({
	id,
	url: `https://files.example.com/${id}.mp4`,
	projectId: 'p',
	createdAt: new Date(START).toISOString(),
	...more,
});
/** Creates logs at intervals of a minute, the last one a minute before `START`. */
const createEntries = (count: number, createId = (i: number) => `log-${i}`) =>
	Array.from({ length: count }, (_, i) =>
		createEntry(createId(i), { createdAt: new Date(START - (count - i) * 60_000).toISOString() }),
	);

const pickDate = (log: IDataObject | undefined) => ({ createdAt: log?.createdAt });

/** Polls as the node does, and converts the state to JSON and back each time. */
function createPoller(initial: StoredCursor = 'absent') {
	let stored = initial;
	return {
		poll(logs: IDataObject[], watch: Partial<Watch> = {}) {
			const { videos, cursor } = selectNewVideos(logs, stored, { ...WATCH, ...watch });
			stored = parseCursor(JSON.parse(JSON.stringify(cursor)));
			expect(stored).toEqual(cursor);
			return videos.map(({ id, url }) => id ?? url);
		},
		get size() {
			return Buffer.byteLength(JSON.stringify(stored));
		},
	};
}

/** The same moment, as it is written elsewhere. */
function shiftHours(iso: string, hours: number, offset: string): string {
	return new Date(Date.parse(iso) + hours * 3_600_000).toISOString().replace('Z', offset);
}

describe('The first poll', () => {
	test('remembers what is there and emits nothing', () => {
		const { poll } = createPoller();
		expect(poll(createEntries(3))).toEqual([]);
		expect(poll(createEntries(3))).toEqual([]);
	});

	test('of an account without a video is one, too: its first video is new', () => {
		const { poll } = createPoller();
		expect(poll([])).toEqual([]);
		expect(poll([createEntry('first')])).toEqual(['first']);
	});

	test('emits what is there, oldest first, where existing videos are wanted', () => {
		const { poll } = createPoller();
		const watch = { emitExisting: true };
		expect(poll(createEntries(3).reverse(), watch)).toEqual(['log-0', 'log-1', 'log-2']);
		expect(poll(createEntries(3), watch)).toEqual([]);
	});

	test('emits all of 12,000 existing videos where they are wanted, and none of them again', () => {
		const { poll } = createPoller();
		const watch = { emitExisting: true };
		expect(poll(createEntries(12_000), watch)).toHaveLength(12_000);
		expect(poll(createEntries(12_000), watch)).toEqual([]);
	});
});

describe('A later poll', () => {
	test('takes an unseen ID for new even when its date is a year old, with 5,000 logs in all', () => {
		const { poll } = createPoller();
		const logs = createEntries(4_999);
		poll(logs);
		const late = createEntry('late', { createdAt: '2025-01-15T12:00:00.000Z' });
		expect(poll([...logs, late])).toEqual(['late']);
		expect(poll([late, ...logs])).toEqual([]);
	});

	test('emits two entries of one millisecond, one listed now and one later, once each', () => {
		const { poll } = createPoller();
		poll([]);
		expect(poll([createEntry('a')])).toEqual(['a']);
		expect(poll([createEntry('b'), createEntry('a')])).toEqual(['b']);
		expect(poll([createEntry('a'), createEntry('b')])).toEqual([]);
	});

	test('sorts by the time that is meant, in any time zone; those without a date come last', () => {
		const { poll } = createPoller();
		poll([]);
		const logs = [
			createEntry('undated', { createdAt: 'soon' }),
			createEntry('third', { createdAt: '2026-01-15T12:00:00.000+00:00' }),
			createEntry('first', { createdAt: '2026-01-15T20:00:00.000+09:00' }),
			createEntry('fourth', { createdAt: '2026-01-15T12:00:00.500Z' }),
			createEntry('second', { createdAt: '2026-01-15T11:30:00Z' }),
		];
		expect(poll(logs)).toEqual(['first', 'second', 'third', 'fourth', 'undated']);
	});

	test('emits an ID once that is listed twice, or comes back, or gets another date', () => {
		const { poll } = createPoller();
		poll([]);
		expect(poll([createEntry('a'), createEntry('a')])).toEqual(['a']);
		expect(poll([])).toEqual([]);
		expect(poll([createEntry('a', { createdAt: '2026-02-01T00:00:00.000Z' })])).toEqual([]);
	});

	test('leaves out what is not an entry, and identifies entries without an ID by their address', () => {
		const { poll } = createPoller();
		poll([]);
		const junk = [null, 5, 'text', {}, []] as unknown as IDataObject[];
		const url = 'https://files.example.com/x.mp4?signature=';
		expect(poll([...junk, createEntry('', { id: null, url: `${url}1` })])).toEqual([`${url}1`]);
		expect(poll([...junk, createEntry('', { id: null, url: `${url}2` })])).toEqual([]);
	});

	test('tells IDs beyond the integers of JavaScript apart by address and date', () => {
		const { poll } = createPoller();
		poll([]);
		const [one, other] = ['9007199254740993', '9007199254740992'].map((id) =>
			createEntry('', { id: JSON.parse(id) as number, url: `https://files.example.com/${id}` }),
		) as [IDataObject, IDataObject];
		expect(poll([one])).toHaveLength(1);
		expect(poll([one, other])).toHaveLength(1);
		expect(poll([other, one])).toEqual([]);
	});

	test('keeps the very same cursor when there is nothing new', () => {
		const { cursor } = selectNewVideos(createEntries(10), 'absent', WATCH);
		expect(selectNewVideos(createEntries(10).reverse(), cursor, WATCH).cursor).toBe(cursor);
		expect(selectNewVideos([], cursor, WATCH).cursor).toBe(cursor);
	});

	test('that is repeated with the old cursor emits the same again', () => {
		const { cursor } = selectNewVideos([], 'absent', WATCH);
		const first = selectNewVideos([createEntry('a')], cursor, WATCH);
		expect(selectNewVideos([createEntry('a')], cursor, WATCH)).toEqual(first);
	});
});

describe('The newest video', () => {
	test('is the one with the latest date, of the projects that are watched', () => {
		const log = [
			createEntry('undated', { createdAt: 'soon' }),
			createEntry('older', { createdAt: '2026-01-15T11:00:00.000Z' }),
			createEntry('newest'),
			createEntry('other', { projectId: 'q', createdAt: '2026-01-15T13:00:00.000Z' }),
		];
		expect(findNewestVideo(log, ['p'])?.id).toBe('newest');
		expect(findNewestVideo(log, [])?.id).toBe('other');
		expect(findNewestVideo(log.slice(0, 1), [])?.id).toBe('undated');
	});

	test('is none when the list holds nothing that is an entry', () => {
		const junk = [null, 5, 'text', {}, []] as unknown as IDataObject[];
		expect(findNewestVideo(junk, [])).toBeUndefined();
		expect(findNewestVideo([], [])).toBeUndefined();
	});
});

describe('A changed choice of projects', () => {
	const logs = [createEntry('p1'), createEntry('q1', { projectId: 'q' })];

	test('does not emit what was there before', () => {
		const { poll } = createPoller();
		poll([], { projectIds: ['p'] });
		expect(poll(logs, { projectIds: ['p'] })).toEqual(['p1']);
		expect(poll(logs, { projectIds: ['p', 'q'] })).toEqual([]);
		expect(poll(logs, { projectIds: [] })).toEqual([]);
	});

	test('emits what is finished in an added project from then on', () => {
		const { poll } = createPoller();
		poll(logs, { projectIds: ['p'] });
		expect(poll([...logs, createEntry('q2', { projectId: 'q' })], { projectIds: ['q'] })).toEqual([
			'q2',
		]);
	});

	test('does not flood where n8n had not saved the polls before it', () => {
		const { poll } = createPoller();
		poll([], { projectIds: ['p'] });
		// The polls that saw q1 were not saved: the cursor is that of the activation.
		const watch = { projectIds: ['p', 'q'], isContinuous: false };
		expect(poll(logs, watch)).toEqual(['p1']);
		expect(poll(logs, { ...watch, isContinuous: true })).toEqual([]);
		expect(poll([...logs, createEntry('q2', { projectId: 'q' })], watch)).toEqual(['q2']);
	});

	test('is none when only the order has changed', () => {
		const { cursor } = selectNewVideos(logs, 'absent', { ...WATCH, projectIds: ['p', 'q'] });
		const again = selectNewVideos(logs, cursor, { ...WATCH, projectIds: ['q', 'p', 'q'] });
		expect(again.cursor).toBe(cursor);
	});
});

describe('Another account', () => {
	const foreign = createEntries(3, (i) => `foreign-${i}`);

	test('does not flood: what it has is remembered', () => {
		const { poll } = createPoller();
		poll(createEntries(3));
		expect(poll(foreign, { account: 'xyz' })).toEqual([]);
		expect(poll([...foreign, createEntry('new')], { account: 'xyz' })).toEqual(['new']);
	});

	test('does not flood after an empty one, nor when existing videos were wanted', () => {
		const { poll } = createPoller();
		poll([], { emitExisting: true });
		expect(poll(foreign, { account: 'xyz', emitExisting: true })).toEqual([]);
	});

	test('that is empty has all of its videos emitted, also with IDs that were seen elsewhere', () => {
		const { poll } = createPoller();
		const number = (id: number, day: string) =>
			createEntry('', { id, createdAt: `${day}T12:00:00Z` });
		poll([1, 2, 3].map((id) => number(id, '2026-01-15')));
		expect(poll([], { account: 'xyz' })).toEqual([]);
		expect(poll([], { account: 'xyz' })).toEqual([]);
		const theirs = [1, 2].map((id) => number(id, '2026-01-16'));
		expect(poll(theirs, { account: 'xyz' })).toEqual([1, 2]);
		expect(poll([...theirs, number(3, '2026-01-17')], { account: 'xyz' })).toEqual([3]);
	});

	test('that was empty does not flood when the first one is back', () => {
		const { poll } = createPoller();
		poll(createEntries(3));
		poll([], { account: 'xyz' });
		expect(poll([...createEntries(3), createEntry('new')])).toEqual(['new']);
	});

	test.each([
		['more', 3, 30],
		['fewer', 30, 3],
	])(
		'whose %s videos have the same IDs does not flood, and has its next one emitted',
		(_, count, others) => {
			const { poll } = createPoller();
			const list = (length: number, day: string) =>
				Array.from({ length }, (_each, i) =>
					createEntry(String(i), { createdAt: `${day}T12:00:${String(i).padStart(2, '0')}Z` }),
				);
			poll(list(count, '2026-01-15'));
			const theirs = list(others, '2026-01-10');
			expect(poll(theirs, { account: 'xyz' })).toEqual([]);
			const next = createEntry(String(others), { createdAt: '2026-01-16T12:00:00Z' });
			expect(poll([...theirs, next], { account: 'xyz' })).toEqual([String(others)]);
		},
	);

	test('is not taken from a list that is empty for once, with a new key', () => {
		const { poll } = createPoller();
		poll(createEntries(3));
		expect(poll([], { account: 'xyz' })).toEqual([]);
		const videos = [...createEntries(3), createEntry('new')];
		expect(poll(videos, { account: 'xyz' })).toEqual(['new']);
		expect(poll(videos, { account: 'xyz' })).toEqual([]);
	});

	test('is none when only the key is new: what has been finished meanwhile is emitted', () => {
		const { poll } = createPoller();
		poll(createEntries(3));
		expect(poll([...createEntries(3), createEntry('new')], { account: 'xyz' })).toEqual(['new']);
	});
});

describe('A large account', () => {
	test.each([5_000, 5_001, 20_000])(
		'of %i logs is remembered in less than 200 KB, and none of them is emitted',
		(count) => {
			const poller = createPoller();
			const logs = createEntries(count, (i) => `${i}-${'ü"\\🎬'.repeat(200)}`);
			expect(poller.poll(logs)).toEqual([]);
			expect(poller.poll([...logs].reverse())).toEqual([]);
			expect(poller.size).toBeLessThan(200_000);
		},
	);

	test('of 20,000 logs emits what is later than its newest 5,000, also late and of one millisecond', () => {
		const { poll } = createPoller();
		const logs = createEntries(20_000);
		poll(logs);
		const late = createEntry('late', pickDate(logs[15_001]));
		const old = createEntry('old', pickDate(logs[14_998]));
		const undated = createEntry('undated', { createdAt: 'soon' });
		expect(poll([undated, old, late, ...logs])).toEqual(['late', 'undated']);
		expect(poll([...logs, undated, old, late])).toEqual([]);
	});

	test.each([
		['whole seconds', (iso: string) => iso.replace('.000Z', 'Z')],
		['microseconds', (iso: string) => iso.replace('Z', '000Z')],
		['another zone', (iso: string) => iso.replace('Z', '+00:00')],
		['an offset to the east', (iso: string) => shiftHours(iso, 14, '+14:00')],
		['an offset to the west', (iso: string) => shiftHours(iso, -12, '-1200')],
		['no zone', (iso: string) => iso.replace('Z', '')],
		['a space', (iso: string) => iso.replace('T', ' ')],
	])('of 20,000 entries does the same when dates have %s', (_what, format) => {
		const { poll } = createPoller();
		const change = (entry: IDataObject) => ({
			...entry,
			createdAt: format(entry.createdAt as string),
		});
		const entries = createEntries(20_000).map(change);
		expect(poll(entries)).toEqual([]);
		const late = change(createEntry('late', pickDate(createEntries(20_000)[15_001])));
		const old = change(createEntry('old', pickDate(createEntries(20_000)[14_998])));
		expect(poll([old, late, ...entries])).toEqual(['late']);
		expect(poll([...entries, old, late])).toEqual([]);
	});

	test.each([
		['5,000 logs, each listed three times, emits a video of any date', 5_000, 3, 0],
		[
			'30,000 logs, each listed twice, emits what is later than its newest 5,000',
			30_000,
			2,
			25_000,
		],
	])('of %s', (_, count, times, newest) => {
		const { poll } = createPoller();
		const logs = createEntries(count);
		const listed = Array.from({ length: times }, () => logs).flat();
		poll(listed);
		expect(poll([...listed, createEntry('new', pickDate(logs[newest]))])).toEqual(['new']);
		expect(poll([...listed, createEntry('new', pickDate(logs[newest]))])).toEqual([]);
	});

	test.each(['2020-13-01T00:00:00Z', '2020-01-01T25:00:00.000Z', '2020-01-01Tsoon+02:00'])(
		'emits a video whose date only looks old: %s',
		(createdAt) => {
			const { poll } = createPoller();
			const entries = createEntries(20_000);
			poll(entries);
			expect(poll([createEntry('new', { createdAt }), ...entries])).toEqual(['new']);
		},
	);

	test('emits a video whose date is unset, as long as it remembers those without a date', () => {
		const { poll } = createPoller();
		const entries = createEntries(20_000);
		poll(entries);
		const unset = ['0001-01-01T00:00:00.000Z', '1970-01-01T00:00:00.000Z', '0000-00-00T00:00:00Z'];
		const videos = unset.map((createdAt, i) => createEntry(`unset-${i}`, { createdAt }));
		expect(poll([...videos, ...entries])).toEqual(['unset-0', 'unset-1', 'unset-2']);
		expect(poll([...entries, ...videos])).toEqual([]);
	});

	test('that is listed in part for once does not flood when it is whole again', () => {
		const { poll } = createPoller();
		const logs = createEntries(20_000);
		poll(logs);
		expect(poll(logs.slice(0, 100))).toEqual([]);
		expect(poll([])).toEqual([]);
		expect(poll(logs)).toEqual([]);
	});

	test('may grow by 30,000 videos: each is emitted once, and the state stays small', () => {
		const poller = createPoller();
		const logs = createEntries(36_000);
		poller.poll(logs.slice(0, 6_000));
		const emitted: unknown[] = [];
		for (let count = 6_000; count <= 36_000; count += 1_500) {
			emitted.push(...poller.poll(logs.slice(0, count)));
			expect(poller.size).toBeLessThan(200_000);
		}
		expect(emitted).toEqual(logs.slice(6_000).map(({ id }) => id));
	});

	test('without any readable date is bounded, and does not flood', () => {
		const poller = createPoller();
		const logs = createEntries(20_000).map((log) => ({ ...log, createdAt: 'soon' }));
		expect(poller.poll(logs)).toEqual([]);
		expect(poller.poll(logs)).toEqual([]);
		expect(poller.size).toBeLessThan(200_000);
		expect(poller.poll([...logs, createEntry('dated')])).toEqual(['dated']);
	});

	test('with thousands of dates far in the future still emits what is finished now', () => {
		const { poll } = createPoller();
		const logs = createEntries(20_000).map((log, i) =>
			i % 2 === 0 ? log : { ...log, createdAt: '9999-12-31T23:59:59.999Z' },
		);
		poll(logs);
		expect(poll([...logs, createEntry('now')])).toEqual(['now']);
	});

	test('that grows within one millisecond is bounded, and does not flood', () => {
		const poller = createPoller();
		const logs = Array.from({ length: 30_000 }, (_, i) => createEntry(`log-${i}`));
		poller.poll(logs.slice(0, 4_000));
		expect(poller.poll(logs)).toHaveLength(26_000);
		expect(poller.size).toBeLessThan(200_000);
		expect(poller.poll(logs)).toEqual([]);
	});

	test('of which all logs are of one millisecond emits what is later', () => {
		const poller = createPoller();
		const logs = Array.from({ length: 12_000 }, (_, i) => createEntry(`log-${i}`));
		expect(poller.poll(logs)).toEqual([]);
		const later = createEntry('later', { createdAt: new Date(START + 1).toISOString() });
		expect(poller.poll([...logs, later])).toEqual(['later']);
		expect(poller.poll([later, ...logs])).toEqual([]);
	});
});
