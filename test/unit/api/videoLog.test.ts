import { execFileSync } from 'node:child_process';
import path from 'node:path';
import fc from 'fast-check';
import { parseLogTime, putFirst } from '../../../nodes/VideoGeneration/api/videoLog';

const MODULE = path.resolve(__dirname, '../../../nodes/VideoGeneration/api/videoLog.ts');
const NOON = '2026-01-15T12:00:00.000Z';
const toIso = (createdAt: unknown) => new Date(parseLogTime(createdAt) ?? NaN).toISOString();

describe('The time of an entry in the video log', () => {
	test('is that of its date, for every date from 1970 to 2109', () => {
		const dates = fc.date({
			min: new Date('1970-01-01T00:00:00.001Z'),
			max: new Date('2109-05-15T00:00:00.000Z'),
			noInvalidDate: true,
		});
		fc.assert(
			fc.property(dates, (date) => {
				expect(parseLogTime(date.toISOString())).toBe(date.getTime());
				expect(parseLogTime(date.toISOString().slice(0, -1))).toBe(date.getTime());
			}),
			{ seed: 1, numRuns: 2000 },
		);
	});

	test.each([
		['2024-02-29T23:59:59.999Z', '2024-02-29T23:59:59.999Z'],
		['2026-01-15T12:00:00Z', NOON],
		['2026-01-15T12:00:00.1234567Z', '2026-01-15T12:00:00.123Z'],
		['2026-01-15T12:00:00.000+09:00', '2026-01-15T03:00:00.000Z'],
		['2026-01-15T12:00:00-0330', '2026-01-15T15:30:00.000Z'],
		['2026-01-15T21:00:00+09', NOON],
		['2026-01-15 04:00:00.5-08', '2026-01-15T12:00:00.500Z'],
		['Thu, 15 Jan 2026 12:00:00 GMT', NOON],
		['Thu, 15 Jan 2026 12:00:00 EST', '2026-01-15T17:00:00.000Z'],
		['2026-01-15 12:00:00 UTC', NOON],
		['2026-01-15', '2026-01-15T00:00:00.000Z'],
		[` ${NOON} `, NOON],
	])('in "%s" is %s', (createdAt, expected) => {
		expect(toIso(createdAt)).toBe(expected);
	});

	const WITHOUT_ZONE = [
		...['2026-01-15T12:00:00', '2026-01-15t12:00:00', '2026-01-15 12:00', '2026/01/15 12:00:00'],
		...['2026-01-15T12:00:00.000', '2026-01-15T12:00:00.000000', 'Thu, 15 Jan 2026 12:00:00'],
	];

	test('in a date without a zone is UTC, on a machine in any zone', () => {
		const zones = ['UTC', 'Asia/Tokyo', 'America/New_York'];
		// A time zone applies to a whole process, and jest's tests cannot set theirs.
		const script = `
			const { parseLogTime } = require(${JSON.stringify(MODULE)});
			console.log(JSON.stringify(${JSON.stringify(zones)}.map((zone) => {
				process.env.TZ = zone;
				return [new Date(0).getTimezoneOffset(), ${JSON.stringify(WITHOUT_ZONE)}.map(parseLogTime)];
			})));`;
		const output = execFileSync(process.execPath, ['--require', 'tsx/cjs', '-e', script]);
		const times = JSON.parse(output.toString()) as [number, number[]][];
		expect(times.map(([offset]) => offset)).toEqual([0, -540, 300]);
		for (const [, each] of times) {
			expect(each.map((time) => new Date(time).toISOString())).toEqual(
				WITHOUT_ZONE.map(() => NOON),
			);
		}
	});

	test.each([
		...['', 'soon', '2026-13-15T12:00:00.000Z', '1970-01-01T00:00:00.000Z'],
		...['9999-12-31T23:59:59.999Z', null, 1768478400000, {}],
	])('is none when createdAt is %j', (createdAt) => {
		expect(parseLogTime(createdAt)).toBeUndefined();
	});
});

test('An entry that is handed on begins with what people use first, and keeps everything', () => {
	const entry = { prompt: 'The sea', projectId: 'p', id: 7, createdAt: null, cost: 1 };
	const ordered = putFirst(entry);
	expect(ordered).toEqual(entry);
	expect(Object.keys(ordered)).toEqual(['id', 'createdAt', 'projectId', 'prompt', 'cost']);
});
