import type { IDataObject } from 'n8n-workflow';
import type { StoredCursor } from '../../../nodes/VideoGeneration/trigger/parseCursor';
import { parseCursor } from '../../../nodes/VideoGeneration/trigger/parseCursor';
import type { Watch } from '../../../nodes/VideoGeneration/trigger/selectNewVideos';
import { selectNewVideos } from '../../../nodes/VideoGeneration/trigger/selectNewVideos';

const START = Date.parse('2026-01-15T12:00:00.000Z');
const WATCH: Watch = { account: 'abc', projectIds: [], emitExisting: false, isContinuous: true };

const createLog = (id: string, more: IDataObject = {}): IDataObject => ({
	id,
	url: `https://files.example.com/${id}.mp4`,
	projectId: 'p',
	createdAt: new Date(START).toISOString(),
	...more,
});
/** So many logs, one a minute, the last one now. */
const createLogs = (count: number, createId = (i: number) => `log-${i}`) =>
	Array.from({ length: count }, (_, i) =>
		createLog(createId(i), { createdAt: new Date(START - (count - i) * 60_000).toISOString() }),
	);

const pickDate = (log: IDataObject | undefined) => ({ createdAt: log?.createdAt });

/** Polls as the node does, with the state through JSON each time. */
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

describe('The first poll', () => {
	test('remembers what is there and hands on nothing', () => {
		const { poll } = createPoller();
		expect(poll(createLogs(3))).toEqual([]);
		expect(poll(createLogs(3))).toEqual([]);
	});

	test('of an account without a video is one, too: its first video is new', () => {
		const { poll } = createPoller();
		expect(poll([])).toEqual([]);
		expect(poll([createLog('first')])).toEqual(['first']);
	});

	test('hands on what is there, oldest first, where existing videos are wanted', () => {
		const { poll } = createPoller();
		const watch = { emitExisting: true };
		expect(poll(createLogs(3).reverse(), watch)).toEqual(['log-0', 'log-1', 'log-2']);
		expect(poll(createLogs(3), watch)).toEqual([]);
	});

	test('hands on all of 12,000 existing videos where they are wanted, and none of them again', () => {
		const { poll } = createPoller();
		const watch = { emitExisting: true };
		expect(poll(createLogs(12_000), watch)).toHaveLength(12_000);
		expect(poll(createLogs(12_000), watch)).toEqual([]);
	});
});

describe('A later poll', () => {
	test('takes an unseen ID for new even when its date is a year old, with 5,000 logs in all', () => {
		const { poll } = createPoller();
		const logs = createLogs(4_999);
		poll(logs);
		const late = createLog('late', { createdAt: '2025-01-15T12:00:00.000Z' });
		expect(poll([...logs, late])).toEqual(['late']);
		expect(poll([late, ...logs])).toEqual([]);
	});

	test('hands on two logs of one millisecond, one seen now and one later, once each', () => {
		const { poll } = createPoller();
		poll([]);
		expect(poll([createLog('a')])).toEqual(['a']);
		expect(poll([createLog('b'), createLog('a')])).toEqual(['b']);
		expect(poll([createLog('a'), createLog('b')])).toEqual([]);
	});

	test('sorts by the time that is meant, in any time zone; those without a date come last', () => {
		const { poll } = createPoller();
		poll([]);
		const logs = [
			createLog('undated', { createdAt: 'soon' }),
			createLog('third', { createdAt: '2026-01-15T12:00:00.000+00:00' }),
			createLog('first', { createdAt: '2026-01-15T20:00:00.000+09:00' }),
			createLog('fourth', { createdAt: '2026-01-15T12:00:00.500Z' }),
			createLog('second', { createdAt: '2026-01-15T11:30:00Z' }),
		];
		expect(poll(logs)).toEqual(['first', 'second', 'third', 'fourth', 'undated']);
	});

	test('hands on an ID once that is listed twice, or comes back, or gets another date', () => {
		const { poll } = createPoller();
		poll([]);
		expect(poll([createLog('a'), createLog('a')])).toEqual(['a']);
		expect(poll([])).toEqual([]);
		expect(poll([createLog('a', { createdAt: '2026-02-01T00:00:00.000Z' })])).toEqual([]);
	});

	test('leaves out what is no log, and tells logs without an ID by their address', () => {
		const { poll } = createPoller();
		poll([]);
		const junk = [null, 5, 'text', {}, []] as unknown as IDataObject[];
		const url = 'https://files.example.com/x.mp4?signature=';
		expect(poll([...junk, createLog('', { id: null, url: `${url}1` })])).toEqual([`${url}1`]);
		expect(poll([...junk, createLog('', { id: null, url: `${url}2` })])).toEqual([]);
	});

	test('keeps the very same cursor when there is nothing new', () => {
		const { cursor } = selectNewVideos(createLogs(10), 'absent', WATCH);
		expect(selectNewVideos(createLogs(10).reverse(), cursor, WATCH).cursor).toBe(cursor);
		expect(selectNewVideos([], cursor, WATCH).cursor).toBe(cursor);
	});

	test('that is repeated with the old cursor hands on the same again', () => {
		const { cursor } = selectNewVideos([], 'absent', WATCH);
		const first = selectNewVideos([createLog('a')], cursor, WATCH);
		expect(selectNewVideos([createLog('a')], cursor, WATCH)).toEqual(first);
	});
});

describe('A changed choice of projects', () => {
	const logs = [createLog('p1'), createLog('q1', { projectId: 'q' })];

	test('does not hand on what was there before', () => {
		const { poll } = createPoller();
		poll([], { projectIds: ['p'] });
		expect(poll(logs, { projectIds: ['p'] })).toEqual(['p1']);
		expect(poll(logs, { projectIds: ['p', 'q'] })).toEqual([]);
		expect(poll(logs, { projectIds: [] })).toEqual([]);
	});

	test('hands on what is finished in an added project from then on', () => {
		const { poll } = createPoller();
		poll(logs, { projectIds: ['p'] });
		expect(poll([...logs, createLog('q2', { projectId: 'q' })], { projectIds: ['q'] })).toEqual([
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
		expect(poll([...logs, createLog('q2', { projectId: 'q' })], watch)).toEqual(['q2']);
	});

	test('is none when only the order has changed', () => {
		const { cursor } = selectNewVideos(logs, 'absent', { ...WATCH, projectIds: ['p', 'q'] });
		const again = selectNewVideos(logs, cursor, { ...WATCH, projectIds: ['q', 'p', 'q'] });
		expect(again.cursor).toBe(cursor);
	});
});

describe('Another account', () => {
	const foreign = createLogs(3, (i) => `foreign-${i}`);

	test('does not flood: what it has is remembered', () => {
		const { poll } = createPoller();
		poll(createLogs(3));
		expect(poll(foreign, { account: 'xyz' })).toEqual([]);
		expect(poll([...foreign, createLog('new')], { account: 'xyz' })).toEqual(['new']);
	});

	test('does not flood after an empty one, nor when existing videos were wanted', () => {
		const { poll } = createPoller();
		poll([], { emitExisting: true });
		expect(poll(foreign, { account: 'xyz', emitExisting: true })).toEqual([]);
	});

	test('that is empty has its first video handed on', () => {
		const { poll } = createPoller();
		poll(createLogs(3));
		expect(poll([], { account: 'xyz' })).toEqual([]);
		expect(poll([createLog('first')], { account: 'xyz' })).toEqual(['first']);
	});

	test('is not taken from a list that is empty for once, with a new key', () => {
		const { poll } = createPoller();
		poll(createLogs(3));
		expect(poll([], { account: 'xyz' })).toEqual([]);
		expect(poll(createLogs(3), { account: 'xyz' })).toEqual([]);
	});

	test('is none when only the key is new: what has been finished meanwhile is handed on', () => {
		const { poll } = createPoller();
		poll(createLogs(3));
		expect(poll([...createLogs(3), createLog('new')], { account: 'xyz' })).toEqual(['new']);
	});
});

describe('A large account', () => {
	test.each([5_000, 5_001, 10_000, 10_001, 20_000])(
		'of %i logs is remembered in less than 256 KB, and none of them is handed on',
		(count) => {
			const poller = createPoller();
			const logs = createLogs(count, (i) => `${i}-${'ü"\\🎬'.repeat(200)}`);
			expect(poller.poll(logs)).toEqual([]);
			expect(poller.poll([...logs].reverse())).toEqual([]);
			expect(poller.size).toBeLessThan(190_000);
		},
	);

	test('of 20,000 logs hands on what is later than its newest 5,000, also late and of one millisecond', () => {
		const { poll } = createPoller();
		const logs = createLogs(20_000);
		poll(logs);
		const late = createLog('late', pickDate(logs[15_001]));
		const old = createLog('old', pickDate(logs[14_998]));
		const undated = createLog('undated', { createdAt: 'soon' });
		expect(poll([undated, old, late, ...logs])).toEqual(['late', 'undated']);
		expect(poll([...logs, undated, old, late])).toEqual([]);
	});

	test('that is listed in part for once does not flood when it is whole again', () => {
		const { poll } = createPoller();
		const logs = createLogs(20_000);
		poll(logs);
		expect(poll(logs.slice(0, 100))).toEqual([]);
		expect(poll([])).toEqual([]);
		expect(poll(logs)).toEqual([]);
	});

	test('may grow by 30,000 videos: each is handed on once, and the state stays small', () => {
		const poller = createPoller();
		const logs = createLogs(36_000);
		poller.poll(logs.slice(0, 6_000));
		const handedOn: unknown[] = [];
		for (let count = 6_000; count <= 36_000; count += 1_500) {
			handedOn.push(...poller.poll(logs.slice(0, count)));
			expect(poller.size).toBeLessThan(190_000);
		}
		expect(handedOn).toEqual(logs.slice(6_000).map(({ id }) => id));
	});

	test('without any readable date is bounded, and does not flood', () => {
		const poller = createPoller();
		const logs = createLogs(20_000).map((log) => ({ ...log, createdAt: 'soon' }));
		expect(poller.poll(logs)).toEqual([]);
		expect(poller.poll(logs)).toEqual([]);
		expect(poller.size).toBeLessThan(190_000);
		expect(poller.poll([...logs, createLog('dated')])).toEqual(['dated']);
	});

	test('with thousands of dates far in the future still hands on what is finished now', () => {
		const { poll } = createPoller();
		const logs = createLogs(20_000).map((log, i) =>
			i % 2 === 0 ? log : { ...log, createdAt: '9999-12-31T23:59:59.999Z' },
		);
		poll(logs);
		expect(poll([...logs, createLog('now')])).toEqual(['now']);
	});

	test('that grows within one millisecond is bounded, and does not flood', () => {
		const poller = createPoller();
		const logs = Array.from({ length: 30_000 }, (_, i) => createLog(`log-${i}`));
		poller.poll(logs.slice(0, 9_000));
		expect(poller.poll(logs)).toHaveLength(21_000);
		expect(poller.size).toBeLessThan(190_000);
		expect(poller.poll(logs)).toEqual([]);
	});

	test('of which all logs are of one millisecond hands on what is later', () => {
		const poller = createPoller();
		const logs = Array.from({ length: 12_000 }, (_, i) => createLog(`log-${i}`));
		expect(poller.poll(logs)).toEqual([]);
		const later = createLog('later', { createdAt: new Date(START + 1).toISOString() });
		expect(poller.poll([...logs, later])).toEqual(['later']);
		expect(poller.poll([later, ...logs])).toEqual([]);
	});
});
