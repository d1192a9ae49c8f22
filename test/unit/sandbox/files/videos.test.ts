import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SEED_PROJECTS } from '../../../../sandbox/domain/SEED_PROJECTS';
import { readVideoFile } from '../../../../sandbox/files/readVideoFile';
import { streamPaddedVideo } from '../../../../sandbox/files/readVideoFile';

const FILES = join(__dirname, '../../../../sandbox/files');
const pictures = readdirSync(FILES)
	.filter((name) => name.endsWith('.mp4'))
	.map((name) => name.replace('.mp4', ''));

/** Types of the top-level boxes of an MP4, which must fill it to its last byte. */
function listBoxes(file: Buffer): string[] {
	const types: string[] = [];
	let at = 0;
	while (at < file.length) {
		types.push(file.toString('latin1', at + 4, at + 8));
		at += file.readUInt32BE(at);
	}
	expect(at).toBe(file.length);
	return types;
}

async function read(stream: AsyncIterable<Buffer>): Promise<Buffer> {
	const chunks: Buffer[] = [];
	for await (const chunk of stream) chunks.push(chunk);
	return Buffer.concat(chunks);
}

it('there are three pictures, and every project has one of them', () => {
	expect(pictures).toHaveLength(3);
	for (const { picture } of Object.values(SEED_PROJECTS)) expect(pictures).toContain(picture);
});
it.each(pictures)('%s is a small MP4 that can start before it is whole', (picture) => {
	const file = readVideoFile(picture);
	const boxes = listBoxes(file);
	expect(boxes[0]).toBe('ftyp');
	expect(boxes.indexOf('moov')).toBeLessThan(boxes.indexOf('mdat'));
	expect(file.includes('avc1')).toBe(true);
	expect(file.length).toBeLessThan(20_000);
});
it('a padded video is the same video with room behind it', async () => {
	const video = readVideoFile('city-tour');
	const padded = await read(streamPaddedVideo(video, 200_000, { start: 0, end: 199_999 }));
	expect(padded).toHaveLength(200_000);
	expect(padded.subarray(0, video.length)).toEqual(video);
	expect(listBoxes(padded)).toEqual([...listBoxes(video), 'free']);

	const part = await read(streamPaddedVideo(video, 200_000, { start: 9000, end: 12_000 }));
	expect(part).toEqual(padded.subarray(9000, 12_001));
});
it('a padding that no box fits into is refused', () => {
	expect(() => streamPaddedVideo(Buffer.alloc(10), 17, { start: 0, end: 16 })).toThrow(RangeError);
});
