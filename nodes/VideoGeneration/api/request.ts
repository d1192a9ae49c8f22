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
import { hashText } from './hash';
import { hideKey, checkBody, parseEtag } from './response';
import type { TakeSlot } from './pacing';
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

/** Sends one signed request to the service, once. @throws the error as n8n hands it over */
export async function sendRequest(
	{ context, hide }: Service,
	options: IHttpRequestOptions,
): Promise<HttpResponse> {
	const { timeout = RESPONSE_TIMEOUT_MS } = options;
	const endsAt = performance.now() + timeout;
	const request = { ...REQUEST_DEFAULTS, ...options, timeout, returnFullResponse: true };
	const response = (await context.helpers.httpRequestWithAuthentication.call(
		context,
		CREDENTIAL,
		request,
	)) as IN8nHttpFullResponse;
	return { ...response, endsAt, hide };
}

/** The service as a credential names it. */
export interface Service {
	/** The caller's context, in which n8n signs requests with the credential as it was read. */
	context: ApiContext;
	baseUrl: string;
	/** Identifies the account, without its key. */
	account: number;
	/** Removes the key from a text. */
	hide: (text: string) => string;
}

/**
 * Reads and checks the credential once, so that no later request can fail because it cannot be read. It is
 * read again if n8n's database fails: a moment without it would fail one row after the other.
 *
 * @throws a RequestFailure: nothing was sent
 */
export async function openService(
	context: ApiContext,
	{ maxTries, signal }: Omit<RetryOptions, 'requestKind'>,
): Promise<Service> {
	for (let tries = 1; ; tries++) {
		try {
			return await readService(context);
		} catch (error) {
			const failure = classifyError(error);
			if (failure.kind !== 'unsent' || tries >= maxTries || signal?.aborted) throw failure;
			await pause(getBackoffMs(tries, Math.random()), signal);
		}
	}
}

async function readService(context: ApiContext): Promise<Service> {
	try {
		const credential = await context.getCredentials(CREDENTIAL);
		const apiKey = parseApiKey(credential.apiKey);
		const getCredentials = async () => await Promise.resolve(credential);
		return {
			// n8n's functions call each other through `this`, so the credential is on the same object.
			context: Object.assign(Object.create(context) as ApiContext, { getCredentials }),
			baseUrl: parseBaseUrl(credential.baseUrl),
			account: hashText(getAccountKey(credential)),
			hide: (text) => hideKey(text, apiKey),
		};
	} catch (error) {
		throw toCredentialFailure(error);
	}
}

function toCredentialFailure(error: unknown): RequestFailure {
	if (!(error instanceof CredentialProblem)) return classifyError(error);
	const { field, problem, whatToDo, message: serviceMessage } = error;
	const isBaseUrl = field === 'baseUrl';
	const facts = { isBaseUrl, problem, whatToDo, serviceMessage };
	return new RequestFailure({ kind: 'badCredential', ...facts });
}

/** How the requests of an item, a poll or a list of the editor are sent. */
export interface ApiOptions extends Omit<RetryOptions, 'requestKind'> {
	connection?: ConnectionSettings | undefined;
	/** Limits how many requests are under way at the same time. */
	takeSlot?: TakeSlot;
}

/** The method and the path of an operation, which its `routing` declares. */
export interface Endpoint {
	method: 'GET' | 'POST';
	url: string;
}

interface ApiRequest extends Endpoint {
	/** Maximum size of the response. */
	maxBytes: number;
	qs?: IDataObject;
	body?: IDataObject;
	/** The tag of an earlier response (RFC 9110, section 13.1.2). */
	etag?: string | undefined;
	requestKind?: 'read' | 'clear';
}

/** A body with its `ETag`, which tells later whether the body has changed. */
export interface Fetched {
	body: Body;
	etag: string | undefined;
	/** Whether nothing has changed since the tag of the request. The body is then empty. */
	isUnchanged: boolean;
	/** When the response began, by `performance.now()`. */
	respondedAt: number;
}

/**
 * Sends a request, again where the policy allows it. All requests but adds and downloads come through here.
 *
 * @returns the body, whose `status` is `success`
 * @throws a RequestFailure
 */
export async function fetchFromApi(
	service: Service,
	{ etag, maxBytes, requestKind = 'read', ...request }: ApiRequest,
	{ connection, deadline = Infinity, takeSlot, ...retries }: ApiOptions,
): Promise<Fetched> {
	const send = async () => {
		// Node.js accepts whole milliseconds only.
		const leftMs = Math.max(Math.floor(deadline - performance.now()), MIN_TRY_MS);
		const timeout = Math.min(connection?.timeout ?? RESPONSE_TIMEOUT_MS, leftMs);
		const headers = etag === undefined ? {} : { 'If-None-Match': etag };
		const options = { ...connection, ...request, timeout, headers };
		const response = await sendRequest(service, options).catch((error: unknown) => {
			const failure = classifyError(error);
			throw connection?.proxy === undefined ? failure : failure.with({ isProxied: true });
		});
		const respondedAt = performance.now();
		const isUnchanged = etag !== undefined && response.statusCode === 304;
		const content = await receiveBody(response, maxBytes);
		const body = isUnchanged ? {} : checkBody(response, content);
		return { body, etag: parseEtag(response.headers.etag), isUnchanged, respondedAt };
	};
	return await sendWithRetries(takeSlot ? async () => await takeSlot(send) : send, {
		...retries,
		requestKind,
		deadline: deadline - MIN_TRY_MS,
	});
}
