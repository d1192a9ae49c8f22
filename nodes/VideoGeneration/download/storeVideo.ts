import type { IBinaryData } from 'n8n-workflow';
import { refuseAnswer } from '../failures/refuseAnswer';
import { readStreamFailure } from '../failures/readStreamFailure';
import { RequestFailure } from '../failures/requestFailure';
import { BoxReader } from './BoxReader';
import { readFileName } from './readFileName';
import { HEAD_BYTES, nameOtherType, readVideoType } from './readVideoType';
import type { FileStream, VideoReply } from './requestVideo';
import type { DownloadContext } from './VideoDownload';

interface StreamClass {
	from(chunks: AsyncIterable<Buffer>, options: { objectMode: boolean }): FileStream;
}

const GIB = 1024 ** 3;

/** An hour of video in the highest quality has less; a host that never ends would fill n8n's disk. */
const MOST_GIB = 16;

/** What is known of a file that is on its way. */
export interface Passage {
	/** How many bytes have come. */
	receivedBytes: number;
	/** Whether it is the host that is waited for, and not n8n's store. */
	isAwaitingHost: boolean;
	/** How long n8n's store has taken so far (milliseconds). */
	storeMs: number;
	/** What has gone wrong on the way: n8n's store may say something else of it. */
	failure?: RequestFailure;
}

/**
 * Hands a video on to n8n's binary store, piece by piece. A file that proves to be no whole video, or too large,
 * breaks off in the store's hands, for n8n then removes what it has of it, and a node cannot.
 *
 * @throws a RequestFailure
 */
export async function storeVideo(
	{ helpers }: DownloadContext,
	{ body, headers, url }: VideoReply,
	fileName: string | undefined,
	passage: Passage,
): Promise<IBinaryData> {
	checkSize(Number(headers['content-length'] ?? 0));
	const chunks = receive(body, passage);
	const head = await readHead(chunks);
	const mimeType = readVideoType(headers['content-type'], head);
	if (mimeType === undefined) {
		const found = head.length === 0 ? 'empty' : nameOtherType(headers['content-type'], head);
		throw new RequestFailure('unreadable', { httpCode: '200', found });
	}
	const file = createStream(body, check(head, chunks, passage));
	try {
		return await helpers.prepareBinaryData(file, readFileName(url, mimeType, fileName), mimeType);
	} catch (error) {
		throw (
			passage.failure ??
			new RequestFailure('unstored', { serviceMessage: (error as Error).message })
		);
	}
}

/** The pieces of a file, as they come. What goes wrong with the connection is a RequestFailure. */
async function* receive(body: FileStream, passage: Passage): AsyncGenerator<Buffer> {
	passage.isAwaitingHost = true;
	try {
		for await (const chunk of body as AsyncIterable<Buffer>) {
			passage.isAwaitingHost = false;
			passage.receivedBytes += chunk.length;
			checkSize(passage.receivedBytes);
			const handedOnAt = Date.now();
			yield chunk;
			passage.storeMs += Date.now() - handedOnAt;
			passage.isAwaitingHost = true;
		}
	} catch (error) {
		passage.failure ??= error instanceof RequestFailure ? error : readStreamFailure(error);
		throw passage.failure;
	} finally {
		passage.isAwaitingHost = false;
	}
}

function checkSize(bytes: number): void {
	if (bytes > MOST_GIB * GIB) throw refuseAnswer('tooLarge', `${MOST_GIB} GiB`);
}

async function readHead(chunks: AsyncGenerator<Buffer>): Promise<Buffer> {
	const head: Buffer[] = [];
	for (let bytes = 0; bytes < HEAD_BYTES; bytes = Buffer.concat(head).length) {
		const next = await chunks.next();
		if (next.done === true) break;
		head.push(next.value);
	}
	return Buffer.concat(head);
}

/**
 * HTTP itself takes care that as much comes as was announced: a connection that ends earlier is an
 * error. The file's own boxes tell also when it is cut off before it is sent.
 */
async function* check(
	head: Buffer,
	rest: AsyncGenerator<Buffer>,
	passage: Passage,
): AsyncGenerator<Buffer> {
	const boxes = /^.{4}ftyp/s.test(head.toString('latin1')) ? new BoxReader() : undefined;
	boxes?.add(head);
	yield head;
	for await (const chunk of rest) {
		boxes?.add(chunk);
		yield chunk;
	}
	if (boxes?.isInsideBox !== true) return;
	passage.failure = new RequestFailure('uncertain', { httpCode: '200', found: 'cutOff' });
	throw passage.failure;
}

/** n8n's stores take Node.js streams only, whose class can be had of one. */
function createStream(like: FileStream, chunks: AsyncGenerator<Buffer>): FileStream {
	const streamClass = like.constructor as unknown as StreamClass;
	const stream = streamClass.from(chunks, { objectMode: false });
	// The store is told as well; without a listener, an error before it listens would end n8n.
	stream.on('error', () => undefined);
	return stream;
}
