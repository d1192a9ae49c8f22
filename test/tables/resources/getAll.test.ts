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
const SAME = ['x', 'y', 'z'].map((id) => video(id, '2026-01-01T00:00:00Z'));
const SECOND = Date.parse('2026-01-02T00:00:00Z');
const NEWEST_FIRST = ['c', 'bare', 'b', 'a', 'unreadable', 'missing'];

test.each([
	['put the newest first, in any zone, and those without a date last', {}, NEWEST_FIRST],
	['keep the order of the service for videos of the same time', {}, ['x', 'y', 'z'], SAME],
	['select a project', { projectId: 'p2' }, ['c', 'a']],
	['select what is later', { createdAfter: SECOND }, ['c', 'bare']],
	['select what is earlier', { createdBefore: SECOND }, ['a']],
	['and between', { createdAfter: SECOND - 1, createdBefore: SECOND + 1 }, ['b']],
])('The filters of Video > Get Many %s', (_what, filter, expected, from = videos) => {
	const all = { projectId: '', createdAfter: undefined, createdBefore: undefined };
	const before = [...from];
	expect(selectVideos(from, { ...all, ...filter }).map(({ id }) => id)).toEqual(expected);
	expect(from).toEqual(before);
});
