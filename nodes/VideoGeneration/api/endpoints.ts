import type { IDataObject } from 'n8n-workflow';
import type { ApiContext, FetchOptions } from './request';
import { fetchFromApi } from './request';
import {
	createIncomplete,
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

/** The progress of a queue item (specification, "GET /v1/queue/progress/{queueId}"). */
export async function fetchProgress(
	context: ApiContext,
	queueId: string,
	options: Options,
): Promise<IDataObject> {
	const url = `/v1/queue/progress/${encodePathSegment(queueId) ?? ''}`;
	const { body, hide } = await fetchFromApi(
		context,
		{ url },
		{ ...options, maxBytes: MAX_OBJECT_BYTES },
	);
	return hideStatus(requireObject(body, 'details'), hide);
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
	// The service may not sort as it was asked to.
	return requireList(body, 'projects')
		.filter(isObject)
		.sort((a, b) => getUpdateTime(b) - getUpdateTime(a))
		.map(({ id, name }) => ({ id: toText(id), name: toText(name) || toText(id) }))
		.filter(({ id }) => id !== '');
}

function getUpdateTime({ updatedAt }: IDataObject): number {
	return Date.parse(toText(updatedAt)) || 0;
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
