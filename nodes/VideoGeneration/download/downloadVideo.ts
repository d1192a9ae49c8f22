import type {
	BinaryHelperFunctions,
	IBinaryData,
	IN8nHttpFullResponse,
	RequestHelperFunctions,
} from 'n8n-workflow';
import { combineSignals, onAbort, pause } from '../api/pacing';
import type { ConnectionSettings } from '../api/request';
import { RESPONSE_TIMEOUT_MS } from '../api/request';
import { checkBody, toText } from '../api/response';
import type { RetryOptions } from '../api/retry';
import { sendWithRetries } from '../api/retry';
import { classifyError, classifyStreamError } from '../failures/errors';
import type { FailureFacts } from '../failures/failure';
import { CANCELLED, createExcess, RequestFailure, TIMED_OUT } from '../failures/failure';
import { createFileName, findVideoType, HEAD_BYTES, nameOtherContent } from './videoFile';

/** Long enough for the largest file that is accepted, at 6 Mbit/s. */
const MAX_DOWNLOAD_MS = 6 * 60 * 60 * 1000;

/** More than an hour of video in the highest quality. A file without an end would fill n8n's disk. */
const MAX_GIB = 16;

/** A short link, a load balancer and a storage service together need fewer. */
const MAX_REDIRECTS = 10;

const REQUEST = {
	method: 'GET',
	// Compression does not shrink a video, and it would hide the length of the file.
	headers: { Accept: 'video/*,*/*;q=0.5', 'Accept-Encoding': 'identity' },
	encoding: 'stream',
	returnFullResponse: true,
	disableFollowRedirect: true,
	ignoreHttpStatusErrors: true,
} as const;

const TOO_SLOW = TIMED_OUT.with({ isTooSlow: true });

/** The parts of an n8n context that a download uses: those of operations and triggers have them. */
export interface DownloadContext {
	helpers: Pick<RequestHelperFunctions, 'httpRequest'> &
		Pick<BinaryHelperFunctions, 'prepareBinaryData'>;
}

/** A Node.js stream as n8n returns it; published code may not import the class. */
type FileStream = Extract<
	Parameters<DownloadContext['helpers']['prepareBinaryData']>[0],
	{ pipe: unknown }
>;

interface VideoResponse extends Omit<IN8nHttpFullResponse, 'body'> {
	body: FileStream;
	/** The address at the end of the redirects. */
	url: URL;
}

export interface VideoDownload {
	/** The address of the video, as the user or the service gives it. */
	address: unknown;
	/** The field that holds it, as displayed, for the texts of a failure. */
	addressField: string;
	/** The file's name; by default the name in the address. */
	fileName?: string;
	/** The signal and the deadline end a try that has begun, too. */
	retries: Omit<RetryOptions, 'requestKind'>;
	settings?: ConnectionSettings;
}

/** The state of a file that is being transferred. */
export interface Transfer {
	receivedBytes: number;
	/** Since when the next chunk is awaited from the host; undefined while n8n's store is at work. */
	awaitingSince?: number | undefined;
	/** The reason why the transfer ended: n8n's store may report something else. */
	failure?: RequestFailure;
}

/** The address of a video; undefined unless it is http(s), without a user name or a password. */
export function parseVideoAddress(value: unknown): URL | undefined {
	const text = toText(value);
	const url = URL.canParse(text) ? new URL(text) : undefined;
	const isPlain = url?.username === '' && url.password === '';
	return isPlain && /^https?:$/.test(url.protocol) ? url : undefined;
}

/** The address as errors show it: the query of a signed address is as good as a key. */
export function hideQuery({ origin, pathname }: URL): string {
	return origin + pathname;
}

/**
 * Downloads a video into n8n's binary store, without any key. Where the request policy allows it, the video
 * is requested again from its beginning.
 *
 * @returns the value for an item's `binary`
 * @throws a RequestFailure, whose texts are those of a download
 */
export async function downloadVideo(
	context: DownloadContext,
	{ address, addressField, fileName, retries, settings = {} }: VideoDownload,
): Promise<IBinaryData> {
	const url = parseVideoAddress(address);
	if (url === undefined) throw new RequestFailure({ kind: 'notAnAddress', addressField });
	const deadline = Math.min(retries.deadline ?? Infinity, performance.now() + MAX_DOWNLOAD_MS);
	const { signal } = retries;
	const timeout = settings.timeout ?? RESPONSE_TIMEOUT_MS;
	const attempt = async () => {
		const transfer: Transfer = { receivedBytes: 0 };
		const connection = new AbortController();
		const abortSignal = combineSignals(connection.signal, signal);
		let response: VideoResponse | undefined;
		try {
			if (performance.now() >= deadline) throw TOO_SLOW;
			void watchTransfer(transfer, timeout, deadline, connection);
			response = await fetchVideo(context, url, { ...settings, timeout, abortSignal });
			const stored = storeVideo(context, response, fileName, transfer);
			return await Promise.race([stored, failWhenAborted(abortSignal)]);
		} catch (error) {
			if (signal?.aborted) throw CANCELLED;
			const failure = transfer.failure ?? classifyError(error);
			throw response ? failure.with(describeTransfer(transfer, response)) : failure;
		} finally {
			connection.abort();
		}
	};
	try {
		return await sendWithRetries(attempt, { ...retries, requestKind: 'read', deadline });
	} catch (error) {
		throw classifyError(error).with({ addressField });
	}
}

/** n8n's store deletes a part of a file in this time. It may also take long after the last byte has arrived. */
const GRACE_MS = 100;

/** Ends the wait for n8n's store. */
async function failWhenAborted(signal: AbortSignal): Promise<never> {
	await new Promise<void>((resolve) => onAbort(signal, resolve));
	await pause(GRACE_MS);
	throw TOO_SLOW;
}

/**
 * Requests a video, and follows redirects: n8n checks each address by its own rules about hosts.
 *
 * @throws a RequestFailure, with the address that failed, for every response that does not hold the video
 */
async function fetchVideo(
	{ helpers }: DownloadContext,
	start: URL,
	options: ConnectionSettings & { abortSignal: AbortSignal },
): Promise<VideoResponse> {
	let url = start;
	try {
		for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
			const hop = new AbortController();
			const abortSignal = combineSignals(hop.signal, options.abortSignal);
			const request = { ...REQUEST, ...options, url: url.href, abortSignal };
			const response = (await helpers.httpRequest(request)) as Omit<VideoResponse, 'url'>;
			const { body, headers, statusCode } = response;
			// An error without a listener would crash n8n, and the body is read later, if at all.
			body.on('error', () => undefined);
			if (statusCode === 200) return { ...response, url };
			hop.abort();
			url = getRedirect(statusCode, headers, url);
		}
		throw new RequestFailure({ kind: 'redirected', isTooMany: true });
	} catch (error) {
		throw classifyError(error).with({ address: hideQuery(url) });
	}
}

function getRedirect(statusCode: number, headers: VideoResponse['headers'], url: URL): URL {
	const httpCode = String(statusCode);
	// A part of a file (206), or none yet (202, 204).
	if (statusCode < 300) throw new RequestFailure({ kind: 'uncertain', httpCode });
	if (statusCode >= 400) checkBody({ headers, statusCode }, undefined);
	const location = toText(headers.location);
	const target = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
	const address = location === '' ? undefined : parseVideoAddress(target?.href);
	if (address !== undefined) return address;
	throw new RequestFailure({ kind: 'redirected', httpCode, location: target?.protocol });
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
	{ body, headers, url }: Pick<VideoResponse, 'body' | 'headers' | 'url'>,
	fileName: string | undefined,
	transfer: Transfer,
): Promise<IBinaryData> {
	checkSize(Number(headers['content-length'] ?? 0));
	const chunks = receiveChunks(body, transfer);
	let head = Buffer.alloc(0);
	for (let next; head.length < HEAD_BYTES && !(next = await chunks.next()).done;) {
		head = Buffer.concat([head, next.value]);
	}
	const mimeType = findVideoType(headers['content-type'], head);
	if (mimeType === undefined) {
		const content = nameOtherContent(headers['content-type'], head);
		throw new RequestFailure({ kind: 'unreadable', httpCode: '200', ...content });
	}
	const file = createStream(body, head, chunks);
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
		transfer.failure ??= classifyStreamError(error);
		throw transfer.failure;
	} finally {
		transfer.awaitingSince = undefined;
	}
}

function checkSize(bytes: number): void {
	if (bytes > MAX_GIB * 1024 ** 3) throw createExcess(`${MAX_GIB} GiB`);
}

/** n8n's stores accept Node.js streams only, whose class is taken from the response's body. */
function createStream(like: FileStream, head: Buffer, rest: AsyncGenerator<Buffer>): FileStream {
	async function* join() {
		yield head;
		yield* rest;
	}
	const streamClass = like.constructor as unknown as {
		from(chunks: AsyncIterable<Buffer>, options: { objectMode: boolean }): FileStream;
	};
	const stream = streamClass.from(join(), { objectMode: false });
	// An error without a listener would crash n8n, and the store does not listen yet.
	stream.on('error', () => undefined);
	return stream;
}

/**
 * Closes the connection when the host sends nothing for too long, or at the deadline: n8n's timeout
 * ends with the head of the response. The time that n8n's store takes does not count as idle.
 */
async function watchTransfer(
	transfer: Transfer,
	idleMs: number,
	deadline: number,
	connection: AbortController,
): Promise<void> {
	while (!connection.signal.aborted) {
		const now = performance.now();
		const endsAt = Math.min((transfer.awaitingSince ?? now) + idleMs, deadline);
		if (now >= endsAt) {
			transfer.failure ??= now >= deadline ? TOO_SLOW : TIMED_OUT;
			connection.abort();
		} else await pause(endsAt - now, connection.signal);
	}
}

/** The received and the announced number of bytes; for a packed file, the length is that of the packed bytes. */
function describeTransfer(
	{ receivedBytes }: Transfer,
	{ headers, url }: VideoResponse,
): Partial<FailureFacts> {
	const length = headers['content-encoding'] === undefined ? headers['content-length'] : undefined;
	const announced = length === undefined ? {} : { announcedBytes: Number(length) };
	return { address: hideQuery(url), receivedBytes, ...announced };
}
