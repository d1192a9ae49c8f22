import type {
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IN8nHttpFullResponse,
	IPollFunctions,
} from 'n8n-workflow';
import {
	CREDENTIAL,
	CredentialProblem,
	parseApiKey,
	parseBaseUrl,
} from '../../../credentials/connection';
import { classifyError, explainBreak } from '../failures/errors';
import { RequestFailure } from '../failures/failure';
import { hashText } from './hashText';
import { hideKey } from './hideKey';
import { type TakeSlot, withTimeout } from './pacing';
import { type Body, checkBody, type HttpResponse, parseBody, parseList, toText } from './response';
import { type RetryOptions, sendWithRetries } from './retry';

/** A redirect would carry the key along, an error of n8n has no `Retry-After`, and n8n itself holds a body of any size in memory. */
export const REQUEST_DEFAULTS = {
	json: true,
	disableFollowRedirect: true,
	ignoreHttpStatusErrors: true,
	encoding: 'stream',
} as const;

/** Timeout of a request that can be sent again, unless "Request Options" has another. */
export const RESPONSE_TIMEOUT_MS = 60_000;

/** The maximum length of a body in bytes, unpacked, that answers one object: n8n saves all of it. Lists have their own. */
const MAX_LENGTH = 4_000_000;

/** The maximum of values in a body: each takes up to a hundred bytes of memory, however short its text is. */
const MAX_VALUES = 10_000_000;

/** How much of a longer body is kept, for the error of an add. */
const KEPT_LENGTH = 4_096;

/** A try that has less time than this is not started. */
const MIN_TRY_MS = 1_000;

type ApiContext = IExecuteSingleFunctions | ILoadOptionsFunctions | IPollFunctions;

/** The service as a credential names it. */
export interface Service {
	/** The caller's context, in which n8n signs requests with the credential as it was read. */
	context: ApiContext;
	baseUrl: string;
	/** Identifies the key at this address, without telling it. */
	keyId: number;
	/** Removes the key from a text. */
	hide: (text: string) => string;
}

/** Reads and checks the credential once: no later request can fail because of it. @throws a RequestFailure */
export async function openService(context: ApiContext): Promise<Service> {
	try {
		const credential = await context.getCredentials(CREDENTIAL);
		const apiKey = parseApiKey(credential.apiKey);
		const baseUrl = parseBaseUrl(credential.baseUrl);
		const getCredentials = async () => await Promise.resolve(credential);
		return {
			// n8n's functions call each other through `this`, so the credential is on the same object.
			context: Object.assign(Object.create(context) as ApiContext, { getCredentials }),
			baseUrl,
			keyId: hashText(`${baseUrl}\n${apiKey}`),
			hide: (text) => hideKey(text, apiKey),
		};
	} catch (error) {
		if (!(error instanceof CredentialProblem)) throw classifyError(error);
		const { problem, whatToDo } = error;
		const failure = new RequestFailure({ kind: 'badCredential', problem, whatToDo });
		throw failure;
	}
}

/** Signs and sends a request, once. The credential hands n8n the signal that ends it. @throws n8n's own error, or a RequestFailure */
export async function sendRequest(
	{ context, hide }: Service,
	options: IHttpRequestOptions & { timeout: number },
	maxLength = MAX_LENGTH,
): Promise<HttpResponse> {
	const { getExecutionCancelSignal } = context as Partial<IExecuteSingleFunctions>;
	const send = async (endSignal: AbortSignal) => {
		const signed = { ...REQUEST_DEFAULTS, ...options, returnFullResponse: true, endSignal };
		const sending = context.helpers.httpRequestWithAuthentication.call(context, CREDENTIAL, signed);
		const response = (await sending) as IN8nHttpFullResponse;
		return { ...response, ...(await readBody(response.body, maxLength)) };
	};
	// n8n's timeout begins anew with each part of a response.
	const sending = withTimeout(send, options.timeout, getExecutionCancelSignal?.call(context));
	const { body, headers, isTooLong, statusCode } = await sending;
	const text = hide(body.replace(/^\ufeff/, ''));
	// The tag is kept with the workflow.
	const shown = { location: hide(toText(headers.location)), etag: hide(toText(headers.etag)) };
	return { statusCode, headers: { ...headers, ...shown }, text, isTooLong };
}

/** Reads a body as text. One that is longer than the maximum is broken off, also one that is short as long as it is packed. */
async function readBody(body: unknown, maxLength: number) {
	// n8n's evaluations answer in place of the service.
	if (!(Symbol.asyncIterator in Object(body))) {
		return { body: typeof body === 'string' ? body : JSON.stringify(body ?? ''), isTooLong: false };
	}
	const chunks: Buffer[] = [];
	let length = 0;
	try {
		for await (const chunk of body as AsyncIterable<Buffer>) {
			chunks.push(chunk);
			length += chunk.length;
			if (length > maxLength) break;
		}
	} catch (error) {
		throw explainBreak(error);
	}
	const isBrokenOff = length > maxLength;
	const text = Buffer.concat(chunks, isBrokenOff ? KEPT_LENGTH : length).toString();
	const isTooLong = isBrokenOff || hasTooManyValues(text);
	return { body: isTooLong ? text.slice(0, KEPT_LENGTH) : text, isTooLong };
}

/** Each value takes two signs, and begins after one of these three. Parsing more of them may end n8n. */
function hasTooManyValues(text: string): boolean {
	if (text.length <= 2 * MAX_VALUES) return false;
	let left = MAX_VALUES;
	for (const sign of ',[{') {
		for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + 1)) {
			if (--left < 0) return true;
		}
	}
	return false;
}

/** How the requests of an item, a poll or a list of the editor are sent. */
export interface ApiOptions extends RetryOptions {
	/** "Request Options". */
	connection?:
		Pick<IHttpRequestOptions, 'proxy' | 'skipSslCertificateValidation' | 'timeout'> | undefined;
	/** Limits how many requests are under way at the same time. */
	takeSlot?: TakeSlot | undefined;
}

/** The method and the path of an operation, which its `routing` declares. */
export type Endpoint = Required<Pick<IHttpRequestOptions, 'method' | 'url'>>;

interface ApiRequest extends Endpoint, Pick<IHttpRequestOptions, 'body' | 'qs'> {
	/** The tag of an earlier response (RFC 9110, section 13.1.2): an unchanged list then comes without its body. */
	etag?: string | undefined;
	/** That of a list, whose entries are cut as they are read. */
	maxLength?: number;
}

/**
 * Sends a request other than an add or a download, again where the policy allows it. Without a change since the tag, the
 * body is an empty list. While it was parsed, n8n's event loop stood still. @throws a RequestFailure
 */
export async function fetchFromApi(
	service: Service,
	{ etag, maxLength, ...request }: ApiRequest,
	{ connection, deadline = Infinity, takeSlot, ...retries }: ApiOptions,
): Promise<Pick<HttpResponse, 'headers' | 'statusCode'> & { body: Body; parsedInMs: number }> {
	const condition = etag === undefined ? {} : { headers: { 'If-None-Match': etag } };
	const sendOnce = async () => {
		// Node.js accepts whole milliseconds only.
		const leftMs = Math.max(Math.floor(deadline - performance.now()), MIN_TRY_MS);
		const timeout = Math.min(connection?.timeout ?? RESPONSE_TIMEOUT_MS, leftMs);
		const options = { ...connection, ...request, ...condition, timeout };
		const response = await sendRequest(service, options, maxLength);
		const { headers, statusCode, text } = response;
		const isUnchanged = etag !== undefined && statusCode === 304;
		const receivedAt = performance.now();
		const parsed = maxLength === undefined ? parseBody(text) : parseList(text);
		const parsedInMs = performance.now() - receivedAt;
		const body = isUnchanged ? [] : checkBody(response, parsed);
		return { headers, statusCode, body, parsedInMs };
	};
	const send = takeSlot ? async () => await takeSlot(sendOnce) : sendOnce;
	return await sendWithRetries(send, { ...retries, deadline: deadline - MIN_TRY_MS });
}
