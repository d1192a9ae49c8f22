import type { IBinaryData } from 'n8n-workflow';
import { combineSignals, pause } from '../api/pacing';
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
	const { signal } = retries;
	const attempt = async () => {
		if (signal?.aborted) throw CANCELLED;
		if (performance.now() >= deadline) throw TOO_SLOW;
		const connection = new AbortController();
		const timeout = settings.timeout ?? RESPONSE_TIMEOUT_MS;
		const transfer: Transfer = { receivedBytes: 0 };
		let response: VideoResponse | undefined;
		try {
			void watchTransfer(transfer, timeout, deadline, connection);
			const end = combineSignals(connection.signal, signal);
			response = await fetchVideo(context, url, { ...settings, timeout }, end);
			return await storeVideo(context, response, fileName, transfer);
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

/**
 * Closes the connection when the host sends nothing for too long, or at the deadline: n8n's timeout
 * ends with the head of the response. The time that n8n's store takes does not count as idle.
 *
 * @param idleMs how long the host may be silent
 */
async function watchTransfer(
	transfer: Transfer,
	idleMs: number,
	deadline: number,
	connection: AbortController,
): Promise<void> {
	while (!connection.signal.aborted) {
		const now = performance.now();
		const idleAt = (transfer.awaitingSince ?? now) + idleMs;
		if (now >= Math.min(idleAt, deadline)) {
			transfer.failure ??= now >= deadline ? TOO_SLOW : IDLE;
			connection.abort();
			return;
		}
		await pause(Math.min(idleAt, deadline) - now, connection.signal);
	}
}

/** The address where the video was found, and the received and the announced number of bytes. */
function describeTransfer({ receivedBytes }: Transfer, { headers, url }: VideoResponse) {
	// For a packed file, the number is that of the packed bytes.
	const isPacked = headers['content-encoding'] !== undefined;
	const announcedBytes = isPacked ? NaN : Number(headers['content-length'] ?? NaN);
	return {
		address: hideQuery(url),
		receivedBytes,
		...(Number.isSafeInteger(announcedBytes) ? { announcedBytes } : {}),
	};
}

/**
 * More downloads at once take more memory, and finish no sooner: n8n may hold every file that is being
 * transferred in memory.
 */
export const DOWNLOADS_AT_ONCE = 4;
