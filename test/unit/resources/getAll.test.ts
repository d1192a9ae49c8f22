import { parseDateTime, selectVideos } from '../../../nodes/VideoGeneration/resources/video/getAll';

const BERLIN = 'Europe/Berlin';

test.each([
	// Without a zone of its own, the workflow's is meant.
	['2026-01-31T12:00:00', 'UTC', '2026-01-31T12:00:00.000Z'],
	['2026-01-31T12:00:00.5', 'UTC', '2026-01-31T12:00:00.500Z'],
	['2026-01-31T12:00:00', BERLIN, '2026-01-31T11:00:00.000Z'],
	['2026-07-31T12:00:00', BERLIN, '2026-07-31T10:00:00.000Z'],
	['2026-03-29T01:59:00', BERLIN, '2026-03-29T00:59:00.000Z'],
	['2026-03-29T03:00:00', BERLIN, '2026-03-29T01:00:00.000Z'],
	['2026-01-31', 'America/New_York', '2026-01-31T05:00:00.000Z'],
	['2026-01-31 12:30', 'Asia/Kolkata', '2026-01-31T07:00:00.000Z'],
	['2026-01-31 9:05', 'Asia/Tokyo', '2026-01-31T00:05:00.000Z'],
	['2026-01-31T12:00:00Z', BERLIN, '2026-01-31T12:00:00.000Z'],
	['2026-01-31T12:00:00.123+02:00', BERLIN, '2026-01-31T10:00:00.123Z'],
	['2026-01-31T23:00:00-05:00', BERLIN, '2026-02-01T04:00:00.000Z'],
	['2026-01-31 12:00:00 America/New_York', BERLIN, '2026-01-31T17:00:00.000Z'],
	['2026-01-31T12:00:00[America/New_York]', BERLIN, '2026-01-31T17:00:00.000Z'],
	[new Date('2026-01-31T12:00:00Z'), BERLIN, '2026-01-31T12:00:00.000Z'],
])('The date %s of a filter, in a workflow in %s, is %s', (value, timeZone, expected) => {
	expect(new Date(parseDateTime(value, timeZone) ?? NaN).toISOString()).toBe(expected);
});

test.each([
	...['soon', '2026', '2026-02-31', '2026-13-01', '31.01.2026', '2026-01-31Tx', ''],
	...[true, {}, []],
])('%j is no date', (value) => {
	expect(parseDateTime(value, 'UTC')).toBeUndefined();
});

describe('The filters of Video > Get Many', () => {
	const video = (id: string, createdAt?: string, projectId = 'p1') => ({
		...{ id, projectId },
		...(createdAt && { createdAt }),
	});
	const videos = [
		video('b', '2026-01-02T00:00:00Z'),
		video('unreadable', 'soon'),
		video('c', '2026-01-03T01:00:00+02:00', 'p2'),
		video('bare', '2026-01-02T20:00:00'),
		video('a', '2026-01-01T00:00:00Z', 'p2'),
		video('missing'),
	];
	const ALL = { projectId: '', createdAfter: undefined, createdBefore: undefined };
	const select = (filter: Partial<Parameters<typeof selectVideos>[1]>, from = videos) =>
		selectVideos(from, { ...ALL, ...filter }).map(({ id }) => id);

	test('put the newest first, whatever their time zones, and those without a date last', () => {
		const before = [...videos];
		expect(select({})).toEqual(['c', 'bare', 'b', 'a', 'unreadable', 'missing']);
		expect(videos).toEqual(before);
	});

	test('keep the order of the service for videos of the same time', () => {
		const same = ['x', 'y', 'z'].map((id) => video(id, '2026-01-01T00:00:00Z'));
		expect(select({}, same)).toEqual(['x', 'y', 'z']);
	});

	test('select a project, and what lies between two times, both exclusive', () => {
		const second = Date.parse('2026-01-02T00:00:00Z');
		expect(select({ projectId: 'p2' })).toEqual(['c', 'a']);
		expect(select({ createdAfter: second })).toEqual(['c', 'bare']);
		expect(select({ createdBefore: second })).toEqual(['a']);
		expect(select({ createdAfter: second - 1, createdBefore: second + 1 })).toEqual(['b']);
	});
});
