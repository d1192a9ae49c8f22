import fc from 'fast-check';
import { readVideoTime, UNDATED } from '../../../nodes/VideoGeneration/trigger/readVideoTime';

describe('The time of a log', () => {
	test('is what the date says, for every date from 1970 to 2109', () => {
		const dates = fc.date({
			min: new Date('1970-01-01T00:00:00.001Z'),
			max: new Date('2109-05-15T00:00:00.000Z'),
			noInvalidDate: true,
		});
		fc.assert(
			fc.property(dates, (date) => {
				expect(readVideoTime(date.toISOString())).toBe(date.getTime());
			}),
			{ seed: 1, numRuns: 2000 },
		);
	});

	test.each([
		['2024-02-29T23:59:59.999Z', '2024-02-29T23:59:59.999Z'],
		['2026-01-15T12:00:00Z', '2026-01-15T12:00:00.000Z'],
		['2026-01-15T12:00:00.1234567Z', '2026-01-15T12:00:00.123Z'],
		['2026-01-15T12:00:00.000+09:00', '2026-01-15T03:00:00.000Z'],
		['2026-01-15T12:00:00-0330', '2026-01-15T15:30:00.000Z'],
		['Thu, 15 Jan 2026 12:00:00 GMT', '2026-01-15T12:00:00.000Z'],
		['2026-01-15', '2026-01-15T00:00:00.000Z'],
		[' 2026-01-15T12:00:00.000Z ', '2026-01-15T12:00:00.000Z'],
	])('%s is %s', (createdAt, expected) => {
		expect(new Date(readVideoTime(createdAt)).toISOString()).toBe(expected);
	});

	test.each(['2026-01-15T12:00:00', '2026-01-15 12:00', '2026-01-15T12:00:00.000'])(
		'without a time zone, %s, is UTC wherever n8n runs',
		(createdAt) => {
			expect(new Date(readVideoTime(createdAt)).toISOString()).toBe('2026-01-15T12:00:00.000Z');
		},
	);

	test.each([
		'',
		'soon',
		'2026-13-15T12:00:00.000Z',
		'2026-00-15T12:00:00.000Z',
		'2026-01-32T12:00:00.000Z',
		'2026-01-15T25:00:00.000Z',
		'2026-01-15T12:61:00.000Z',
		'20x6-01-15T12:00:00.000Z',
		'0001-01-01T00:00:00.000Z',
		'1970-01-01T00:00:00.000Z',
		'2200-01-01T00:00:00.000Z',
		'9999-12-31T23:59:59.999Z',
		null,
		undefined,
		1768478400000,
		{},
		[],
	])('is none when createdAt is %j', (createdAt) => {
		expect(readVideoTime(createdAt)).toBe(UNDATED);
	});
});
