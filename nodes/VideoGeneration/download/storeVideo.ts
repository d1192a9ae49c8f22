import type { IBinaryData } from 'n8n-workflow';
import { classifyStreamError } from '../failures/classifyError';
import { createExcess, RequestFailure } from '../failures/failure';
import type { DownloadContext, FileStream, VideoResponse } from './fetchVideo';
import { createFileName, findVideoType, HEAD_BYTES, nameOtherContent } from './videoFile';

const GIB = 1024 ** 3;

/** More than an hour of video in the highest quality. A file without an end would fill n8n's disk. */
const MAX_GIB = 16;

/** The state of a file that is being transferred. */
export interface Transfer {
	receivedBytes: number;
	/** Whether the next chunk is awaited from the host; otherwise n8n's store is at work. */
	isAwaitingHost: boolean;
	/** The reason why the transfer ended: n8n's store may report something else. */
	failure?: RequestFailure;
}

/**
 * Passes a video on to n8n's binary store, chunk by chunk. When the file turns out to be no complete
 * video, the stream fails while the store reads it: n8n then deletes the part that it has stored,
 * which a node cannot do.
 *
 * @throws a RequestFailure
 */
export async function storeVideo(
	{ helpers }: DownloadContext,
	{ body, headers, url }: VideoResponse,
	fileName: string | undefined,
	transfer: Transfer,
): Promise<IBinaryData> {
	checkSize(Number(headers['content-length'] ?? 0));
	const chunks = receiveChunks(body, transfer);
	const head = await receiveHead(chunks);
	const mimeType = findVideoType(headers['content-type'], head);
	if (mimeType === undefined) {
		const found = nameOtherContent(headers['content-type'], head);
		throw new RequestFailure('unreadable', { httpCode: '200', found });
	}
	const file = createStream(body, checkBoxes(head, chunks, transfer));
	try {
		const name = createFileName(url, mimeType, fileName);
		const stored = await helpers.prepareBinaryData(file, name, mimeType);
		// Older versions of n8n do not say how long a file is.
		return { bytes: transfer.receivedBytes, ...stored };
	} catch (error) {
		const serviceMessage = (error as Error).message;
		throw transfer.failure ?? new RequestFailure('unstored', { serviceMessage });
	}
}

async function* receiveChunks(body: FileStream, transfer: Transfer): AsyncGenerator<Buffer> {
	try {
		transfer.isAwaitingHost = true;
		for await (const chunk of body as AsyncIterable<Buffer>) {
			transfer.isAwaitingHost = false;
			transfer.receivedBytes += chunk.length;
			checkSize(transfer.receivedBytes);
			yield chunk;
			transfer.isAwaitingHost = true;
		}
	} catch (error) {
		transfer.failure ??= error instanceof RequestFailure ? error : classifyStreamError(error);
		throw transfer.failure;
	} finally {
		transfer.isAwaitingHost = false;
	}
}

function checkSize(bytes: number): void {
	if (bytes > MAX_GIB * GIB) throw createExcess('tooLarge', `${MAX_GIB} GiB`);
}

async function receiveHead(chunks: AsyncGenerator<Buffer>): Promise<Buffer> {
	let head = Buffer.alloc(0);
	while (head.length < HEAD_BYTES) {
		const next = await chunks.next();
		if (next.done === true) break;
		head = Buffer.concat([head, next.value]);
	}
	return head;
}

/**
 * Fails a file that was cut off before its host sent it. HTTP reports only a connection that ends
 * before the announced length.
 */
async function* checkBoxes(
	head: Buffer,
	rest: AsyncGenerator<Buffer>,
	transfer: Transfer,
): AsyncGenerator<Buffer> {
	const boxes = new BoxReader();
	boxes.add(head);
	yield head;
	for await (const chunk of rest) {
		boxes.add(chunk);
		yield chunk;
	}
	if (!boxes.isInsideContent) return;
	transfer.failure = new RequestFailure('uncertain', { httpCode: '200', found: 'cutOff' });
	throw transfer.failure;
}

/** n8n's stores accept Node.js streams only, whose class is taken from the response's body. */
function createStream(like: FileStream, chunks: AsyncGenerator<Buffer>): FileStream {
	const streamClass = like.constructor as unknown as {
		from(chunks: AsyncIterable<Buffer>, options: { objectMode: boolean }): FileStream;
	};
	const stream = streamClass.from(chunks, { objectMode: false });
	// The store is told of an error as well; before it listens, an error would end n8n.
	stream.on('error', () => undefined);
	return stream;
}

/** An MP4 file consists of boxes. These hold the pictures, the sound and the index. */
const CONTENT_BOXES = ['mdat', 'moov', 'moof'];
const HEADER_BYTES = 16;

/**
 * Follows the boxes of an MP4 file from header to header. Bytes after the last box, and files of
 * other formats, do not look like the boxes that matter.
 */
export class BoxReader {
	private type = '';

	/** The number of bytes before the next header. */
	private skipBytes = 0;

	/** The first bytes of a header whose rest is in the next chunk. */
	private partialHeader = Buffer.alloc(0);

	/** Whether the file ends in the middle of its pictures, its sound or its index. */
	get isInsideContent(): boolean {
		return this.skipBytes > 0 && CONTENT_BOXES.includes(this.type);
	}

	add(chunk: Buffer): void {
		if (this.skipBytes >= chunk.length) {
			this.skipBytes -= chunk.length;
			return;
		}
		const data = Buffer.concat([this.partialHeader, chunk]);
		let at = this.skipBytes;
		while (at + HEADER_BYTES <= data.length) {
			const size = data.readUInt32BE(at);
			const boxBytes = size === 1 ? Number(data.readBigUInt64BE(at + 8)) : size;
			this.type = data.toString('latin1', at + 4, at + 8);
			// A size of 0 means "to the end of the file"; other sizes below 8 are no box.
			at += boxBytes < 8 ? Infinity : boxBytes;
			if (boxBytes < 8) this.type = '';
		}
		this.partialHeader = data.subarray(at);
		this.skipBytes = Math.max(0, at - data.length);
	}
}
