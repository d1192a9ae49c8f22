import type {
	BinaryHelperFunctions,
	IN8nHttpFullResponse,
	RequestHelperFunctions,
} from 'n8n-workflow';
import { combineSignals } from '../api/pacing';
import type { ConnectionSettings } from '../api/request';
import { checkBody, toText } from '../api/response';
import { classifyError } from '../failures/classifyError';
import { RequestFailure } from '../failures/failure';

/** The parts of an n8n context that a download uses: those of operations and triggers have them. */
export interface DownloadContext {
	helpers: Pick<RequestHelperFunctions, 'httpRequest'> &
		Pick<BinaryHelperFunctions, 'prepareBinaryData'>;
}

/** A Node.js stream as n8n returns it; published code may not import the class. */
export type FileStream = Extract<
	Parameters<DownloadContext['helpers']['prepareBinaryData']>[0],
	{ pipe: unknown }
>;

export interface VideoResponse {
	body: FileStream;
	headers: IN8nHttpFullResponse['headers'];
	/** The address at the end of the redirects. */
	url: URL;
}

/** A short link, a load balancer and a storage service together need fewer. */
const MAX_REDIRECTS = 10;
const REDIRECTS = [301, 302, 303, 307, 308];
const HEADERS = {
	Accept: 'video/*,*/*;q=0.5',
	// Compression does not shrink a video, and it would hide the length of the file.
	'Accept-Encoding': 'identity',
};

/**
 * Requests a video, without any key, and follows redirects. n8n does not follow them itself, so that
 * every address is checked like the first one, by n8n's own rules about hosts too.
 *
 * @param signal closes the connection, while the file is transferred too
 * @throws a RequestFailure with the address that failed
 */
export async function fetchVideo(
	{ helpers }: DownloadContext,
	address: URL,
	settings: ConnectionSettings,
	signal: AbortSignal,
): Promise<VideoResponse> {
	let url = address;
	for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
		try {
			const response = await sendRequest(helpers, url, settings, signal);
			const target = findRedirect(response, url);
			if (target === undefined) return { ...response, url };
			url = target;
		} catch (error) {
			throw classifyError(error).with({ address: hideQuery(url) });
		}
	}
	throw new RequestFailure({ kind: 'redirected', isTooMany: true, address: hideQuery(address) });
}

type Response = Pick<VideoResponse, 'body' | 'headers'> & { statusCode: number };

async function sendRequest(
	helpers: DownloadContext['helpers'],
	url: URL,
	settings: ConnectionSettings,
	signal: AbortSignal,
): Promise<Response> {
	const connection = new AbortController();
	const response = (await helpers.httpRequest({
		...settings,
		method: 'GET',
		url: url.href,
		headers: { ...HEADERS },
		encoding: 'stream',
		returnFullResponse: true,
		disableFollowRedirect: true,
		ignoreHttpStatusErrors: true,
		abortSignal: combineSignals(signal, connection.signal),
	})) as IN8nHttpFullResponse & Response;
	// An error without a listener would crash n8n, and the body is read later, if at all.
	response.body.on('error', () => undefined);
	if (response.statusCode !== 200) connection.abort();
	return response;
}

/**
 * @returns where the response redirects to, or undefined for a response that holds the video
 * @throws a RequestFailure for every other response
 */
function findRedirect({ headers, statusCode }: Response, url: URL): URL | undefined {
	if (statusCode === 200) return undefined;
	const httpCode = String(statusCode);
	// A part of a file (206), or none yet (202, 204).
	if (statusCode < 300) throw new RequestFailure({ kind: 'uncertain', httpCode });
	if (!REDIRECTS.includes(statusCode)) checkBody({ headers, statusCode }, undefined);
	const { location } = headers;
	if (typeof location !== 'string' || !URL.canParse(location, url.href)) {
		throw new RequestFailure({ kind: 'redirected', httpCode });
	}
	const target = new URL(location, url);
	if (isWebAddress(target)) return target;
	throw new RequestFailure({ kind: 'redirected', httpCode, location: target.protocol });
}

/**
 * The address of a video, from "Video URL" or from the service's video log.
 *
 * @returns undefined unless it is an address that can be requested
 */
export function parseVideoAddress(value: unknown): URL | undefined {
	const text = toText(value);
	if (!URL.canParse(text)) return undefined;
	const url = new URL(text);
	return isWebAddress(url) ? url : undefined;
}

/** Whether it is http(s), with a host. A user name or a password in it would be sent as a key. */
function isWebAddress({ protocol, hostname, username, password }: URL): boolean {
	return /^https?:$/.test(protocol) && hostname !== '' && username === '' && password === '';
}

/** The address as errors show it: the query of a signed address is as good as a key. */
export function hideQuery({ origin, pathname }: URL): string {
	return origin + pathname;
}
