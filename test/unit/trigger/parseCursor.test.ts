import fc from 'fast-check';
import { parseCursor } from '../../../nodes/VideoGeneration/trigger/parseCursor';
import { selectNewVideos } from '../../../nodes/VideoGeneration/trigger/selectNewVideos';

const WATCH = { account: 'abc', projectIds: ['p'], emitExisting: true, isContinuous: true };
const LOGS = [{ id: 'a' }, { id: 'b' }];
const SOUND = JSON.parse(JSON.stringify(selectNewVideos(LOGS, 'damaged', WATCH).cursor)) as Record<
	string,
	unknown
>;

describe('A cursor that was saved', () => {
	test('is read as it was written', () => {
		expect(parseCursor(SOUND)).toEqual(SOUND);
	});

	test('is absent when nothing was saved yet', () => {
		expect(parseCursor(undefined)).toBe('absent');
	});

	test.each([
		...Object.keys(SOUND).map((key) => ({ ...SOUND, [key]: undefined })),
		...Object.keys(SOUND).map((key) => ({ ...SOUND, [key]: null })),
		{ ...SOUND, version: 2 },
		{ ...SOUND, version: '1' },
		{ ...SOUND, account: 7 },
		{ ...SOUND, projects: 'short' },
		{ ...SOUND, floor: -1 },
		{ ...SOUND, floor: 1.5 },
		{ ...SOUND, floor: 2 ** 42 },
		{ ...SOUND, floor: '5' },
		{ ...SOUND, isUndatedForgotten: 0 },
		{ ...SOUND, videos: String(SOUND.videos).slice(1) },
		{ ...SOUND, videos: String(SOUND.videos).replace(/^./, ' ') },
		{ ...SOUND, videos: [SOUND.videos] },
		{},
		[],
		null,
		0,
		'',
		'cursor',
		{ lastTimeChecked: '2026-01-15T12:00:00.000Z', processedIds: ['a'] },
	])('is damaged when it is %j', (value) => {
		expect(parseCursor(value)).toBe('damaged');
	});

	test('can be any JSON: nothing throws, and nothing that is there floods the workflow', () => {
		fc.assert(
			fc.property(fc.jsonValue(), fc.constantFrom(...Object.keys(SOUND)), (value, key) => {
				for (const saved of [value, { ...SOUND, [key]: value }]) {
					const stored = parseCursor(saved);
					const { videos, cursor } = selectNewVideos(LOGS, stored, WATCH);
					// Of the two logs a sound cursor may have lost one or both by a user's own hand only.
					if (stored === 'damaged') expect(videos).toEqual([]);
					expect(selectNewVideos(LOGS, parseCursor(cursor), WATCH).videos).toEqual([]);
				}
			}),
			{ seed: 1, numRuns: 500 },
		);
	});
});
