import fc from 'fast-check';
import type { LoggedVideo, WaitingItem } from '../../../nodes/VideoGeneration/waiting/ownVideos';
import { FreeVideos, decideOwners } from '../../../nodes/VideoGeneration/waiting/ownVideos';
import {
	DEFAULT_COMPLETED_STATUSES,
	DEFAULT_FAILED_STATUSES,
	getStatus,
	getVerdict,
	parseStatusWords,
} from '../../../nodes/VideoGeneration/waiting/status';

type Item = WaitingItem & { name: string };

const item = (name: string, more: Partial<WaitingItem> = {}): Item => ({
	...{ name, projectId: 'p', runningTick: 0, settledTick: 10, waits: 1 },
	...more,
});

const video = (id: string, more: Partial<LoggedVideo> = {}): LoggedVideo => ({
	...{ entry: { id }, projectId: 'p', createdAt: 0, shownTick: 5, isOwned: false },
	...more,
});

function createFree(videos: LoggedVideo[]): FreeVideos {
	const free = new FreeVideos();
	for (const each of videos.toSorted((a, b) => a.shownTick - b.shownTick)) free.add(each);
	return free;
}

/** Returns the ID of each item's own entry, and the broken projects. */
function decide(items: Item[], videos: LoggedVideo[]) {
	const { own, broken } = decideOwners(items, createFree(videos));
	return {
		own: items.map((each) => own.get(each)?.entry.id),
		broken: [...broken],
	};
}

describe('A settled item', () => {
	test.each([
		['of its project', {}, {}, 'v'],
		['of any project, if its own is not known', { projectId: undefined }, { projectId: 'q' }, 'v'],
		['without a project', {}, { projectId: '' }, 'v'],
		['of another project', {}, { projectId: 'q' }, undefined],
		['that was shown when it was last seen running', { runningTick: 5 }, {}, undefined],
		['that was shown after that', { runningTick: 4 }, {}, 'v'],
		['that was shown when it was settled', { settledTick: 5 }, {}, 'v'],
		['that was shown after that', { settledTick: 4 }, {}, undefined],
	])('is given a single entry %s: %j, %j', (_what, ofItem, ofVideo, expected) => {
		expect(decide([item('a', ofItem)], [video('v', ofVideo)]).own).toEqual([expected]);
	});

	test.each([
		['that was never seen running', { runningTick: undefined }],
		['that left the queue', { hasLeft: true }],
		['that is not settled', { settledTick: undefined }],
		['that knows its address', { videoUrl: 'https://x.example' }],
	])('%s is given none', (_what, more) => {
		expect(decide([item('a', more)], [video('v')]).own).toEqual([undefined]);
	});

	test('leaves its entry to no sibling, through any number of them', () => {
		const items = [
			item('c', { runningTick: 0, settledTick: 30 }),
			item('b', { runningTick: 0, settledTick: 20 }),
			item('a', { runningTick: 0, settledTick: 10 }),
		];
		const videos = [5, 15, 25].map((shownTick) => video(`v${shownTick}`, { shownTick }));
		expect(decide(items, videos).own).toEqual(['v25', 'v15', 'v5']);
	});

	test.each([
		['without a candidate', [item('a')], []],
		['with the same single candidate as another', [item('a'), item('b')], [video('v')]],
	])('%s breaks the assumption for its project', (_what, items, videos) => {
		const other = item('other', { projectId: 'q' });
		const decision = decide([...items, other], [...videos, video('w', { projectId: 'q' })]);
		expect(decision.broken).toEqual(['p']);
		expect(decision.own.filter(Boolean)).toEqual(['w']);
	});

	test('of an unknown project without a candidate breaks the assumption for all', () => {
		const unknown = item('a', { projectId: undefined, runningTick: 5 });
		const decision = decide([unknown, item('b')], [video('v')]);
		expect(decision.broken).toEqual([undefined]);
		expect(decision.own).toEqual([undefined, undefined]);
	});
});

describe('Candidates', () => {
	test('are listed by their date, the newest first and those without a date last', () => {
		const videos = [3, 0, 1, 2].map((time) => video(String(time), { createdAt: time }));
		expect(
			createFree(videos)
				.list(item('a'))
				.map(({ entry }) => entry.id),
		).toEqual([...['3', '2', '1', '0']]);
	});

	test.each([1, -1])('are the 100 newest of 5,000, and all are counted (direction: %d)', (sign) => {
		const videos = Array.from({ length: 5_000 }, (_, i) =>
			video(String(i), { createdAt: 10_000 + sign * i }),
		);
		const free = createFree(videos);
		const listed = free.list(item('a'));
		expect(free.count(item('a'))).toBe(5_000);
		expect(listed.map(({ createdAt }) => createdAt)).toEqual(
			videos
				.map(({ createdAt }) => createdAt)
				.sort((a, b) => b - a)
				.slice(0, 100),
		);
	});

	test('do not contain what an item was given', () => {
		const [given, other] = [video('v'), video('w')];
		const free = createFree([given, other]);
		free.remove(given);
		expect(free.list(item('a'))).toEqual([other]);
	});
});

describe('For any items and entries', () => {
	const tick = fc.integer({ min: 0, max: 6 });
	const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 4 });
	const items = fc.array(
		fc
			.record({
				name: fc.constant(''),
				projectId: maybe(fc.constantFrom('p', 'q')),
				runningTick: maybe(tick),
				settledTick: maybe(tick),
				hasLeft: fc.constantFrom(false, false, true),
				waits: fc.constantFrom(0, 1),
			})
			.map((one) => ({
				...one,
				settledTick:
					one.settledTick === undefined ? undefined : one.settledTick + (one.runningTick ?? 0),
			})),
		{ minLength: 1, maxLength: 6 },
	);
	const videos = fc.array(
		fc.record({
			entry: fc.constant({}),
			projectId: fc.constantFrom('p', 'q', ''),
			createdAt: fc.constant(0),
			shownTick: fc.integer({ min: 1, max: 7 }),
			isOwned: fc.constant(false),
		}),
		{ maxLength: 6 },
	);

	/** States the rule directly, for one item and one entry. */
	const canBeOwn = (one: WaitingItem, { projectId, shownTick }: LoggedVideo) =>
		(one.projectId === undefined || projectId === '' || projectId === one.projectId) &&
		(one.runningTick === undefined || shownTick > one.runningTick) &&
		(one.settledTick === undefined || shownTick <= one.settledTick);

	test('an item is given an entry exactly when all others are ruled out', () => {
		fc.assert(
			fc.property(items, videos, (all, shown) => {
				const { own, broken } = decideOwners(all, createFree(shown));
				const open = all.filter(
					({ settledTick, runningTick, hasLeft }) =>
						settledTick !== undefined && runningTick !== undefined && !hasLeft,
				);
				const candidates = new Map(
					open.map((one) => [one, new Set(shown.filter((each) => canBeOwn(one, each)))]),
				);
				for (let isChanged = true; isChanged;) {
					isChanged = false;
					for (const [one, its] of candidates) {
						const [only] = its;
						if (its.size !== 1 || only === undefined) continue;
						for (const [other, others] of candidates) {
							if (other !== one && others.delete(only)) isChanged = true;
						}
					}
				}
				const without = open.filter((one) => candidates.get(one)?.size === 0);
				expect(broken.size > 0).toBe(without.length > 0);
				if (without.length === 0) {
					expect(all.map((one) => own.get(one))).toEqual(
						all.map((one) => {
							const its = candidates.get(one);
							return its?.size === 1 ? [...its][0] : undefined;
						}),
					);
				}
				for (const { projectId } of own.keys()) {
					expect(broken.has(projectId) || broken.has(undefined)).toBe(false);
				}
			}),
			{ numRuns: 3_000 },
		);
	});
});

describe('The progress of a queue item', () => {
	const WORDS = {
		completed: parseStatusWords(DEFAULT_COMPLETED_STATUSES),
		failed: parseStatusWords(DEFAULT_FAILED_STATUSES),
	};

	test.each([
		[{ status: 'completed' }, 'finished'],
		[{ status: 'COMPLETED' }, 'finished'],
		[{ status: ' Done ' }, 'finished'],
		[{ status: 'success' }, 'finished'],
		[{ status: 'pending' }, 'running'],
		[{ status: 'a word nobody knows' }, 'running'],
		[{ status: '' }, 'running'],
		[{ status: null }, 'running'],
		[{ status: 5 }, 'running'],
		[{}, 'running'],
		[{ status: 'failed' }, 'failed'],
		[{ status: 'Error' }, 'failed'],
		[{ status: 'canceled' }, 'failed'],
		[{ status: 'rendering', videoUrl: 'https://x/v.mp4' }, 'finished'],
		[{ status: 'rendering', videoUrl: null }, 'running'],
		[{ status: 'rendering', videoUrl: ' ' }, 'running'],
		[{ status: 'failed', videoUrl: 'https://x/v.mp4' }, 'failed'],
		[{ status: 'rendering', generationProgress: 100, renderProgress: 100 }, 'running'],
	])('of %j is %s', (details, expected) => {
		expect(getVerdict(details, WORDS)).toBe(expected);
	});

	test('goes by the words of the user', () => {
		const words = {
			completed: parseStatusWords(' Im Kasten ,READY'),
			failed: parseStatusWords('verpatzt'),
		};
		expect(getVerdict({ status: 'im kasten' }, words)).toBe('finished');
		expect(getVerdict({ status: 'ready' }, words)).toBe('finished');
		expect(getVerdict({ status: 3 }, { ...words, completed: parseStatusWords('2, 3') })).toBe(
			'finished',
		);
		expect(getVerdict({ status: 'Verpatzt' }, words)).toBe('failed');
		expect(getVerdict({ status: 'completed' }, words)).toBe('running');
	});

	test('needs an address when the user has left no word', () => {
		const words = { completed: parseStatusWords(' , '), failed: parseStatusWords('') };
		expect(getVerdict({ status: '' }, words)).toBe('running');
		expect(getVerdict({ status: '', videoUrl: 'https://x' }, words)).toBe('finished');
	});

	test.each([
		[{ status: 'rendering' }, 'rendering'],
		[{ status: 3 }, '3'],
		[{ status: null }, 'unknown'],
		[{}, 'unknown'],
	])('of %j is told as %s', (details, expected) => {
		expect(getStatus(details)).toBe(expected);
	});
});
