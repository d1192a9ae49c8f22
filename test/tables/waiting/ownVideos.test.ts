import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { EntryNames } from '../../../nodes/VideoGeneration/api/videoLog';
import type { Claim, QueueItem } from '../../../nodes/VideoGeneration/waiting/ownVideos';
import {
	decideOwners,
	findListed,
	ListedVideo,
	listNames,
	pickNamed,
} from '../../../nodes/VideoGeneration/waiting/ownVideos';

const DATE = Date.parse('2026-01-01T00:00:00.000Z');

/** An entry of project p that was first shown after so many seconds. */
const listVideo = (id: string, shown: number, more: Partial<ListedVideo> = {}) => {
	const seconds = { createdAt: DATE + shown * 1_000, shownAt: shown * 1_000 };
	const { createdAt, projectId, shownAt } = { ...seconds, projectId: 'p', ...more };
	return new ListedVideo({ id, createdAt }, projectId, shownAt);
};

/** The claim of an item of project p with a Listing Delay of 10 s. */
function createClaim(known: Partial<QueueItem>, more: Partial<Claim> = {}): Claim {
	const item = { queueId: 'item', projectId: 'p', claims: new Set<Claim>(), ...known };
	const claim = { item, listingDelayMs: 10_000, hasLeft: false, ...more };
	item.claims.add(claim);
	return claim;
}

// Times are in seconds.
const sent = (at: number, more: Partial<Claim> = {}, ofItem: Partial<QueueItem> = {}) =>
	createClaim({ sentAt: at * 1_000, ...ofItem }, more);
const seen = (at: number, more: Partial<Claim> = {}) =>
	createClaim({}, { runningAt: at * 1_000, ...more });
const queued = (at: number, ofItem: Partial<QueueItem> = {}) =>
	createClaim({ queuedAt: DATE + at * 1_000, ...ofItem });

const undated = listVideo('a', 10, { createdAt: undefined });

const LONG_ID = '0123456789abcdef';

describe('An item is named by an entry that has its queue ID', () => {
	const url = (text: string) => ({ url: text });
	test.each<[string, string, IDataObject, boolean]>([
		['in a field', LONG_ID, { queueItem: LONG_ID }, true],
		['in a segment of its path', LONG_ID, url(`https://cdn/${LONG_ID}/video.mp4?sig=1`), true],
		['as a number', '4611686018427387', { queueItem: 4_611_686_018_427_387 }, true],
		// JavaScript reads it as 12345678901234568.
		[
			'but not by a rounded one',
			'12345678901234568',
			JSON.parse('{"id":12345678901234567}') as IDataObject,
			false,
		],
		['in the name of its file', LONG_ID, url(`https://cdn/${LONG_ID}.mp4?sig=1`), true],
		['but not in a part of a name', LONG_ID, url(`https://cdn/x${LONG_ID}.mp4`), false],
		['but not in its query', LONG_ID, url(`https://cdn/video.mp4?id=/${LONG_ID}.mp4`), false],
		['but not if it is short', '0123456789abcde', { queueItem: '0123456789abcde' }, false],
	])('%s', (_, queueId, entry, isNamed) => {
		const item = sent(0, {}, { queueId });
		expect(new EntryNames([item, sent(1)], listNames).find(entry)).toEqual(isNamed ? [item] : []);
	});

	test('or exactly the address that its progress tells', () => {
		const item = sent(0, {}, { videoUrl: 'https://cdn/v?id=1' });
		const names = new EntryNames([item], listNames);
		expect(names.find(url('https://cdn/v?id=1'))).toEqual([item]);
		expect(names.find(url('https://cdn/v?id=2'))).toEqual([]);
	});
});

test('An entry that names two items is that of the one that had been queued by then', () => {
	const [first, second] = [queued(0), queued(60)];
	const pick = (at: number) => pickNamed([first, second], listVideo('a', at));
	expect([pick(30), pick(55), pick(90)]).toEqual([[first], [], [second]]);
});

type Row = [
	name: string,
	due: Claim[],
	videos: ListedVideo[],
	own: (string | undefined)[],
	missing: number,
	others?: Claim[],
	changedAt?: number,
];
const a = listVideo('a', 10);
const b = listVideo('b', 20);
const c = listVideo('c', 30);
const none = undefined;
const ofProject = (projectId: string) => listVideo('a', 10, { projectId });
const ofAny = sent(0, {}, { projectId: undefined });
const added = (at: number) => queued(at, { sentAt: 0 });
/** Its end was seen after 12 s, and the list settles it after 22 s. */
const ended = (running: number) =>
	createClaim({ sentAt: 0, queuedAt: DATE }, { runningAt: running * 1_000, dueAt: 22_000 });
const left = (at: number) => sent(at, { hasLeft: true });
test.each<Row>([
	['a single candidate is its own', [sent(0)], [a], ['a'], 0],
	['two cannot be told apart', [sent(0)], [a, b], [none], 0],
	['two items that can have the same two', [sent(0), sent(0)], [a, b], [none, none], 0],
	['what is one item’s own is no other’s', [sent(0), sent(15)], [a, b], ['a', 'b'], 0],
	['and so on', [sent(25), sent(15), sent(0)], [a, b, c], ['c', 'b', 'a'], 0],
	['two with the same only one: one is missing', [sent(0), sent(0)], [a], ['a', none], 1],
	['no candidate: it is missing', [sent(15)], [a], [none], 1],
	['an item that was seen running', [seen(25)], [a, b], ['b'], 0],
	['and its own is not listed', [seen(45)], [a, b], [none], 1],
	['one of unknown date that left', [seen(10, { hasLeft: true })], [a], [none], 0],
	['and what is listed after it ran', [seen(10, { hasLeft: true })], [a, b], ['b'], 0],
	['an item of known date', [queued(25)], [a, b], ['b'], 0],
	['two of known date with the same only one', [queued(5), queued(9)], [a], [none, 'a'], 1],
	['an item of known date whose own has left the list', [queued(45)], [a, b], [none], 0],
	['an item of which nothing is known', [createClaim({})], [a], [none], 0],
	['an item whose address is known', [sent(0, {}, { videoUrl: 'u' })], [a], [none], 0],
	['one that was shown when its add was sent', [sent(10)], [a, b], ['b'], 0],
	['the Listing Delay before it was found running', [seen(20)], [a], ['a'], 0],
	['longer before it was found running', [seen(20.001)], [a], [none], 1],
	['one of another project', [sent(0)], [ofProject('q')], [none], 1],
	['one of no project', [sent(0)], [ofProject('')], ['a'], 0],
	['any, where its own project is unknown', [ofAny], [ofProject('q')], ['a'], 0],
	['one that is the Listing Delay older than it', [queued(20)], [a], ['a'], 0],
	['one that is still older', [queued(20.001)], [a], [none], 0],
	['one that is older, though its add was sent here', [added(20.001)], [a], [none], 1],
	['one without a date', [queued(50)], [undated], ['a'], 0],
	['an item that left the queue', [left(0)], [a], ['a'], 0],
	['one that left without a video', [left(15)], [a], [none], 0],
	[
		'one that left, and a finished one that must be listed',
		[left(0), sent(5)],
		[a],
		[none, 'a'],
		0,
	],
	['two that left with the same only one', [left(0), left(5)], [a], [none, none], 0],
	['one that left beside one that is still waited for', [left(0)], [a], [none], 0, [sent(5)]],
	['one that left beside one that was added later', [left(0)], [a], ['a'], 0, [sent(15)]],
	['a finished one beside one that is still waited for', [sent(0)], [a], ['a'], 0, [sent(5)]],
	['one of a list with news since its end', [ended(11)], [a], ['a'], 0, [sent(5)], 12],
	['an older one of a list without', [ended(11)], [a], [none], 0, [sent(5)], 11.999],
	['a newer one of a list without', [ended(10)], [a], ['a'], 0, [sent(5)], 11.999],
	['one of a list without that can be no other’s', [ended(11)], [a], ['a'], 0, [], 11.999],
])(
	'Whose video is whose: %s',
	(_, due, videos, expected, missingCount, others = [], changed = 99) => {
		const { own, missing } = decideOwners(due, videos, [...due, ...others], changed * 1_000);
		expect(due.map((item) => own.get(item)?.entry.id)).toEqual(expected);
		expect(missing).toHaveLength(missingCount);
	},
);

const owed = (at: number) => queued(at, { sentAt: at * 1_000 });

test.each<[string, Claim[], ListedVideo[], boolean]>([
	['with an entry for each', [owed(0), owed(5)], [a, b], true],
	['with an entry that was shown after each add', [owed(15), owed(5)], [a, b], true],
	['with more', [owed(0)], [a, b, c], true],
	['but not with an older one', [owed(25)], [listVideo('a', 10, { shownAt: 30_000 })], false],
	['but not with one of unknown date', [owed(0)], [undated], false],
	['but not where the date of its item is not known', [sent(0)], [a], false],
])('What is owed is listed %s', (_, claims, videos, expected) => {
	for (const claim of claims) claim.owedUntil = Infinity;
	expect(findListed(claims, videos)).toHaveLength(expected ? claims.length : 0);
});

test('What counts as listed has an assignment in which each owed video has an entry of its own', () => {
	const running = fc.option(
		fc.nat(60).map((at) => at * 1_000),
		{ nil: undefined },
	);
	const owed = fc.tuple(fc.nat(30), running).map(([at, runningAt]) => {
		const claim = queued(at, { sentAt: at * 1_000 });
		return Object.assign(claim, { owedUntil: Infinity, runningAt });
	});
	const video = fc
		.tuple(fc.nat(60), fc.nat(20))
		.map(([shown, older]) => listVideo('v', shown, { createdAt: DATE + (shown - older) * 1_000 }));
	const canOwn = (claim: Claim, { createdAt = 0, shownAt }: ListedVideo) =>
		shownAt > (claim.item.sentAt ?? 0) &&
		shownAt >= (claim.runningAt ?? 0) - 10_000 &&
		createdAt >= (claim.item.queuedAt ?? 0) - 10_000;
	const canAssign = ([claim, ...claims]: Claim[], videos: ListedVideo[]): boolean =>
		claim === undefined ||
		videos.some(
			(each, index) => canOwn(claim, each) && canAssign(claims, videos.toSpliced(index, 1)),
		);
	const lists = [
		fc.array(owed, { minLength: 1, maxLength: 4 }),
		fc.array(video, { maxLength: 5 }),
	] as const;
	let listed = 0;
	fc.assert(
		fc.property(...lists, (claims, videos) => {
			const found = findListed(claims, videos);
			listed += found.length;
			return found.length === 0 || canAssign(claims, videos);
		}),
		{ numRuns: 40_000, seed: 77 },
	);
	expect(listed).toBeGreaterThan(100);
});

test('Entries that are new to many items by date alone, or by when they were shown, are not looked at for each item', () => {
	const count = 2_000;
	const numbers = Array.from({ length: count }, (_, i) => i);
	const due = numbers.map((i) => queued(1_000_000 + i, { sentAt: 1_000_000 + i }));
	let looks = 0;
	const free = numbers.map((i) => {
		const [createdAt, shownAt] = i % 2 === 0 ? [2_000_000 + i, 0] : [i, 2_000_000_000 + i];
		const video = listVideo(`${i}`, createdAt, { shownAt });
		return Object.defineProperty(video, 'shownAt', {
			get: () => {
				looks += 1;
				return shownAt;
			},
		});
	});
	decideOwners(due, free, due, Infinity);
	expect(looks).toBeLessThan(100 * count);
});

test('Items whose videos follow from one another are decided while n8n hardly stands still', () => {
	const count = 600;
	const numbers = Array.from({ length: count }, (_, i) => i);
	// The last one has a single candidate, which leaves the one before it a single one, and so on.
	const due = numbers.map((i) => queued(i * 60));
	const free = numbers.map((i) => listVideo(`${i}`, i * 60 + 30, { shownAt: 0 }));
	const startedAt = performance.now();
	const { own } = decideOwners(due, free, due, Infinity);
	expect(performance.now() - startedAt).toBeLessThan(15_000);
	expect(due.map((item) => own.get(item)?.entry.id)).toEqual(numbers.map(String));
});
