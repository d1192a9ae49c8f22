import { parseRange } from '../../../../sandbox/http/fileRoutes';

it.each([
	[undefined, null],
	['bytes=0-', { start: 0, end: 99 }],
	['bytes=0-0', { start: 0, end: 0 }],
	['bytes=10-19', { start: 10, end: 19 }],
	['bytes=90-500', { start: 90, end: 99 }],
	['bytes=-10', { start: 90, end: 99 }],
	['bytes=-500', { start: 0, end: 99 }],
	['bytes=100-', 'unsatisfiable'],
	['bytes=-0', 'unsatisfiable'],
	['bytes=19-10', null],
	['bytes=-', null],
	['bytes=0-1,5-6', null],
	['lines=1-2', null],
])('Range "%s" of 100 bytes', (header, range) => {
	expect(parseRange(header, 100)).toEqual(range);
});
