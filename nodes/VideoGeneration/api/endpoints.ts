import type { IDataObject } from 'n8n-workflow';
import type { ApiOptions, Endpoint, Service } from './request';
import { fetchFromApi } from './request';
import {
	createIncomplete,
	getServiceMessage,
	hideStatus,
	isObject,
	requireList,
	requireObject,
	toText,
} from './response';
import { MAX_LIST_BYTES, MAX_OBJECT_BYTES } from './responseBody';

/** The endpoints of the API (specification, "Endpoints"), as the operations declare them. */
export const ENDPOINTS = {
	addToQueue: { method: 'POST', url: '/v1/queue/add' },
	getProgress: { method: 'GET', url: '/v1/queue/progress/{queueId}' },
	clearQueueItem: { method: 'POST', url: '/v1/queue/clear' },
	listVideos: { method: 'GET', url: '/v1/videos' },
	listProjects: { method: 'GET', url: '/v1/projects' },
	getAccount: { method: 'GET', url: '/v1/user/account' },
} satisfies Record<string, Endpoint>;

/**
 * A value as exactly one segment of a path.
 *
 * @returns undefined for what no segment can be: `.` and `..` name other places even when they are
 * percent-encoded, and half a surrogate pair has no encoding
 */
export function encodePathSegment(value: string): string | undefined {
	if (value === '' || value === '.' || value === '..') return undefined;
	try {
		return encodeURIComponent(value);
	} catch {
		return undefined;
	}
}

/** A queue item's progress, and what the service says about it. */
export interface FetchedProgress {
	details: IDataObject;
	serviceMessage?: string;
}

/** The progress of a queue item (specification, "GET /v1/queue/progress/{queueId}"). */
export async function fetchProgress(
	service: Service,
	queueId: string,
	options: ApiOptions,
): Promise<FetchedProgress> {
	const { method, url: template } = ENDPOINTS.getProgress;
	const url = template.replace('{queueId}', () => encodePathSegment(queueId) ?? '');
	const request = { method, url, maxBytes: MAX_OBJECT_BYTES };
	const { body } = await fetchFromApi(service, request, options);
	const details = hideStatus(requireObject(body, 'details'), service.hide);
	return { details, ...getServiceMessage(details, service.hide) };
}

/** Clears a queue item (specification, "POST /v1/queue/clear"). It cannot be undone, but may be sent again. */
export async function clearQueueItem(
	service: Service,
	queueId: string,
	options: ApiOptions,
): Promise<void> {
	const kind = { requestKind: 'clear', maxBytes: MAX_OBJECT_BYTES } as const;
	const request = { ...ENDPOINTS.clearQueueItem, ...kind, body: { queueId } };
	const { body } = await fetchFromApi(service, request, options);
	if (Array.isArray(body) || toText(body.queueId) === '') throw createIncomplete('queueId');
}

/** The projects of the account (specification, "GET /v1/projects"). */
export async function fetchProjects(
	service: Service,
	qs: IDataObject,
	options: ApiOptions,
): Promise<IDataObject[]> {
	const request = { ...ENDPOINTS.listProjects, qs, maxBytes: MAX_LIST_BYTES };
	const { body } = await fetchFromApi(service, request, options);
	return requireList(body, 'projects').filter(isObject);
}

/** The account, without its envelope (specification, "GET /v1/user/account"). */
export async function fetchAccount(
	service: Service,
	options: ApiOptions,
): Promise<IDataObject & { usage: IDataObject }> {
	const request = { ...ENDPOINTS.getAccount, maxBytes: MAX_OBJECT_BYTES };
	const { body } = await fetchFromApi(service, request, options);
	const usage = requireObject(body, 'usage');
	const account = { ...(body as IDataObject) };
	delete account.status;
	delete account.message;
	return { ...account, usage };
}

/** The account's credits (specification, "Account"). */
export async function fetchRemainingCredits(
	service: Service,
	options: ApiOptions,
): Promise<number> {
	const { remainingCredits } = (await fetchAccount(service, options)).usage;
	if (typeof remainingCredits === 'number') return remainingCredits;
	throw createIncomplete('usage.remainingCredits');
}
