import fc from 'fast-check';
import type { Watch } from '../../../nodes/VideoGeneration/trigger/cursor';
import { parseCursor, selectNewVideos } from '../../../nodes/VideoGeneration/trigger/cursor';
import { hashText } from '../../../nodes/VideoGeneration/api/hash';
import { identifyEntry } from '../../../nodes/VideoGeneration/api/videoLog';

const WATCH: Watch = { account: 'abc', projectIds: ['p'], emitExisting: true, isContinuous: true };

const LOG = [{ id: 'a' }, { id: 'b' }];

const SOUND = JSON.parse(JSON.stringify(selectNewVideos(LOG, 'damaged', WATCH).cursor)) as Record<
	string,
	unknown
>;

const REQUIRED = Object.keys(SOUND).filter((key) => key !== 'isUndatedForgotten');

const ENTRY = {
	url: 'https://files.example.com/a.mp4?signature=1',
	projectId: 'p',
	createdAt: '2026-01-15T12:00:00.000Z',
};

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

describe('A cursor that was saved', () => {
	test('is parsed as it was saved', () => {
		expect(parseCursor(SOUND)).toEqual(SOUND);
	});

	test('is absent when nothing was saved yet', () => {
		expect(parseCursor(undefined)).toBe('absent');
	});

	test.each([
		...REQUIRED.map((key) => ({ ...SOUND, [key]: undefined })),
		{ ...SOUND, version: 2 },
		{ ...SOUND, account: 7 },
		{ ...SOUND, projects: 'short' },
		{ ...SOUND, floor: 1.5 },
		{ ...SOUND, floor: 2 ** 42 },
		{ ...SOUND, changes: '5' },
		{ ...SOUND, videos: 'short' },
		{},
		null,
		{ lastTimeChecked: '2026-01-15T12:00:00.000Z', processedIds: ['a'] },
	])('is damaged when it is %j', (value) => {
		expect(parseCursor(value)).toBe('damaged');
	});

	test('can be any JSON: nothing throws, and existing videos do not flood the workflow', () => {
		fc.assert(
			fc.property(fc.jsonValue(), fc.constantFrom(...Object.keys(SOUND)), (value, key) => {
				for (const saved of [value, { ...SOUND, [key]: value }]) {
					const stored = parseCursor(saved);
					const { videos, cursor } = selectNewVideos(LOG, stored, WATCH);
					// A sound cursor lacks one of the two entries only when a user edited it.
					if (stored === 'damaged') expect(videos).toEqual([]);
					expect(selectNewVideos(LOG, parseCursor(cursor), WATCH).videos).toEqual([]);
				}
			}),
			{ seed: 1, numRuns: 500 },
		);
	});
});

describe('An entry of the video log is identified', () => {
	test('by its ID alone, whatever else changes', () => {
		const identity = identifyEntry({ ...ENTRY, id: 'a' });
		expect(identifyEntry({ id: 'a' })).toBe(identity);
		expect(identifyEntry({ ...ENTRY, id: 'b' })).not.toBe(identity);
		expect(identifyEntry({ ...ENTRY, id: ' a' })).not.toBe(identity);
	});

	test('alike by a number and its digits', () => {
		expect(identifyEntry({ id: 7 })).toBe(identifyEntry({ id: '7' }));
	});

	test.each([undefined, null, '', {}, [], true])(
		'by its address, project and date when its ID is %j',
		(id) => {
			const identity = identifyEntry({ ...ENTRY, id });
			expect(identity).toBe(identifyEntry(ENTRY));
			expect(identity).not.toBe(
				identifyEntry({ ...ENTRY, url: 'https://files.example.com/b.mp4' }),
			);
			expect(identity).not.toBe(identifyEntry({ ...ENTRY, projectId: 'q' }));
			expect(identity).not.toBe(identifyEntry({ ...ENTRY, createdAt: '2026-01-15T12:00:01.000Z' }));
		},
	);

	test('alike when only the signature in the address has changed', () => {
		const url = ENTRY.url.replace('signature=1', 'signature=2');
		expect(identifyEntry({ ...ENTRY, url })).toBe(identifyEntry(ENTRY));
	});

	test('by nothing when it has none of these', () => {
		expect(identifyEntry({})).toBeUndefined();
		expect(identifyEntry({ id: null, url: 5 })).toBeUndefined();
	});
});

describe('The hash of an ID', () => {
	test.each([
		['', 0xcbf29ce484222325n],
		['a', 0xaf63dc4c8601ec8cn],
		['foobar', 0x85944171f73967e8n],
	])('of %j is that of FNV-1a with 64 bits, folded to 53', (text, published) => {
		const folded = (published >> 53n) ^ BigInt.asUintN(53, published);
		expect(hashText(text)).toBe(Number(folded));
	});

	test.each(FORMS)('is unique among 100,000 IDs that are %s', (_form, create) => {
		const hashes = Array.from({ length: 100_000 }, (_, i) => hashText(create(i)));
		expect(new Set(hashes).size).toBe(100_000);
	});

	test('depends on letter case, spaces and order', () => {
		const texts = ['ab', 'ba', 'Ab', ' ab', 'ab ', 'aab', 'abb', 'a b', 'a\u0000b', '\u0000ab'];
		expect(new Set(texts.map(hashText)).size).toBe(texts.length);
	});
});
