import fc from 'fast-check';
import { hashText } from '../../../nodes/VideoGeneration/api/hash';
import { identifyEntry } from '../../../nodes/VideoGeneration/api/videoLog';

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

test('The hash of a text is that of FNV-1a with 64 bits, folded to 53', () => {
	const hash = (text: string) =>
		[...Array(text.length).keys()].reduce(
			(value, i) => BigInt.asUintN(64, (value ^ BigInt(text.charCodeAt(i))) * 0x100000001b3n),
			0xcbf29ce484222325n,
		);
	expect(hash('foobar')).toBe(0x85944171f73967e8n);
	fc.assert(
		fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
			const published = hash(text);
			const folded = (published >> 53n) ^ BigInt.asUintN(53, published);
			expect(hashText(text)).toBe(Number(folded));
		}),
		{ seed: 1, numRuns: 300 },
	);
});
