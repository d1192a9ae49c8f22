import type {
	IDataObject,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IN8nHttpFullResponse,
	IPollFunctions,
} from 'n8n-workflow';
import {
	CREDENTIAL,
	CredentialProblem,
	getAccountKey,
	parseApiKey,
	parseBaseUrl,
} from '../../../credentials/connection';
import { classifyError } from '../failures/errors';
import { RequestFailure } from '../failures/failure';
import { hideKey, checkBody, parseEtag } from './response';
import { pause } from './pacing';
import type { Body } from './response';
import type { HttpResponse } from './responseBody';
import { receiveBody } from './responseBody';
import type { RetryOptions } from './retry';
import { getBackoffMs, sendWithRetries } from './retry';

/**
 * The settings of every request. Redirects are not followed, since n8n would send the key along. n8n
 * does not throw HTTP errors, since `Retry-After` would be lost. The body is a stream, since n8n would
 * buffer a body of any size.
 */
export const REQUEST_DEFAULTS = {
	json: true,
	disableFollowRedirect: true,
	ignoreHttpStatusErrors: true,
	encoding: 'stream',
} as const;

/** Timeout of a request that can be sent again, unless "Request Options" has another. */
export const RESPONSE_TIMEOUT_MS = 60_000;

/** A try that has less time than this is not started. */
const MIN_TRY_MS = 1_000;

export type ApiContext = IExecuteSingleFunctions | ILoadOptionsFunctions | IPollFunctions;

/** The parts of "Request Options" that every request of an item uses. */
export type ConnectionSettings = Pick<
	IHttpRequestOptions,
	'proxy' | 'skipSslCertificateValidation' | 'timeout'
>;

/**
 * Sends one signed request to the service, once.
 *
 * @throws a RequestFailure when the credential cannot be used, or no response came
 */
export async function sendRequest(
	context: ApiContext,
	options: IHttpRequestOptions,
): Promise<HttpResponse> {
	const service = await resolveService(context);
	try {
		return { ...(await sendSigned(service.context, options)), hide: service.hide };
	} catch (error) {
		const failure = classifyError(error);
		throw options.proxy === undefined ? failure : failure.with({ isProxied: true });
	}
}

/** Like `sendRequest`. @throws the error as n8n hands it over */
export async function sendSigned(
	context: ApiContext,
	options: IHttpRequestOptions,
): Promise<HttpResponse> {
	const { timeout = RESPONSE_TIMEOUT_MS } = options;
	const endsAt = performance.now() + timeout;
	const request = { ...options, timeout, returnFullResponse: true };
	const response = (await context.helpers.httpRequestWithAuthentication.call(
		context,
		CREDENTIAL,
		request,
	)) as IN8nHttpFullResponse;
	return { ...response, endsAt };
}

/** The service as an item's credential names it. */
export interface Service<Context extends ApiContext> {
	/** The item's context, in which n8n signs requests with the credential as it was read. */
	context: Context;
	baseUrl: string;
	/** Identifies the account. */
	account: string;
	/** Removes the key from a text. */
	hide: (text: string) => string;
}

/**
 * Reads and checks the credential once. A request that is sent in the returned context cannot fail
 * because the credential cannot be read.
 *
 * @throws a RequestFailure: nothing was sent
 */
export async function resolveService<Context extends ApiContext>(
	context: Context,
): Promise<Service<Context>> {
	try {
		const credential = await context.getCredentials(CREDENTIAL);
		const apiKey = parseApiKey(credential.apiKey);
		const getCredentials = async () => await Promise.resolve(credential);
		return {
			// n8n's functions call each other through `this`, so the credential is on the same object.
			context: Object.assign(Object.create(context) as Context, { getCredentials }),
			baseUrl: parseBaseUrl(credential.baseUrl),
			account: getAccountKey(credential),
			hide: (text) => hideKey(text, apiKey),
		};
	} catch (error) {
		throw toCredentialFailure(error);
	}
}

/**
 * Like `resolveService`, again if n8n's database fails: otherwise, a moment without it would end a paid wait,
 * or fail one row after the other.
 */
export async function resolveWithRetries<Context extends ApiContext>(
	context: Context,
	{ maxTries, signal }: Omit<RetryOptions, 'requestKind'>,
): Promise<Service<Context>> {
	for (let tries = 1; ; tries++) {
		try {
			return await resolveService(context);
		} catch (error) {
			const failure = classifyError(error);
			if (failure.kind !== 'unsent' || tries >= maxTries || signal?.aborted) throw failure;
			await pause(getBackoffMs(tries, Math.random()), signal);
		}
	}
}

function toCredentialFailure(error: unknown): RequestFailure {
	if (!(error instanceof CredentialProblem)) return classifyError(error);
	const { field, problem, whatToDo, message: serviceMessage } = error;
	const isBaseUrl = field === 'baseUrl';
	const facts = { isBaseUrl, problem, whatToDo, serviceMessage };
	return new RequestFailure({ kind: 'badCredential', ...facts });
}

export interface FetchOptions extends Omit<RetryOptions, 'requestKind'> {
	maxBytes: number;
	connection?: ConnectionSettings | undefined;
}

/** A body with its `ETag`, which tells later whether the body has changed. */
export interface Fetched {
	body: Body;
	/** Removes the key from a text. */
	hide: (text: string) => string;
	etag: string | undefined;
	/** Whether nothing has changed since the tag of the request. The body is then empty. */
	isUnchanged: boolean;
	/** When the response began, by `performance.now()`. */
	respondedAt: number;
}

/**
 * Sends a GET request that no operation declares, such as a progress check.
 *
 * @param request the path below the Base URL, the query, and the tag of an earlier response: the service
 * then sends no body when nothing has changed (RFC 9110, section 13.1.2; the specification of the service
 * shows no header of its own)
 * @returns the body, whose `status` is `success`
 * @throws a RequestFailure
 */
export async function fetchFromApi(
	context: ApiContext,
	{ etag, ...request }: { url: string; qs?: IDataObject; etag?: string | undefined },
	{ maxBytes, connection, deadline = Infinity, ...retries }: FetchOptions,
): Promise<Fetched> {
	const send = async () => {
		// Node.js accepts whole milliseconds only.
		const leftMs = Math.max(Math.floor(deadline - performance.now()), MIN_TRY_MS);
		const response = await sendRequest(context, {
			...REQUEST_DEFAULTS,
			...connection,
			...request,
			method: 'GET',
			timeout: Math.min(connection?.timeout ?? RESPONSE_TIMEOUT_MS, leftMs),
			...(etag !== undefined && { headers: { 'If-None-Match': etag } }),
		});
		const respondedAt = performance.now();
		const isUnchanged = etag !== undefined && response.statusCode === 304;
		const content = await receiveBody(response, maxBytes);
		const body = isUnchanged ? {} : checkBody(response, content);
		const { headers, hide = String } = response;
		return { body, hide, etag: parseEtag(headers.etag), isUnchanged, respondedAt };
	};
	return await sendWithRetries(send, {
		...retries,
		requestKind: 'read',
		deadline: deadline - MIN_TRY_MS,
	});
}
