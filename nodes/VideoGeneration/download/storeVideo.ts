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
	/** Since when the next chunk is awaited from the host; undefined while n8n's store is at work. */
	awaitingSince?: number | undefined;
	/** The reason why the transfer ended: n8n's store may report something else. */
	failure?: RequestFailure;
}

/**
 * Passes a video on to n8n's binary store, chunk by chunk. When the connection ends before everything
 * that was announced has arrived, the stream fails while the store reads it: n8n then deletes the part
 * that it has stored, which a node cannot do.
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
		const content = nameOtherContent(headers['content-type'], head);
		throw new RequestFailure({ kind: 'unreadable', httpCode: '200', ...content });
	}
	const file = createStream(body, joinChunks(head, chunks));
	try {
		const name = createFileName(url, mimeType, fileName);
		const stored = await helpers.prepareBinaryData(file, name, mimeType);
		// Older versions of n8n do not say how long a file is.
		return { bytes: transfer.receivedBytes, ...stored };
	} catch (error) {
		const serviceMessage = (error as Error).message;
		throw transfer.failure ?? new RequestFailure({ kind: 'storageFailed', serviceMessage });
	}
}

async function* receiveChunks(body: FileStream, transfer: Transfer): AsyncGenerator<Buffer> {
	try {
		transfer.awaitingSince = performance.now();
		for await (const chunk of body as AsyncIterable<Buffer>) {
			transfer.awaitingSince = undefined;
			transfer.receivedBytes += chunk.length;
			checkSize(transfer.receivedBytes);
			yield chunk;
			transfer.awaitingSince = performance.now();
		}
	} catch (error) {
		transfer.failure ??= error instanceof RequestFailure ? error : classifyStreamError(error);
		throw transfer.failure;
	} finally {
		transfer.awaitingSince = undefined;
	}
}

function checkSize(bytes: number): void {
	if (bytes > MAX_GIB * GIB) throw createExcess(`${MAX_GIB} GiB`);
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

async function* joinChunks(head: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
	yield head;
	yield* rest;
}

/** n8n's stores accept Node.js streams only, whose class is taken from the response's body. */
function createStream(like: FileStream, chunks: AsyncGenerator<Buffer>): FileStream {
	const streamClass = like.constructor as unknown as {
		from(chunks: AsyncIterable<Buffer>, options: { objectMode: boolean }): FileStream;
	};
	const stream = streamClass.from(chunks, { objectMode: false });
	// An error without a listener would crash n8n, and the store does not listen yet.
	stream.on('error', () => undefined);
	return stream;
}
