import { hashText } from '../../nodes/VideoGeneration/api/hash';

/** The formats of services' IDs, with minimal differences between two of them. */
const FORMS: [string, (i: number) => string][] = [
	['counted', (i) => String(i)],
	['counted after a word', (i) => `video_${i}`],
	['counted before a word', (i) => `${i}-video`],
	['object IDs', (i) => `65a5${i.toString(16).padStart(8, '0')}d1f2e3c4b5a6`],
	[
		'UUIDs that differ in one block',
		(i) => `a3bb189e-8bf9-3888-9912-${i.toString(16).padStart(12, '0')}`,
	],
	['very long', (i) => 'x'.repeat(100) + String(i) + 'y'.repeat(100)],
	[
		'of one letter, of every length',
		(i) => String.fromCharCode(97 + (i % 2000)) + 'a'.repeat(i / 2000),
	],
];

describe('The hash of an ID', () => {
	test.each([
		['', 0xcbf29ce484222325n],
		['a', 0xaf63dc4c8601ec8cn],
		['foobar', 0x85944171f73967e8n],
	])('of %j is that of FNV-1a with 64 bits, folded to 53', (text, published) => {
		const folded = (published >> 53n) ^ BigInt.asUintN(53, published);
		expect(hashText(text)).toBe(Number(folded));
	});

	test.each(['', 'a', 'x'.repeat(100_000), 'ünï\u0000 "\\ 🎬', '__proto__'])(
		'is a whole number that JSON keeps: %#',
		(text) => {
			expect(Number.isSafeInteger(hashText(text))).toBe(true);
			expect(hashText(text)).toBe(hashText(text));
		},
	);

	test.each(FORMS)('is unique among 100,000 IDs that are %s', (_form, create) => {
		const hashes = Array.from({ length: 100_000 }, (_, i) => hashText(create(i)));
		expect(new Set(hashes).size).toBe(100_000);
	});

	test('depends on letter case, spaces and order', () => {
		const texts = ['ab', 'ba', 'Ab', ' ab', 'ab ', 'aab', 'abb', 'a b', 'a\u0000b', '\u0000ab'];
		expect(new Set(texts.map(hashText)).size).toBe(texts.length);
	});
});
