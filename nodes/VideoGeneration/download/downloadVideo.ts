import type {
	IBinaryData,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
} from 'n8n-workflow';
import { pause, withTimeout } from '../api/pacing';
import { type ApiOptions, RESPONSE_TIMEOUT_MS } from '../api/request';
import { checkBody, nameContent, parseBody, toText } from '../api/response';
import { sendWithRetries } from '../api/retry';
import { classifyError, explainBreak } from '../failures/errors';
import { CANCELLED, RequestFailure, TIMED_OUT } from '../failures/failure';
import { toLine } from '../failures/texts';
import { addExtension, findVideoType, HEAD_BYTES, takeName } from './videoFile';

/** A host that never ends must not hold an item forever, unless a poll has a deadline anyway. */
const MAX_DOWNLOAD_MS = 6 * 60 * 60 * 1000;

/** n8n follows redirects, and checks each address by its own rules about hosts: the key is not sent with a download. */
const REQUEST = {
	method: 'GET',
	// Compression does not shrink a video, and it would hide the length of the file.
	headers: { Accept: 'video/*,*/*;q=0.5', 'Accept-Encoding': 'identity' },
	encoding: 'stream',
	returnFullResponse: true,
	ignoreHttpStatusErrors: true,
} as const;

/** The parts of an n8n context that a download uses: those of operations and triggers have them. */
export interface DownloadContext {
	helpers: Pick<IExecuteSingleFunctions['helpers'], 'httpRequest' | 'prepareBinaryData'>;
}

/** A Node.js stream as n8n returns it; published code may not import the class. */
type FileStream = Exclude<Parameters<DownloadContext['helpers']['prepareBinaryData']>[0], Buffer>;

type VideoResponse = IN8nHttpFullResponse & { body: FileStream };

export interface Video {
	address: unknown;
	/** The field that holds the address, as displayed. */
	addressField: string;
	/** The file's name; by default the name in the address. */
	fileName?: string;
	/** The names of the files of the same run, see `takeName`. */
	takenNames: Map<string, number>;
}

/** The address of a video; undefined unless it is http(s), without a user name or a password. */
export function parseVideoAddress(value: unknown): URL | undefined {
	const text = toText(value);
	const url = URL.canParse(text) ? new URL(text) : undefined;
	const isPlain = url?.username === '' && url.password === '';
	return isPlain && /^https?:$/.test(url.protocol) ? url : undefined;
}

/** An address as errors show it: the query of a signed one is as good as a key. */
export const hideQuery = ({ origin, pathname }: URL) => origin + pathname;

/**
 * Downloads a video into n8n's binary store, again from its beginning where the request policy allows it. The signal and
 * the deadline end a try that has begun, too. @throws a RequestFailure, whose texts are those of a download
 */
export async function downloadVideo(
	context: DownloadContext,
	{ address, addressField, fileName = '', takenNames }: Video,
	{ connection = {}, deadline = performance.now() + MAX_DOWNLOAD_MS, maxTries, signal }: ApiOptions,
): Promise<IBinaryData> {
	const url = parseVideoAddress(address);
	if (url === undefined) throw new RequestFailure({ kind: 'notAnAddress', addressField });
	// Before the first wait, so that the files are numbered in the order of their items.
	const name = takeName(url, fileName, takenNames);
	const timeout = connection.timeout ?? RESPONSE_TIMEOUT_MS;
	const transfer = async (abortSignal: AbortSignal) => {
		const request = { ...REQUEST, ...connection, timeout, url: url.href, abortSignal };
		const response = await withTimeout(async () => await fetchVideo(context, request), timeout);
		return await storeVideo(context, response, name, timeout);
	};
	const attempt = async () => {
		const leftMs = deadline - performance.now();
		if (leftMs <= 0) throw TIMED_OUT;
		return await withTimeout(transfer, leftMs, signal);
	};
	try {
		return await sendWithRetries(attempt, { maxTries, signal, deadline });
	} catch (error) {
		throw classifyError(error).with({ addressField, address: hideQuery(url) });
	}
}

/** Requests a video. @throws a RequestFailure unless the response is a 200 */
async function fetchVideo({ helpers }: DownloadContext, request: IHttpRequestOptions) {
	const response = (await helpers.httpRequest(request)) as VideoResponse;
	const { body, headers, statusCode } = response;
	// An error without a listener would crash n8n, and the body is read later, if at all.
	body.on('error', () => undefined);
	if (statusCode >= 300) checkBody({ headers, statusCode }, undefined);
	// A part of a file (206), or none yet (202, 204).
	const httpCode = String(statusCode);
	if (statusCode !== 200) throw new RequestFailure({ kind: 'uncertain', httpCode });
	return response;
}

/**
 * Passes a video on to n8n's binary store, and awaits each chunk for `idleMs`: n8n's own timeout ends with the head of the
 * response. Where the connection breaks off, the stream fails while the store reads it: n8n then deletes the part that it
 * has stored, which a node cannot do. @throws a RequestFailure
 */
export async function storeVideo(
	{ helpers }: DownloadContext,
	{ body, headers }: Pick<VideoResponse, 'body' | 'headers'>,
	name: string,
	idleMs: number,
): Promise<IBinaryData> {
	const chunks = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
	// One timer for all chunks: a long file has thousands, whose timers would take as long.
	let dueAt = Infinity;
	let fail: (reason: unknown) => void = () => undefined;
	const ending = new AbortController();
	const endIfIdle = async () => {
		for (let delayMs = idleMs; delayMs > 0;) {
			if (!(await pause(delayMs, ending.signal))) return;
			delayMs = Math.ceil(Math.min(dueAt - performance.now(), idleMs));
		}
		fail(TIMED_OUT);
	};
	void endIfIdle();
	// n8n's store may report something else.
	let failure: RequestFailure | undefined;
	const receive = async () => {
		dueAt = performance.now() + idleMs;
		try {
			return await new Promise<IteratorResult<Buffer>>((resolve, reject) => {
				fail = reject;
				chunks.next().then(resolve, reject);
			});
		} catch (error) {
			throw (failure = explainBreak(error));
		} finally {
			dueAt = Infinity;
		}
	};
	async function* join(head: Buffer) {
		yield head;
		for (let next; !(next = await receive()).done;) yield next.value;
	}
	try {
		let head = Buffer.alloc(0);
		for (let next; head.length < HEAD_BYTES && !(next = await receive()).done;) {
			head = Buffer.concat([head, next.value]);
		}
		const mimeType = findVideoType(headers['content-type'], head);
		if (mimeType === undefined) {
			const content = nameContent(parseBody(head.toString()));
			throw new RequestFailure({ kind: 'unreadable', httpCode: '200', content });
		}
		const file = createStream(body, join(head));
		return await helpers.prepareBinaryData(file, addExtension(name, mimeType), mimeType);
	} catch (error) {
		if (error instanceof RequestFailure) throw failure ?? error;
		const serviceMessage = toLine((error as Error).message);
		throw failure ?? new RequestFailure({ kind: 'storageFailed', serviceMessage });
	} finally {
		ending.abort(CANCELLED);
	}
}

/** n8n's stores accept Node.js streams only, whose class is taken from the response's body. */
function createStream(like: FileStream, chunks: AsyncIterable<Buffer>): FileStream {
	const streamClass = like.constructor as unknown as {
		from(chunks: AsyncIterable<Buffer>, options: { objectMode: boolean }): FileStream;
	};
	const stream = streamClass.from(chunks, { objectMode: false });
	// An error without a listener would crash n8n, and the store does not listen yet.
	stream.on('error', () => undefined);
	return stream;
}
