import type { IDataObject } from 'n8n-workflow';
import { classifyError } from '../failures/errors';
import { isNotFound } from '../failures/failure';
import { type ApiOptions, type Endpoint, fetchFromApi, type Service } from './request';
import {
	createIncomplete,
	cutDeep,
	isObject,
	requireList,
	requireObject,
	toText,
} from './response';

/** The endpoints of the API (specification, "Endpoints"), as the operations declare them. */
export const ENDPOINTS = {
	addToQueue: { method: 'POST', url: '/v1/queue/add' },
	getProgress: { method: 'GET', url: '/v1/queue/progress/{queueId}' },
	clearQueueItem: { method: 'POST', url: '/v1/queue/clear' },
	listVideos: { method: 'GET', url: '/v1/videos' },
	listProjects: { method: 'GET', url: '/v1/projects' },
	getAccount: { method: 'GET', url: '/v1/user/account' },
} satisfies Record<string, Endpoint>;

/** Dots name other places even when they are percent-encoded, and half a surrogate pair has no encoding. */
const NO_SEGMENT = /^\.{0,2}$|\p{Cs}/u;

/** A value as exactly one segment of a path; undefined if it cannot be one. */
export function encodePathSegment(value: string): string | undefined {
	return NO_SEGMENT.test(value) ? undefined : encodeURIComponent(value);
}

export async function fetchProgress(service: Service, queueId: string, options: ApiOptions) {
	const { method, url: template } = ENDPOINTS.getProgress;
	const url = template.replace('{queueId}', () => encodePathSegment(queueId) ?? '');
	const { body } = await fetchFromApi(service, { method, url }, options);
	return requireObject(body, 'details');
}

export async function clearQueueItem(service: Service, queueId: string, options: ApiOptions) {
	await sendDeletion(service, { ...ENDPOINTS.clearQueueItem, body: { queueId } }, options);
}

/**
 * Deletes what the only field of the body names. That cannot be undone, but the request may be sent again: if it is not
 * found after a try that may have been carried out, it is deleted.
 */
async function sendDeletion(
	service: Service,
	request: Endpoint & { body: Record<string, string> },
	options: ApiOptions,
): Promise<void> {
	const [field = ''] = Object.keys(request.body);
	try {
		const { body } = await fetchFromApi(service, request, options);
		if (Array.isArray(body) || toText(body[field]) === '') throw createIncomplete(field);
	} catch (error) {
		const failure = classifyError(error);
		if (!isNotFound(failure) || failure.facts.mayBeDone !== true) throw failure;
	}
}

/** In bytes: about a million videos. Parsing more would hold up n8n's event loop for seconds. */
const MAX_VIDEOS_LENGTH = 256_000_000;
const MAX_PROJECTS_LENGTH = 64_000_000;

interface LogQuery {
	/** The tag of an earlier response; an unchanged log (304) then comes without entries. */
	etag?: string | undefined;
	/** Tells by its `createdAt` whether an entry is so old that it is only counted. */
	isOld?: (createdAt: unknown) => boolean;
}

/**
 * Fetches the whole video log, in any order; its entries may hold anything. The specification names an entry's address
 * `url`, and reports of prose examples that name it `videoUrl`: such an entry gets a `url` as well.
 */
export async function fetchVideoLog(
	service: Service,
	options: ApiOptions,
	{ etag, isOld = () => false }: LogQuery = {},
) {
	const request = { ...ENDPOINTS.listVideos, etag, maxLength: MAX_VIDEOS_LENGTH };
	const { body, ...response } = await fetchFromApi(service, request, options);
	const parsedAt = performance.now();
	const entries: IDataObject[] = [];
	let oldCount = 0;
	for (const entry of requireList(body, 'videos')) {
		if (!isObject(entry)) continue;
		if (isOld(entry.createdAt)) {
			oldCount += 1;
			continue;
		}
		if (!entry.url && toText(entry.videoUrl) !== '') entry.url = entry.videoUrl;
		entries.push(cutDeep(entry));
	}
	const parsedInMs = response.parsedInMs + performance.now() - parsedAt;
	return { ...response, entries, oldCount, parsedInMs };
}

export async function fetchProjects(service: Service, qs: IDataObject, options: ApiOptions) {
	const request = { ...ENDPOINTS.listProjects, qs, maxLength: MAX_PROJECTS_LENGTH };
	const { body } = await fetchFromApi(service, request, options);
	return requireList(body, 'projects')
		.filter(isObject)
		.map((project) => cutDeep(project));
}

/** The account, without its envelope, and with its credits first. */
export async function fetchAccount(service: Service, options: ApiOptions): Promise<IDataObject> {
	const { body } = await fetchFromApi(service, ENDPOINTS.getAccount, options);
	const account: IDataObject = { usage: requireObject(body, 'usage'), ...(body as IDataObject) };
	delete account.status;
	delete account.message;
	return account;
}

export async function fetchRemainingCredits(service: Service, options: ApiOptions) {
	const { remainingCredits } = (await fetchAccount(service, options)).usage as IDataObject;
	if (typeof remainingCredits === 'number') return remainingCredits;
	throw createIncomplete('usage.remainingCredits');
}
