import fc from 'fast-check';
import { hashText } from '../../../nodes/VideoGeneration/api/hashText';
import {
	createIsAtOrBefore,
	findEntry,
	identifyEntry,
	areKnownToDiffer,
	parseLogTime,
} from '../../../nodes/VideoGeneration/api/videoLog';

const NOON = '2026-01-15T12:00:00.000Z';
const toIso = (createdAt: unknown) => new Date(parseLogTime(createdAt) ?? NaN).toISOString();

describe('What is before a time without being parsed', () => {
	/** A date as services write it: with up to nine digits of a second, in any zone. */
	const write = (time: number, digits: string, zoneMinutes: number) => {
		const local = new Date(time + zoneMinutes * 60_000).toISOString().slice(0, 19);
		const ms = String(time % 1_000).padStart(3, '0');
		const [hours, minutes] = [Math.floor(Math.abs(zoneMinutes) / 60), Math.abs(zoneMinutes) % 60];
		const zone = [hours, minutes].map((part) => String(part).padStart(2, '0')).join(':');
		const sign = zoneMinutes < 0 ? '-' : '+';
		return `${local}.${ms}${digits}${zoneMinutes === 0 ? 'Z' : `${sign}${zone}`}`;
	};
	const MIN = Date.parse('2001-01-01');
	const time = fc.integer({ min: MIN, max: Date.parse('2100-01-01') });
	const apart = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -2e8, max: 2e8 }));
	const digits = fc.constantFrom('', '0', '001', '999', '999999');
	const zone = fc.oneof(
		fc.constant(0),
		fc.integer({ min: -14 * 4, max: 14 * 4 }).map((n) => n * 15),
	);

	test('is at or before it, in every zone and precision', () => {
		fc.assert(
			fc.property(time, apart, digits, zone, (at, ms, more, minutes) => {
				const precise = write(at + ms, more, minutes);
				for (const createdAt of [precise, precise.replace(/\.\d+/, '')]) {
					const isBefore = createIsAtOrBefore(at)(createdAt);
					if (isBefore) expect(parseLogTime(createdAt)).toBeLessThanOrEqual(at);
				}
			}),
			{ seed: 1, numRuns: 5_000 },
		);
	});

	test('is each date in UTC that is, and others that are so by a day and a half', () => {
		fc.assert(
			fc.property(time, fc.integer({ min: 1, max: 1e9 }), zone, (at, ms, minutes) => {
				expect(createIsAtOrBefore(at)(new Date(at - ms).toISOString())).toBe(true);
				expect(createIsAtOrBefore(at)(write(at - ms - 1.6 * 86_400_000, '', minutes))).toBe(true);
			}),
			{ seed: 2, numRuns: 1_000 },
		);
	});

	test.each([0, -1, Infinity, -Infinity, NaN])('is nothing of %d', (at) => {
		expect(createIsAtOrBefore(at)('2001-01-01T00:00:00.000Z')).toBe(false);
	});
});

describe('The time of an entry in the video log', () => {
	test('is that of its date, for every date from 1970 to 2109', () => {
		const [min, max] = [new Date(1), new Date('2109-05-15')];
		fc.assert(
			fc.property(fc.date({ min, max, noInvalidDate: true }), (date) => {
				expect(parseLogTime(date.toISOString())).toBe(date.getTime());
				expect(parseLogTime(date.toISOString().slice(0, -1))).toBe(date.getTime());
			}),
			{ seed: 1, numRuns: 500 },
		);
	});

	test.each([
		['2026-01-15T12:00:00Z', NOON],
		['2026-01-15T12:00:00.1234567Z', '2026-01-15T12:00:00.123Z'],
		['2026-01-15T12:00:00.000+09:00', '2026-01-15T03:00:00.000Z'],
		['2026-01-15T12:00:00-0330', '2026-01-15T15:30:00.000Z'],
		['2026-01-15T21:00:00+09', NOON],
		['2026-01-15 04:00:00.5-08', '2026-01-15T12:00:00.500Z'],
		['Thu, 15 Jan 2026 12:00:00 GMT', NOON],
		['Thu, 15 Jan 2026 12:00:00 EST', '2026-01-15T17:00:00.000Z'],
		['2026-01-15 12:00:00 UTC', NOON],
		['Thu Jan 15 2026 13:00:00 GMT+0100 (Central European Standard Time)', NOON],
		['September 5, 2026 1:00 PM', '2026-09-05T13:00:00.000Z'],
		['5-Jul-2026', '2026-07-05T00:00:00.000Z'],
		['2026-01-15', '2026-01-15T00:00:00.000Z'],
		['1768478400', NOON],
		['1768478400123', '2026-01-15T12:00:00.123Z'],
		[1768478400, NOON],
		[1768478400.1234, '2026-01-15T12:00:00.123Z'],
		[1768478400123, '2026-01-15T12:00:00.123Z'],
		[` ${NOON} `, NOON],
	])('in %j is %s', (createdAt, expected) => {
		expect(toIso(createdAt)).toBe(expected);
	});

	// The tests run in New York.
	test.each([
		...['2026-01-15T12:00:00', '2026-01-15t12:00:00', '2026-01-15 12:00', '2026/01/15 12:00:00'],
		...['2026-01-15T12:00:00.000', '2026-01-15T12:00:00.000000', 'Thu, 15 Jan 2026 12:00:00'],
	])('in "%s", which has no zone, is UTC', (createdAt) => {
		expect(toIso(createdAt)).toBe(NOON);
	});

	test.each([
		...['', 'soon', '2026-13-15T12:00:00.000Z', '1970-01-01T00:00:00.000Z'],
		...['05.07.2026', '25.12.2026', '7/5/26', '15-01-2026'],
		...['05.07.2026 12:00Z', '5/7/2026 12:00 UTC'],
		...['Jul 5', '5 Jul 26', 'maybe 5', '5 Maret 2026', '2026-07/05', '2026-07-051'],
		...['9999-12-31T23:59:59.999Z', null, 5, 17684784000, 253402300799, '2026011512000000', {}],
	])('is none when createdAt is %j', (createdAt) => {
		expect(parseLogTime(createdAt)).toBeUndefined();
	});
});

const ENTRY = {
	url: 'https://files.example.com/a.mp4?signature=1',
	projectId: 'p',
	createdAt: '2026-01-15T12:00:00.000Z',
};
const RENEWED = ENTRY.url.replace('signature=1', 'signature=2');

describe('An entry of the video log', () => {
	test.each([
		['has its ID, whatever else changes', { ...ENTRY, id: 'a' }, { id: 'a' }],
		['has its number as an ID', { id: 7 }, { id: '7' }],
		['has another signature in its address', ENTRY, { ...ENTRY, url: RENEWED }],
		['has another host in its address', ENTRY, { ...ENTRY, url: 'http://localhost:80/a.mp4' }],
		['has no ID but null', ENTRY, { ...ENTRY, id: null }],
		['has no ID but an empty text', ENTRY, { ...ENTRY, id: '' }],
		['has no ID but an object', ENTRY, { ...ENTRY, id: {} }],
	])('is the same one when it %s', (_what, one, other) => {
		expect(identifyEntry(one)).toBe(identifyEntry(other));
	});

	test.each([
		['ID', { id: 'a' }, { id: 'b' }],
		['ID, by a space', { id: 'a' }, { id: ' a' }],
		['address', ENTRY, { ...ENTRY, url: 'https://files.example.com/b.mp4' }],
		['project', ENTRY, { ...ENTRY, projectId: 'q' }],
		['date', ENTRY, { ...ENTRY, createdAt: '2026-01-15T12:00:01.000Z' }],
		['address, of a number that JavaScript rounds', { id: 2 ** 53 }, { ...ENTRY, id: 2 ** 53 }],
	])('is another one when it has another %s', (_what, one, other) => {
		expect(identifyEntry(one)).not.toBe(identifyEntry(other));
	});

	test('is none without ID, address, project and date', () => {
		expect(identifyEntry({ id: null, url: 5 })).toBeUndefined();
	});
});

describe('The entry of a video in a later list', () => {
	const [{ url, ...video }, other] = [ENTRY, { ...ENTRY, url: 'https://files.example.com/b.mp4' }];
	const before = { ...ENTRY, id: 'a' };
	test.each([
		['is signed anew', before, { ...before, url: RENEWED }],
		['has its ID as a number now', { ...ENTRY, id: '17' }, { ...ENTRY, id: 17, url: RENEWED }],
		['has its project as a number now', { ...before, projectId: '5' }, { id: 'a', projectId: 5 }],
		['is of another host', before, { ...before, url: 'https://new.example.com/a' }],
	])('is found when it %s', (_what, video, after) => {
		expect(findEntry([{ ...other, id: 'b' }, null, after], video)).toBe(after);
	});

	test('is not another one whose long number is rounded to the same', () => {
		const own = { ...ENTRY, id: 2 ** 60, url: RENEWED };
		expect(findEntry([{ ...other, id: 2 ** 60 }, own], { ...video, url, id: 2 ** 60 })).toBe(own);
		expect(findEntry([{ ...other, id: 2 ** 60 }], { ...video, url, id: 2 ** 60 })).toBeUndefined();
	});
});

test.each([
	[0, 999, false],
	[1_000, 0, true],
	[0, undefined, false],
])('Of dates of %p and %p ms, it is %p that they are of two things', (one, other, expected) => {
	expect(areKnownToDiffer(one, other)).toBe(expected);
});

// FNV-1a with 64 bits, folded to 53. Saved cursors and keys rely on these values.
test.each([
	['', 5239054864098682],
	['foobar', 5701457269056452],
	['\u00fc\u3042\ud83c\udfac\0', 2898361915581536],
	['log-1 '.repeat(5), 4367951728628530],
])('The hash of %j is %d', (text, hash) => {
	expect(hashText(text)).toBe(hash);
});
