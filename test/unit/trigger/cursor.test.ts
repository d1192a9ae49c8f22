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

describe('A later poll', () => {
	test('remembers which projects are watched now, also without a new video', () => {
		const log = [createEntry('a')];
		const { cursor } = selectNewVideos(log, 'absent', { ...WATCH, projectIds: ['p'] });
		const later = selectNewVideos(log, cursor, { ...WATCH, projectIds: ['p', 'q'] });
		expect(later.cursor).toMatchObject({ projects: ['p', 'q'], changes: cursor.changes + 1 });
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

	test('keeps the very same cursor when only the order of the watched projects has changed', () => {
		const { cursor } = selectNewVideos([], 'absent', { ...WATCH, projectIds: ['p', 'q'] });
		const again = selectNewVideos([], cursor, { ...WATCH, projectIds: ['q', 'p', 'q'] });
		expect(again.cursor).toBe(cursor);
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

describe('A large account', () => {
	test.each([5_000, 20_000])(
		'of %i logs is remembered in less than 200 KB, and none of them is emitted',
		(count) => {
			const poller = createPoller();
			const logs = createEntries(count, (i) => `${i}-${'ü"\\🎬'.repeat(200)}`);
			expect(poller.poll(logs)).toEqual([]);
			expect(poller.poll([...logs].reverse())).toEqual([]);
			expect(poller.size).toBeLessThan(200_000);
		},
	);

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

	test('emits a video whose date is unset or only looks old', () => {
		const { poll } = createPoller();
		const entries = createEntries(20_000);
		poll(entries);
		const videos = [
			...['0001-01-01T00:00:00.000Z', '1970-01-01T00:00:00.000Z', '0000-00-00T00:00:00Z'],
			...['2020-13-01T00:00:00Z', '2020-01-01T25:00:00.000Z', '2020-01-01Tsoon+02:00'],
		].map((createdAt) => createEntry(createdAt, { createdAt }));
		expect(poll([...videos, ...entries])).toEqual(videos.map(({ id }) => id));
		expect(poll([...entries, ...videos])).toEqual([]);
	});

	test('without any readable date is bounded, and does not flood', () => {
		const poller = createPoller();
		const logs = createEntries(20_000).map((log) => ({ ...log, createdAt: 'soon' }));
		expect(poller.poll(logs)).toEqual([]);
		expect(poller.poll(logs)).toEqual([]);
		expect(poller.size).toBeLessThan(200_000);
		expect(poller.poll([...logs, createEntry('dated')])).toEqual(['dated']);
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
