import type { IN8nHttpFullResponse } from 'n8n-workflow';
import { judgeReply } from '../request/judgeReply';
import { readFailure } from '../failures/readFailure';
import { RequestFailure } from '../failures/requestFailure';
import { ANSWER_TIMEOUT_MS } from '../request/requestDefaults';
import { isWebAddress, showAddress } from './readVideoAddress';
import type { DownloadContext, VideoDownload } from './VideoDownload';

/** More than a short link, a load balancer and a storage service take together. */
const MOST_REDIRECTS = 10;
const REDIRECTS = [301, 302, 303, 307, 308];
const HEADERS = {
	Accept: 'video/*,*/*;q=0.5',
	// A video does not get smaller, and n8n does not tell the length of what it unpacks.
	'Accept-Encoding': 'identity',
};

/** A stream as n8n hands it over; published code may not import the class. */
export type FileStream = Extract<
	Parameters<DownloadContext['helpers']['prepareBinaryData']>[0],
	{ pipe: unknown }
>;

export interface VideoReply {
	body: FileStream;
	headers: Record<string, unknown>;
	/** Where the redirects have led to. */
	url: URL;
}

/**
 * Asks for a video, without any key, and follows redirects. That is done here and not by n8n, so
 * that each address is judged like the first one, also by n8n's own rules about hosts.
 *
 * @param signal closes the connection, also while the file is on its way
 * @throws a RequestFailure with the address that has failed
 */
export async function requestVideo(
	context: DownloadContext,
	address: URL,
	settings: VideoDownload['settings'],
	signal: AbortSignal,
): Promise<VideoReply> {
	let url = address;
	for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
		const reply = await sendRequest(context, url, settings, signal).catch((error: unknown) => {
			const { kind, facts } = readFailure(error);
			throw new RequestFailure(kind, { ...facts, address: showAddress(url) });
		});
		if (!(reply instanceof URL)) return reply;
		url = reply;
	}
	throw new RequestFailure('redirected', { found: 'tooMany', address: showAddress(address) });
}

/** @returns the reply, or where it redirects to */
async function sendRequest(
	{ helpers }: DownloadContext,
	url: URL,
	settings: VideoDownload['settings'],
	signal: AbortSignal,
): Promise<VideoReply | URL> {
	const connection = new AbortController();
	const response = (await helpers
		.httpRequest({
			timeout: ANSWER_TIMEOUT_MS,
			...settings,
			method: 'GET',
			url: url.href,
			headers: { ...HEADERS },
			encoding: 'stream',
			returnFullResponse: true,
			disableFollowRedirect: true,
			ignoreHttpStatusErrors: true,
			abortSignal: AbortSignal.any([signal, connection.signal]),
		})
		.catch((error: unknown) => {
			throw readFailure({ message: (error as Error).message, cause: error });
		})) as IN8nHttpFullResponse & { body: FileStream };
	const { body, headers, statusCode } = response;
	// Whoever reads the stream is told as well; without a listener, an error would end n8n.
	body.on('error', () => undefined);
	if (statusCode < 300) return { body, headers, url };
	connection.abort();
	if (REDIRECTS.includes(statusCode)) return findTarget(headers.location, url, statusCode);
	judgeReply({ body: undefined, headers, statusCode });
	throw new RequestFailure('unexpected', { httpCode: String(statusCode) });
}

function findTarget(location: unknown, from: URL, statusCode: number): URL {
	const httpCode = String(statusCode);
	if (typeof location !== 'string' || !URL.canParse(location, from.href)) {
		throw new RequestFailure('redirected', { httpCode });
	}
	const target = new URL(location, from);
	if (isWebAddress(target)) return target;
	const scheme = target.protocol;
	throw new RequestFailure('redirected', { httpCode, found: 'notWeb', location: scheme });
}
