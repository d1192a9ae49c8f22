import type { IDataObject } from 'n8n-workflow';
import type { ApiContext, FetchOptions } from './request';
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

type Options = Omit<FetchOptions, 'maxBytes'>;

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
	context: ApiContext,
	queueId: string,
	options: Options,
): Promise<FetchedProgress> {
	const url = `/v1/queue/progress/${encodePathSegment(queueId) ?? ''}`;
	const { body, hide } = await fetchFromApi(
		context,
		{ url },
		{ ...options, maxBytes: MAX_OBJECT_BYTES },
	);
	const details = hideStatus(requireObject(body, 'details'), hide);
	return { details, ...getServiceMessage(details, hide) };
}

/**
 * The projects of the account, last updated first (specification, "GET /v1/projects").
 *
 * @returns each with its name, or its ID where it has none
 */
export async function fetchProjects(
	context: ApiContext,
	options: Options,
): Promise<{ id: string; name: string }[]> {
	const request = { url: '/v1/projects', qs: { sort: 'updatedAt', order: 'desc' } };
	const { body } = await fetchFromApi(context, request, { ...options, maxBytes: MAX_LIST_BYTES });
	return requireList(body, 'projects')
		.filter(isObject)
		.map(({ id, name }) => ({ id: toText(id), name: toText(name) || toText(id) }))
		.filter(({ id }) => id !== '');
}

/** The account's credits (specification, "GET /v1/user/account"). */
export async function fetchRemainingCredits(
	context: ApiContext,
	options: Options,
): Promise<number> {
	const request = { url: '/v1/user/account' };
	const { body } = await fetchFromApi(context, request, {
		...options,
		maxBytes: MAX_OBJECT_BYTES,
	});
	const credits = requireObject(body, 'usage').remainingCredits;
	if (typeof credits === 'number') return credits;
	throw createIncomplete('usage.remainingCredits');
}
