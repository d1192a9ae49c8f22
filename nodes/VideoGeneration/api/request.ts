import type {
	IDataObject,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IN8nHttpFullResponse,
	IPollFunctions,
} from 'n8n-workflow';
import { classifyError } from '../failures/classifyError';
import { hashBytes } from './hash';
import { checkBody, parseEtag } from './response';
import type { BodyLimits, HttpResponse } from './responseBody';
import { receiveBody } from './responseBody';
import type { RetryOptions } from './retry';
import { sendWithRetries } from './retry';

/** The credential that signs every request. */
export const CREDENTIAL = 'videoGenerationApi';

/**
 * What holds for every request. No redirect is followed, since n8n would send the key along. n8n
 * throws no HTTP error, since `Retry-After` would be lost. The body comes as a stream, since n8n
 * would buffer a body of any size.
 */
export const REQUEST_DEFAULTS = {
	json: true,
	disableFollowRedirect: true,
	ignoreHttpStatusErrors: true,
	encoding: 'stream',
} as const;

/** How long a read or a clear waits for its response: it can be sent again. */
export const RESPONSE_TIMEOUT_MS = 60_000;

/** How long an add waits, which cannot: n8n's own timeout. */
export const MAX_RESPONSE_TIMEOUT_MS = 300_000;

/** A try with less time than this for its response is not started. */
const MIN_TRY_MS = 1_000;

export type ApiContext = IExecuteSingleFunctions | ILoadOptionsFunctions | IPollFunctions;

/** How the user lets n8n send requests: the parts of "Request Options" that every request of an item uses. */
export type ConnectionSettings = Pick<
	IHttpRequestOptions,
	'proxy' | 'skipSslCertificateValidation' | 'timeout'
>;

/**
 * Sends one signed request to the service, once.
 *
 * @throws a RequestFailure when no response came
 */
export async function sendRequest(
	context: ApiContext,
	options: IHttpRequestOptions,
): Promise<HttpResponse> {
	try {
		return (await context.helpers.httpRequestWithAuthentication.call(context, CREDENTIAL, {
			...options,
			returnFullResponse: true,
		})) as IN8nHttpFullResponse;
	} catch (error) {
		const failure = classifyError(error);
		throw options.proxy === undefined ? failure : failure.with({ isProxied: true });
	}
}

export interface FetchOptions extends Omit<RetryOptions, 'requestKind'> {
	limits: BodyLimits;
	connection?: ConnectionSettings | undefined;
}

type Body = IDataObject | IDataObject[];

/** A body with its tag, by which it can be told later whether it has changed. */
export interface Tagged {
	body: Body;
	/** The service's `ETag`. */
	etag: string | undefined;
	/** A tag of our own, for a service without. It takes a pass over the body. */
	createTag: () => string | undefined;
	/** Whether it is the same as when it had the tag that was given; the body is empty then. */
	isUnchanged: boolean;
}

/** A tag of ours begins like this: it is compared here, and never sent. */
const OWN_TAG = 'body-';

/**
 * Reads from the service, beside the request that an operation declares.
 *
 * @param request the path below the Base URL, and the query
 * @returns the body, whose `status` is `success`
 * @throws a RequestFailure
 */
export async function fetchFromApi(
	context: ApiContext,
	request: { url: string; qs?: IDataObject },
	options: FetchOptions,
): Promise<Body> {
	return (await fetchTagged(context, request, undefined, options)).body;
}

/**
 * As `fetchFromApi`, and conditional where a tag is given: the service sends no body when nothing has
 * changed (RFC 9110, section 13.1.2; the specification of the service shows no header of its own). Of
 * a service without tags, an unchanged body is not parsed, which takes most of the time.
 */
export async function fetchTagged(
	context: ApiContext,
	request: { url: string; qs?: IDataObject },
	etag: string | undefined,
	{ limits, connection, deadline = Infinity, ...retries }: FetchOptions,
): Promise<Tagged> {
	const isOwn = etag?.startsWith(OWN_TAG) === true;
	const isSent = etag !== undefined && !isOwn;
	const send = async () => {
		// Node.js accepts whole milliseconds only.
		const leftMs = Math.max(Math.floor(deadline - performance.now()), MIN_TRY_MS);
		const response = await sendRequest(context, {
			...REQUEST_DEFAULTS,
			...connection,
			...request,
			method: 'GET',
			timeout: Math.min(connection?.timeout ?? RESPONSE_TIMEOUT_MS, leftMs),
			...(isSent ? { headers: { 'If-None-Match': etag } } : {}),
		});
		let received: Buffer | undefined;
		let isUnchanged = isSent && response.statusCode === 304;
		const createTag = () => received && `${OWN_TAG}${hashBytes(received)}-${received.length}`;
		const content = await receiveBody(response, limits, (bytes) => {
			received = bytes;
			isUnchanged = isOwn && createTag() === etag;
			return isUnchanged;
		});
		const body = isUnchanged ? {} : checkBody(response, content);
		return { body, etag: parseEtag(response.headers.etag), createTag, isUnchanged };
	};
	return await sendWithRetries(send, {
		...retries,
		requestKind: 'read',
		deadline: deadline - MIN_TRY_MS,
	});
}
