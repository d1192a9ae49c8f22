import { readServiceMessage } from '../../../nodes/VideoGeneration/request/readServiceMessage';

describe("The service's own words", () => {
	test.each([
		[{ message: 'A' }, 'A'],
		[{ error: 'B' }, 'B'],
		[{ error: { message: 'C' } }, 'C'],
		[{ detail: 'D' }, 'D'],
		[{ message: ' ', error: 'B' }, 'B'],
		[{ message: 5, detail: 'D' }, 'D'],
	])('are found in %j', (body, expected) => {
		expect(readServiceMessage(body)).toBe(expected);
	});

	test.each([undefined, null, 'text', {}, { message: '' }, { error: { code: 1 } }, []])(
		'are missing in %j',
		(body) => {
			expect(readServiceMessage(body)).toBeUndefined();
		},
	);

	test('become one line without markup', () => {
		expect(
			readServiceMessage({ message: '<b>No</b>\n\tcredits\u0000 <script>x</script>left' }),
		).toBe('No credits x left');
	});

	test('are cut at 300 characters', () => {
		expect(readServiceMessage({ message: 'x'.repeat(10_000) })).toBe(`${'x'.repeat(299)}…`);
	});
});
