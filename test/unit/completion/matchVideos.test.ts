import fc from 'fast-check';
import type {
	LoggedVideo,
	QueuedVideo,
} from '../../../nodes/VideoGeneration/completion/matchVideos';
import { canBeVideoOf, matchVideos } from '../../../nodes/VideoGeneration/completion/matchVideos';

const queued = (more: Partial<QueuedVideo> = {}): QueuedVideo => ({
	projectId: 'p',
	notBefore: 1_001,
	lastRunningRead: 0,
	...more,
});
const logged = (id: string, more: Partial<LoggedVideo> = {}): LoggedVideo => ({
	entry: { id, url: `http://x/${id}` },
	projectId: 'p',
	createdAt: 5_001,
	firstSeenRead: 1,
	...more,
});

describe('An entry of the video log', () => {
	test.each([
		['of another project', {}, { projectId: 'q' }, false],
		[
			'of any project, when that of the item is not known',
			{ projectId: undefined },
			{ projectId: 'q' },
			true,
		],
		['logged before the item was queued', { notBefore: 5_002 }, {}, false],
		['logged in the same millisecond', { notBefore: 5_001 }, {}, true],
		[
			'logged in the same second, by a log that keeps no more',
			{ notBefore: 5_900 },
			{ createdAt: 5_000 },
			true,
		],
		[
			'logged in the second before, by such a log',
			{ notBefore: 6_100 },
			{ createdAt: 5_000 },
			false,
		],
		['without a readable date', { notBefore: 9_000 }, { createdAt: undefined }, true],
		['when it is not known when the item was queued', { notBefore: undefined }, {}, true],
		[
			'that was there while the item was running',
			{ lastRunningRead: 1 },
			{ firstSeenRead: 1 },
			false,
		],
		[
			'that came after the item was last seen running',
			{ lastRunningRead: 1 },
			{ firstSeenRead: 2 },
			true,
		],
	])('%s: can it be the item’s?', (_what, item, video, expected) => {
		expect(canBeVideoOf(queued(item), logged('a', video))).toBe(expected);
	});
});

describe('Matching', () => {
	const match = (finished: QueuedVideo[], videos: LoggedVideo[], undecided: QueuedVideo[] = []) => {
		const matches = matchVideos(finished, undecided, videos);
		return finished.map((item) => {
			const found = matches.get(item);
			if (!found) return undefined;
			return 'video' in found
				? found.video.entry.id
				: found.candidates.map(({ entry }) => entry.id);
		});
	};

	test('gives an item the only entry that can be its own', () => {
		expect(
			match(
				[queued()],
				[logged('a'), logged('b', { projectId: 'q' }), logged('c', { createdAt: 1 })],
			),
		).toEqual(['a']);
	});

	test('gives nothing when two can be, and names both', () => {
		expect(match([queued()], [logged('a'), logged('b')])).toEqual([['a', 'b']]);
	});

	test('gives nothing when there is none', () => {
		expect(match([queued()], [])).toEqual([[]]);
	});

	test('infers from what can only be another item’s', () => {
		const first = queued({ notBefore: 1_001 });
		const second = queued({ notBefore: 6_001 });
		expect(
			match(
				[first, second],
				[logged('a', { createdAt: 5_001 }), logged('b', { createdAt: 9_001 })],
			),
		).toEqual(['a', 'b']);
	});

	test('does not tell two items apart that were finished alike', () => {
		expect(match([queued(), queued()], [logged('a'), logged('b')])).toEqual([
			['a', 'b'],
			['a', 'b'],
		]);
	});

	test('gives a third item what two others cannot have between them', () => {
		const early = () => queued({ lastRunningRead: 0 });
		const videos = [logged('a'), logged('b'), logged('c', { projectId: 'q' })];
		expect(match([early(), early(), queued({ projectId: undefined })], videos)).toEqual([
			['a', 'b'],
			['a', 'b'],
			'c',
		]);
	});

	test('gives nobody the one entry of two finished items, of which one is not logged yet', () => {
		expect(match([queued(), queued()], [logged('a')])).toEqual([['a'], ['a']]);
	});

	test('leaves open what may be the video of an item that was given up on', () => {
		expect(match([queued()], [logged('a')], [queued()])).toEqual([['a']]);
		expect(match([queued()], [logged('a')], [queued({ projectId: 'q' })])).toEqual(['a']);
	});

	test('goes by the address where the progress tells it', () => {
		expect(
			match([queued({ videoUrl: 'http://x/b' }), queued()], [logged('a'), logged('b')]),
		).toEqual(['b', 'a']);
		expect(match([queued({ videoUrl: 'http://elsewhere' })], [logged('a')])).toEqual(['a']);
	});

	test('of 500 items of one project ends', () => {
		const items = Array.from({ length: 500 }, (_, i) => queued({ notBefore: 1_001 + i }));
		const videos = Array.from({ length: 500 }, (_, i) => logged(`v${i}`, { createdAt: 2_001 + i }));
		expect(match(items, videos)).toHaveLength(500);
	});
});

type Way = Map<QueuedVideo, LoggedVideo>;

/** Every way to give items a video each, or none. */
function listWays(items: QueuedVideo[], videos: LoggedVideo[]): Way[] {
	const [item, ...rest] = items;
	if (item === undefined) return [new Map<QueuedVideo, LoggedVideo>()];
	const without = listWays(rest, videos);
	const withOne = videos
		.filter((video) => canBeVideoOf(item, video))
		.flatMap((video) =>
			listWays(
				rest,
				videos.filter((other) => other !== video),
			).map((way) => new Map(way).set(item, video)),
		);
	return [...without, ...withOne];
}

/** Whatever the undecided items have, as many of the finished ones as can be have theirs of the rest. */
function listAssignments(finished: QueuedVideo[], undecided: QueuedVideo[], videos: LoggedVideo[]) {
	return listWays(undecided, videos).flatMap((taken) => {
		const gone = new Set(taken.values());
		const ways = listWays(
			finished,
			videos.filter((video) => !gone.has(video)),
		);
		const most = Math.max(...ways.map(({ size }) => size));
		return ways.filter(({ size }) => size === most);
	});
}

describe('For any items and videos', () => {
	const time = fc.integer({ min: 1, max: 4 }).map((t) => t * 1000 + 1);
	const project = fc.constantFrom('p', 'q');
	const item = fc.record({
		projectId: fc.option(project, { nil: undefined }),
		notBefore: fc.option(time, { nil: undefined }),
		lastRunningRead: fc.integer({ min: 0, max: 2 }),
	});
	const video = fc.record({
		projectId: project,
		createdAt: fc.option(time, { nil: undefined }),
		firstSeenRead: fc.integer({ min: 1, max: 3 }),
	});

	test('an item gets a video exactly when it is its own in every way, and no video is given twice', () => {
		fc.assert(
			fc.property(
				fc.array(item, { minLength: 1, maxLength: 3 }),
				fc.array(item, { maxLength: 1 }),
				fc.array(video, { maxLength: 4 }),
				(finished, undecided, plainVideos) => {
					const videos = plainVideos.map((plain, i) => ({ ...plain, entry: { id: String(i) } }));
					const matches = matchVideos(finished, undecided, videos);
					const ways = listAssignments(finished, undecided, videos);
					const given = new Set<LoggedVideo>();
					for (const each of finished) {
						const choices = new Set(ways.map((way) => way.get(each)));
						const [only] = choices;
						const found = matches.get(each);
						const got = found && 'video' in found ? found.video : undefined;
						const own = choices.size === 1 ? only : undefined;
						// With an item that was given up on, it may be told less, but never wrong.
						if (got || undecided.length === 0) expect(got).toBe(own);
						if (got) {
							expect(given.has(got)).toBe(false);
							given.add(got);
						}
					}
					for (const each of finished) {
						const found = matches.get(each);
						if (!found || 'video' in found) continue;
						const possible = videos.filter((one) => canBeVideoOf(each, one) && !given.has(one));
						expect(found.candidates).toEqual(possible);
					}
				},
			),
			{ numRuns: 500 },
		);
	});
});
