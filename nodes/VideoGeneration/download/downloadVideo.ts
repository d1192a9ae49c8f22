import type { IBinaryData } from 'n8n-workflow';
import { pause } from '../api/pacing';
import type { ConnectionSettings } from '../api/request';
import { RESPONSE_TIMEOUT_MS } from '../api/request';
import type { RetryOptions } from '../api/retry';
import { sendWithRetries } from '../api/retry';
import { classifyError } from '../failures/classifyError';
import { RequestFailure } from '../failures/failure';
import type { DownloadContext, VideoResponse } from './fetchVideo';
import { fetchVideo, hideQuery, parseVideoAddress } from './fetchVideo';
import type { Transfer } from './storeVideo';
import { storeVideo } from './storeVideo';

/** Long enough for the largest file that is accepted, at 6 Mbit/s. */
const MAX_DOWNLOAD_MS = 6 * 60 * 60 * 1000;

const CANCELLED = new RequestFailure({ kind: 'cancelled' });
const TIMED_OUT = { kind: 'uncertain', httpCode: 'ETIMEDOUT' } as const;
const IDLE = new RequestFailure(TIMED_OUT);
const TOO_SLOW = new RequestFailure({ ...TIMED_OUT, isTooSlow: true });
const NOT_AN_ADDRESS = new RequestFailure({ kind: 'notAnAddress' });

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

/**
 * Downloads a video into n8n's binary store. Where the request policy allows it, the video is
 * requested again from its beginning.
 *
 * @returns the value for an item's `binary`
 * @throws a RequestFailure, whose texts are those of a download
 */
export async function downloadVideo(
	context: DownloadContext,
	{ address, addressField, fileName, retries, settings = {} }: VideoDownload,
): Promise<IBinaryData> {
	const url = parseVideoAddress(address);
	if (url === undefined) throw NOT_AN_ADDRESS.with({ addressField });
	const deadline = Math.min(retries.deadline ?? Infinity, performance.now() + MAX_DOWNLOAD_MS);
	const attempt = { url, fileName, settings, signal: retries.signal, deadline };
	try {
		return await sendWithRetries(async () => await attemptDownload(context, attempt), {
			...retries,
			requestKind: 'read',
			deadline,
		});
	} catch (error) {
		throw classifyError(error).with({ addressField });
	}
}

interface Attempt extends Pick<VideoDownload, 'fileName'> {
	url: URL;
	settings: ConnectionSettings;
	signal: AbortSignal | undefined;
	deadline: number;
}

async function attemptDownload(
	context: DownloadContext,
	{ url, fileName, settings, signal, deadline }: Attempt,
): Promise<IBinaryData> {
	if (signal?.aborted) throw CANCELLED;
	if (performance.now() >= deadline) throw TOO_SLOW;
	const connection = new AbortController();
	const end = AbortSignal.any([connection.signal, ...(signal ? [signal] : [])]);
	const timeout = settings.timeout ?? RESPONSE_TIMEOUT_MS;
	const transfer: Transfer = { receivedBytes: 0, isAwaitingHost: false };
	let response: VideoResponse | undefined;
	try {
		void watchTransfer(transfer, timeout, deadline, connection);
		response = await fetchVideo(context, url, { ...settings, timeout }, end);
		return await storeVideo(context, response, fileName, transfer);
	} catch (error) {
		if (signal?.aborted) throw CANCELLED;
		const failure = transfer.failure ?? classifyError(error);
		throw response ? failure.with(describeTransfer(transfer, response)) : failure;
	} finally {
		connection.abort();
	}
}

/**
 * Closes the connection when the host sends nothing for too long, or at the deadline: n8n's timeout
 * ends with the head of the response. The time that n8n's store takes does not count as idle.
 *
 * @param idleMs the host may be silent for this long; the connection is closed before twice as long
 */
async function watchTransfer(
	transfer: Transfer,
	idleMs: number,
	deadline: number,
	connection: AbortController,
): Promise<void> {
	let before: Transfer | undefined;
	while (!connection.signal.aborted) {
		const leftMs = deadline - performance.now();
		const isIdle =
			before?.isAwaitingHost === true &&
			transfer.isAwaitingHost &&
			before.receivedBytes === transfer.receivedBytes;
		if (leftMs <= 0 || isIdle) {
			transfer.failure ??= leftMs <= 0 ? TOO_SLOW : IDLE;
			connection.abort();
			return;
		}
		before = { ...transfer };
		await pause(Math.min(idleMs, leftMs), connection.signal);
	}
}

/** The address where the video was found, and the received and the announced number of bytes. */
function describeTransfer({ receivedBytes }: Transfer, { headers, url }: VideoResponse) {
	const announcedBytes = Number(headers['content-length'] ?? NaN);
	return {
		address: hideQuery(url),
		receivedBytes,
		...(Number.isSafeInteger(announcedBytes) ? { announcedBytes } : {}),
	};
}

/**
 * A few downloads fill a connection even beside a slow host, and more of them finish no sooner. If n8n
 * keeps files in memory, it holds every file that is being transferred as a whole.
 */
export const DOWNLOADS_AT_ONCE = 4;
