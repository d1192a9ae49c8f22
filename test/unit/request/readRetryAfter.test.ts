import { readRetryAfter } from '../../../nodes/VideoGeneration/request/readRetryAfter';

const NOW = Date.parse('2026-03-01T12:00:00Z');

describe('Retry-After', () => {
	test.each([
		['1', 1000],
		[' 120 ', 120_000],
		['0', 0],
		['0.5', 500],
		[2, 2000],
	])('of %j is %d ms', (value, expected) => {
		expect(readRetryAfter({ 'retry-after': value }, NOW)).toBe(expected);
	});

	test("as a date is held against the answer's own Date, not against this machine's clock", () => {
		const headers = {
			'retry-after': 'Wed, 01 Jan 2025 00:00:07 GMT',
			date: 'Wed, 01 Jan 2025 00:00:02 GMT',
		};
		expect(readRetryAfter(headers, NOW)).toBe(5000);
	});

	test("as a date is held against this machine's clock when the answer has no readable Date", () => {
		const headers = { 'retry-after': 'Sun, 01 Mar 2026 12:00:03 GMT', date: 'soon' };
		expect(readRetryAfter(headers, NOW)).toBe(3000);
	});

	test('of a time that has passed is 0', () => {
		expect(readRetryAfter({ 'retry-after': 'Sun, 01 Mar 2026 11:00:00 GMT' }, NOW)).toBe(0);
	});

	test.each([undefined, '', 'soon', '-1', null, ['1', '2']])('of %j is no hint', (value) => {
		expect(readRetryAfter({ 'retry-after': value }, NOW)).toBeUndefined();
	});
});
