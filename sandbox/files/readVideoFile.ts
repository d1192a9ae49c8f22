import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';

const files = new Map<string, Buffer>();

/**
 * Returns one of the MP4s beside this file.
 *
 * @param picture file name without extension
 * @throws Error if there is no such file
 */
export function readVideoFile(picture: string): Buffer {
	const known = files.get(picture);
	if (known) return known;
	const file = readFileSync(join(__dirname, `${picture}.mp4`));
	files.set(picture, file);
	return file;
}

export const BOX_HEADER_BYTES = 8;
const CHUNK = Buffer.alloc(64 * 1024);

/**
 * Streams a video that is padded to `sizeBytes` with an MP4 `free` box: playable, up to 4 GiB, and
 * never in memory as a whole.
 */
export function streamPaddedVideo(video: Buffer, sizeBytes: number): Readable {
	const header = Buffer.alloc(BOX_HEADER_BYTES);
	header.writeUInt32BE(sizeBytes - video.length);
	header.write('free', 4);
	const chunks = generateChunks(Buffer.concat([video, header]), sizeBytes);
	return Readable.from(chunks, { objectMode: false });
}

function* generateChunks(head: Buffer, sizeBytes: number): Generator<Buffer> {
	yield head;
	for (let at = head.length; at < sizeBytes; at += CHUNK.length) {
		yield CHUNK.subarray(0, sizeBytes - at);
	}
}
