import { Readable } from 'node:stream';

const BOX_HEADER_BYTES = 8;
const CHUNK = Buffer.alloc(64 * 1024);

/**
 * Bytes `start` to `end` (inclusive) of a video that is padded to `sizeBytes` with an MP4 `free`
 * box: still playable, of any size up to 4 GiB, and never in memory as a whole.
 */
export function streamPaddedVideo(
	video: Buffer,
	sizeBytes: number,
	{ start, end }: { start: number; end: number },
): Readable {
	const head = Buffer.concat([video, createFreeBoxHeader(sizeBytes - video.length)]);
	return Readable.from(readBytes(head, start, end + 1), { objectMode: false });
}

function createFreeBoxHeader(boxBytes: number): Buffer {
	if (boxBytes < BOX_HEADER_BYTES) {
		throw new RangeError(`Padding takes at least ${BOX_HEADER_BYTES} bytes more than the video`);
	}
	const header = Buffer.alloc(BOX_HEADER_BYTES);
	header.writeUInt32BE(boxBytes);
	header.write('free', 4);
	return header;
}

function* readBytes(head: Buffer, start: number, end: number): Generator<Buffer> {
	let at = start;
	while (at < end) {
		const chunk = at < head.length ? head.subarray(at, end) : CHUNK.subarray(0, end - at);
		yield chunk;
		at += chunk.length;
	}
}
