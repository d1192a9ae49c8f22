import fc from 'fast-check';
import { hashBytes, hashText } from '../../nodes/VideoGeneration/api/hash';

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
	test.each(['', 'a', 'x'.repeat(100_000), 'ünï\u0000 "\\ 🎬', '__proto__'])(
		'has 11 characters that JSON need not escape: %#',
		(text) => {
			expect(hashText(text)).toMatch(/^[\w-]{11}$/);
			expect(hashText(text)).toBe(hashText(text));
		},
	);

	test.each(FORMS)(
		'is unique among 100,000 IDs that are %s, and evenly spread',
		(_form, create) => {
			const hashes = Array.from({ length: 100_000 }, (_, i) => hashText(create(i)));
			expect(new Set(hashes).size).toBe(100_000);
			// Chance alone gives 100,000^2 / 2^37 = 0.07 pairs with the same first 36 bits.
			const prefixes = new Set(hashes.map((hash) => hash.slice(0, 6)));
			expect(100_000 - prefixes.size).toBeLessThan(4);
		},
	);

	test('depends on letter case, spaces and order', () => {
		const texts = ['ab', 'ba', 'Ab', ' ab', 'ab ', 'aab', 'abb', 'a b', 'a\u0000b', '\u0000ab'];
		expect(new Set(texts.map(hashText)).size).toBe(texts.length);
	});
});

describe('The hash of bytes', () => {
	const bytes = fc.uint8Array({ minLength: 1, maxLength: 100 });
	const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

	test('is the same for the same bytes, wherever they lie in memory', () => {
		fc.assert(
			fc.property(bytes, fc.integer({ min: 0, max: 9 }), (content, offset) => {
				const moved = new Uint8Array(content.length + offset);
				moved.set(content, offset);
				expect(hashBytes(moved.subarray(offset))).toBe(hashBytes(content));
			}),
		);
	});

	test('changes with every byte, and with every byte more or less', () => {
		fc.assert(
			fc.property(bytes, place, fc.integer({ min: 1, max: 255 }), (content, share, change) => {
				const at = Math.floor(share * content.length);
				const changed = content.map((byte, i) => (i === at ? byte ^ change : byte));
				const shorter = content.filter((_, i) => i !== at);
				const longer = Uint8Array.of(...content, 0);
				const hashes = [content, changed, shorter, longer].map(hashBytes);
				expect(new Set(hashes).size).toBe(hashes.length);
			}),
			{ numRuns: 2_000 },
		);
	});

	test.each([[8], [16], [24]])(
		'differs for 65,536 bodies that differ in two bytes, %i bytes apart',
		(apart) => {
			const body = Buffer.alloc(64, '{"videos":[]}');
			const hashes = Array.from({ length: 65_536 }, (_, i) => {
				const content = Uint8Array.from(body);
				content[3] = i & 255;
				content[3 + apart] = i >> 8;
				return hashBytes(content);
			});
			expect(new Set(hashes).size).toBe(65_536);
		},
	);
});
