import fs from 'node:fs';
import path from 'node:path';
import { readMp4Boxes } from '../../../scripts/start/readMp4Boxes';

const FILES = path.resolve(__dirname, '../../../sandbox/files');
const videos = fs.readdirSync(FILES).filter((name) => name.endsWith('.mp4'));

describe('The boxes of an MP4 file', () => {
	test.each(videos)('of %s are those that a player needs', (name) => {
		expect(readMp4Boxes(fs.readFileSync(path.join(FILES, name)))).toEqual(
			expect.arrayContaining(['ftyp', 'moov', 'mdat']),
		);
	});

	test('tell a file that is cut off, and one that is none', () => {
		const whole = fs.readFileSync(path.join(FILES, videos[0] ?? ''));
		expect(() => readMp4Boxes(whole.subarray(0, -1))).toThrow(/cut off/);
		expect(() => readMp4Boxes(Buffer.from('<!doctype html><html></html>'))).toThrow(/no MP4/);
	});

	test('of an empty file are none', () => {
		expect(readMp4Boxes(Buffer.alloc(0))).toEqual([]);
	});
});
