import fc from 'fast-check';
import { hideKey, toLine } from '../../../nodes/VideoGeneration/api/response';

describe("The service's words lose the key", () => {
	test.each([
		['as it was sent', String],
		['as it stands in a link', encodeURIComponent],
	])('%s, whatever it is', (_how, write) => {
		const keys = fc.string({ minLength: 8, maxLength: 80 });
		fc.assert(
			fc.property(keys, (key) => {
				const hidden = hideKey(`No key "${write(key)}", ${write(key)}`, key);
				expect(hidden).toBe('No key "[API key]", [API key]');
			}),
			{ seed: 1, numRuns: 200 },
		);
	});
});

test('Words are shown as one line without markup, of at most 300 characters', () => {
	expect(toLine('<b>No</b>\n\tcredits\u0000 <script>x</script>left')).toBe('No credits x left');
	expect(toLine('<br><br>')).toBe('');
	expect(toLine('x'.repeat(10_000))).toBe(`${'x'.repeat(299)}…`);
});

test('Words of the largest size are shown within milliseconds, whatever they are', () => {
	const before = process.cpuUsage();
	const hostile = ['<', '<a', ' ', '\u0000', 'A'];
	for (const text of hostile) toLine(text.repeat(Math.ceil(1e6 / text.length)));
	expect(process.cpuUsage(before).user / 1000 / hostile.length).toBeLessThan(100);
});
