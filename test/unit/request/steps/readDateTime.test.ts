import { readDateTime } from '../../../../nodes/VideoGeneration/request/steps/readDateTime';

const read = (value: unknown, timeZone = 'UTC') => {
	const time = readDateTime(value, timeZone);
	return time === undefined ? undefined : new Date(time).toISOString();
};

describe('A date', () => {
	test.each([
		['2026-01-31T12:00:00', 'UTC', '2026-01-31T12:00:00.000Z'],
		['2026-01-31T12:00:00', 'Europe/Berlin', '2026-01-31T11:00:00.000Z'],
		['2026-07-31T12:00:00', 'Europe/Berlin', '2026-07-31T10:00:00.000Z'],
		['2026-03-29T01:59:00', 'Europe/Berlin', '2026-03-29T00:59:00.000Z'],
		['2026-03-29T03:00:00', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
		['2026-01-31', 'America/New_York', '2026-01-31T05:00:00.000Z'],
		['2026-01-31 12:30', 'Asia/Kolkata', '2026-01-31T07:00:00.000Z'],
		['2026-01-31T12:00:00.5', 'UTC', '2026-01-31T12:00:00.500Z'],
	])("of %s without a time zone is meant in the workflow's: %s", (value, timeZone, expected) => {
		expect(read(value, timeZone)).toBe(expected);
	});

	test.each([
		['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
		['2026-01-31T12:00:00.123+02:00', '2026-01-31T10:00:00.123Z'],
		[new Date('2026-01-31T12:00:00Z'), '2026-01-31T12:00:00.000Z'],
	])('of %s with a time zone keeps it', (value, expected) => {
		expect(read(value, 'Asia/Kolkata')).toBe(expected);
	});

	test.each(['soon', '2026', '2026-02-31', '2026-13-01', '31.01.2026', '2026-01-31Tx', 5, {}])(
		'%j is none',
		(value) => {
			expect(read(value)).toBeUndefined();
		},
	);
});
