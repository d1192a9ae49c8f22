import type { IBinaryData } from 'n8n-workflow';
import { readFailure } from '../failures/readFailure';
import { ANSWER_TIMEOUT_MS } from '../request/requestDefaults';
import { RequestFailure } from '../failures/requestFailure';
import { sendWithRetries } from '../request/sendWithRetries';
import { readVideoAddress, showAddress } from './readVideoAddress';
import type { VideoReply } from './requestVideo';
import { requestVideo } from './requestVideo';
import type { Passage } from './storeVideo';
import { storeVideo } from './storeVideo';
import type { DownloadContext, VideoDownload } from './VideoDownload';
import { watchStall } from './watchStall';

const CANCELLED = new RequestFailure('cancelled');

/**
 * Downloads a video into n8n's binary store. It is a read: asked for again where the request policy
 * says so, from its beginning.
 *
 * @returns what stands under an item's `binary`
 * @throws a RequestFailure, to be told to the user in the context `VIDEO_HOST`
 */
export async function downloadVideo(
	context: DownloadContext,
	download: VideoDownload,
): Promise<IBinaryData> {
	const url = readVideoAddress(download.address);
	if (!(url instanceof URL)) {
		const serviceMessage = `${url.message}. ${url.description}`;
		throw new RequestFailure('unsent', { serviceMessage });
	}
	const { signals = [] } = download.retries;
	const send = async () => {
		if (signals.some((signal) => signal?.aborted)) throw CANCELLED;
		return await attemptDownload(context, download, url);
	};
	// A read is never told that it was cleared already.
	return (await sendWithRetries(send, { ...download.retries, requestKind: 'read' })) as IBinaryData;
}

async function attemptDownload(
	context: DownloadContext,
	{ fileName, retries: { signals = [] }, settings }: VideoDownload,
	url: URL,
): Promise<IBinaryData> {
	const connection = new AbortController();
	const stops = signals.filter((signal) => signal !== undefined);
	const signal = AbortSignal.any([...stops, connection.signal]);
	const passage: Passage = { receivedBytes: 0, isAwaitingHost: false, storeMs: 0 };
	let reply: VideoReply | undefined;
	try {
		reply = await requestVideo(context, url, settings, signal);
		void watchStall(passage, settings?.timeout ?? ANSWER_TIMEOUT_MS, connection);
		return await storeVideo(context, reply, fileName, passage);
	} catch (error) {
		const isStopped = stops.some(({ aborted }) => aborted);
		throw isStopped ? CANCELLED : completeFailure(readFailure(error), passage, reply);
	} finally {
		// Whatever has happened, nothing more is to come.
		connection.abort();
	}
}

/** Adds where it happened and how far it had come. */
function completeFailure(
	{ kind, facts }: RequestFailure,
	{ receivedBytes }: Passage,
	reply: VideoReply | undefined,
): RequestFailure {
	if (!reply) return new RequestFailure(kind, facts);
	const announcedBytes = Number(reply.headers['content-length'] ?? NaN);
	return new RequestFailure(kind, {
		...facts,
		address: showAddress(reply.url),
		receivedBytes,
		...(Number.isSafeInteger(announcedBytes) ? { announcedBytes } : {}),
	});
}
