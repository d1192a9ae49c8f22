import { HASH_LENGTH, hashText } from '../../../nodes/VideoGeneration/trigger/hashText';

const COUNT = 100_000;

/** How many texts share the first characters of their hash with another one before them. */
function countCollisions(createText: (i: number) => string, length = HASH_LENGTH): number {
	const seen = new Set<string>();
	for (let i = 0; i < COUNT; i++) seen.add(hashText(createText(i)).slice(0, length));
	return COUNT - seen.size;
}

/** The forms that services give their IDs, with as little difference between two as there can be. */
const FORMS: [string, (i: number) => string][] = [
	['counted', (i) => String(i)],
	['counted behind a word', (i) => `video_${i}`],
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
	test.each(['', 'a', 'x'.repeat(100_000), 'ünï\u0000 "\\ 🎬', '__proto__'])(
		'has 11 characters that JSON need not escape: %#',
		(text) => {
			expect(hashText(text)).toMatch(/^[\w-]{11}$/);
			expect(hashText(text)).toBe(hashText(text));
		},
	);

	test.each(FORMS)('is another one for each of 100,000 IDs that are %s', (_form, createText) => {
		expect(countCollisions(createText)).toBe(0);
	});

	test.each(FORMS)('is as even as chance where IDs are %s', (_form, createText) => {
		// With 36 bits, chance alone has 100,000^2 / 2^37 = 0.07 of them collide.
		expect(countCollisions(createText, 6)).toBeLessThan(4);
	});

	test('depends on letter case, spaces and order', () => {
		const texts = ['ab', 'ba', 'Ab', ' ab', 'ab ', 'aab', 'abb', 'a b', 'a\u0000b', '\u0000ab'];
		expect(new Set(texts.map(hashText)).size).toBe(texts.length);
	});
});
