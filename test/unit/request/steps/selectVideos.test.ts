import { selectVideos } from '../../../../nodes/VideoGeneration/request/steps/selectVideos';

const video = (id: string, createdAt: unknown, projectId = 'p1') => ({
	id,
	createdAt: createdAt as string,
	projectId,
});
const ids = (videos: { id?: unknown }[]) => videos.map(({ id }) => id);

describe('Selecting videos', () => {
	const videos = [
		video('b', '2026-01-02T00:00:00Z'),
		video('unreadable', 'soon'),
		video('c', '2026-01-03T01:00:00+02:00', 'p2'),
		video('a', '2026-01-01T00:00:00Z', 'p2'),
		video('missing', undefined),
	];

	test('puts the newest first, whatever their time zones, and those without a readable date last', () => {
		expect(ids(selectVideos(videos, {}))).toEqual(['c', 'b', 'a', 'unreadable', 'missing']);
	});

	test('keeps the order of the service for videos of the same time', () => {
		const same = ['x', 'y', 'z'].map((id) => video(id, '2026-01-01T00:00:00Z'));
		expect(ids(selectVideos(same, {}))).toEqual(['x', 'y', 'z']);
	});

	test('keeps the videos of one project', () => {
		expect(ids(selectVideos(videos, { projectId: 'p2' }))).toEqual(['c', 'a']);
	});

	test('keeps the videos between two times, both exclusive, and none whose time is not known', () => {
		const second = Date.parse('2026-01-02T00:00:00Z');
		expect(ids(selectVideos(videos, { createdAfter: second }))).toEqual(['c']);
		expect(ids(selectVideos(videos, { createdBefore: second }))).toEqual(['a']);
		expect(
			ids(selectVideos(videos, { createdAfter: second - 1, createdBefore: second + 1 })),
		).toEqual(['b']);
	});

	test('leaves the list that it is given as it is', () => {
		const before = ids(videos);
		selectVideos(videos, {});
		expect(ids(videos)).toEqual(before);
	});
});
