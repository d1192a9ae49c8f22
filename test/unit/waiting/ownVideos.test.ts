import type { IDataObject } from 'n8n-workflow';
import type { ListedVideo, QueueItem } from '../../../nodes/VideoGeneration/waiting/ownVideos';
import {
	decideOwners,
	findCandidates,
	ItemNames,
} from '../../../nodes/VideoGeneration/waiting/ownVideos';

const DATE = Date.parse('2026-01-01T00:00:00.000Z');

/** An entry of project p that was first shown after so many seconds. */
const listVideo = (id: string, shown: number, more: Partial<ListedVideo> = {}): ListedVideo => ({
	...{ entry: { id }, key: id, projectId: 'p', createdAt: DATE + shown * 1_000 },
	shownAt: shown * 1_000,
	...more,
});

/** An item of project p with a Listing Delay of 10 s. Its times are in seconds. */
function createItem(
	queueId: string,
	{
		sent,
		queued,
		running,
		...more
	}: Partial<QueueItem> & Record<'sent' | 'queued' | 'running', number | undefined>,
): QueueItem {
	return {
		...{ queueId, projectId: 'p', listingDelayMs: 10_000 },
		sentAt: sent === undefined ? undefined : sent * 1_000,
		queuedAt: queued === undefined ? undefined : DATE + queued * 1_000,
		runningAt: running === undefined ? undefined : running * 1_000,
		...more,
	};
}

const NONE = { sent: undefined, queued: undefined, running: undefined };
const sent = (at: number, more: Partial<QueueItem> = {}) =>
	createItem('item', { ...NONE, sent: at, ...more });
const seen = (sentAt: number | undefined, runningAt: number, more: Partial<QueueItem> = {}) =>
	createItem('item', { ...NONE, sent: sentAt, running: runningAt, ...more });
const queued = (at: number, more: Partial<QueueItem> = {}) =>
	createItem('item', { ...NONE, queued: at, ...more });

const LONG_ID = '0123456789abcdef';

describe('The entries that can be the own one of an item', () => {
	test.each<[string, QueueItem, ListedVideo[], string[]]>([
		['were shown after its add was sent', sent(5), [listVideo('a', 5), listVideo('b', 6)], ['b']],
		[
			'were not shown more than the Listing Delay before it was found running',
			...[seen(5, 30), [listVideo('a', 19), listVideo('b', 20)]],
			['b'],
		] as [string, QueueItem, ListedVideo[], string[]],
		[
			'are of its project, or of none',
			sent(0),
			[
				listVideo('a', 1),
				listVideo('b', 2, { projectId: 'q' }),
				listVideo('c', 3, { projectId: '' }),
			],
			['a', 'c'],
		],
		[
			'are of any project where its own is unknown',
			sent(0, { projectId: undefined }),
			[listVideo('a', 1), listVideo('b', 2, { projectId: 'q' })],
			['a', 'b'],
		],
		[
			'are not older than an item that was queued elsewhere',
			queued(50),
			[listVideo('a', 39), listVideo('b', 40), listVideo('c', 41), listVideo('d', 60)],
			['b', 'c', 'd'],
		],
		[
			'may have no date',
			queued(50),
			[listVideo('a', 1, { createdAt: undefined }), listVideo('b', 1)],
			['a'],
		],
		[
			'may have any date if this run had read the list before its add',
			{ ...queued(50), sentAt: 0, isListKnown: true },
			[listVideo('a', 1)],
			['a'],
		],
		[
			'are not older than its add otherwise',
			{ ...queued(50), sentAt: 0 },
			[listVideo('a', 1), listVideo('b', 41)],
			['b'],
		],
	])('%s', (_, item, videos, expected) => {
		const { candidates } = findCandidates(item, videos);
		expect(candidates.map(({ key }) => key)).toEqual(expected);
	});
});

describe('An item is named by an entry that has its queue ID', () => {
	const url = (text: string) => ({ url: text });
	test.each<[string, string, IDataObject, boolean]>([
		['in a field', LONG_ID, { queueItem: LONG_ID }, true],
		['in a segment of its path', LONG_ID, url(`https://cdn/${LONG_ID}/video.mp4?sig=1`), true],
		['in the name of its file', LONG_ID, url(`https://cdn/${LONG_ID}.mp4?sig=1`), true],
		['but not in a part of a name', LONG_ID, url(`https://cdn/x${LONG_ID}.mp4`), false],
		['but not in its query', LONG_ID, url(`https://cdn/video.mp4?id=/${LONG_ID}.mp4`), false],
		['but not if it is short', '0123456789abcde', { queueItem: '0123456789abcde' }, false],
	])('%s', (_, queueId, entry, isNamed) => {
		const item = { ...sent(0), queueId };
		expect(new ItemNames([item, sent(1)]).find(entry)).toBe(isNamed ? item : undefined);
	});

	test('or exactly the address that its progress tells', () => {
		const item = sent(0, { videoUrl: 'https://cdn/v?id=1' });
		const names = new ItemNames([item]);
		expect(names.find(url('https://cdn/v?id=1'))).toBe(item);
		expect(names.find(url('https://cdn/v?id=2'))).toBeUndefined();
	});
});

describe('Whose video is whose', () => {
	type Row = [string, QueueItem[], ListedVideo[], (string | undefined)[], (string | undefined)[]];
	const a = listVideo('a', 10);
	const b = listVideo('b', 20);
	const c = listVideo('c', 30);
	test.each<Row>([
		['a single candidate is its own', [sent(0)], [a], ['a'], []],
		['two cannot be told apart', [sent(0)], [a, b], [undefined], []],
		[
			'two items that can have the same two',
			[sent(0), sent(0)],
			[a, b],
			[undefined, undefined],
			[],
		],
		['what is one item’s own is no other’s', [sent(0), sent(15)], [a, b], ['a', 'b'], []],
		['and so on', [sent(25), sent(15), sent(0)], [a, b, c], ['c', 'b', 'a'], []],
		['two with the same only one', [sent(0), sent(0)], [a], [undefined, undefined], ['p']],
		['no candidate: nothing is listed as assumed', [sent(15)], [a], [undefined], ['p']],
		[
			'no candidate: no other item of the project is given one',
			[sent(15), sent(25)],
			[c],
			[undefined, undefined],
			['p'],
		],
		[
			'but one of another project is',
			[sent(35), sent(0, { projectId: 'q' })],
			[listVideo('q', 1, { projectId: 'q' })],
			[undefined, 'q'],
			['p'],
		],
		['an item that was seen running', [seen(undefined, 25)], [a, b], ['b'], []],
		['and its own is not listed', [seen(undefined, 45)], [a, b], [undefined], ['p']],
		['an item of known date', [queued(25)], [a, b], ['b'], []],
		[
			'two of known date with the same only one',
			[queued(5), queued(9)],
			[a],
			[undefined, undefined],
			['p'],
		],
		['an item of known date whose own has left the list', [queued(45)], [a, b], [undefined], []],
		['an item of which nothing is known', [createItem('item', NONE)], [a], [undefined], []],
		['an item that left the queue', [sent(0, { hasLeft: true })], [a], ['a'], []],
		['one that was cleared', [sent(15, { hasLeft: true })], [a], [undefined], []],
		['an item whose address is known', [sent(0, { videoUrl: 'u' })], [a], [undefined], []],
	])('%s', (_, items, videos, expected, unreliableProjects) => {
		const { own, unreliable } = decideOwners(items.map((item) => findCandidates(item, videos)));
		expect(items.map((item) => own.get(item)?.key)).toEqual(expected);
		expect([...unreliable]).toEqual(unreliableProjects);
	});

	test.each([
		['the project', 'p', undefined],
		['another project', 'q', 'a'],
		['an unknown project', undefined, undefined],
	])('after %s was not listed as assumed', (_, project, expected) => {
		const item = sent(0);
		const { own } = decideOwners([findCandidates(item, [a])], new Set([project]));
		expect(own.get(item)?.key).toBe(expected);
	});
});
