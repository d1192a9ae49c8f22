import type { IDataObject } from 'n8n-workflow';
import { toText } from '../api/response';

/** The words of a service for a finished and for a failed video, in lower case. */
export interface StatusWords {
	completed: ReadonlySet<string>;
	failed: ReadonlySet<string>;
}

/** The usual words of such services: the specification names `pending` only ("States and transitions"). */
export const DEFAULT_COMPLETED_STATUSES =
	'completed, complete, done, finished, success, succeeded, ready';

export const DEFAULT_FAILED_STATUSES =
	'failed, failure, error, errored, rejected, expired, aborted, cancelled, canceled';

/** A comma-separated list of words, as the user entered it. */
export function parseStatusWords(list: string): ReadonlySet<string> {
	return new Set(list.split(',').map(normalize).filter(Boolean));
}

/**
 * Decides from a queue item's progress whether its video is finished. An unknown status means that it
 * is still being made. The address of the video means that it is finished.
 */
export function getVerdict(
	details: IDataObject,
	words: StatusWords,
): 'finished' | 'failed' | 'running' {
	const status = normalize(toText(details.status));
	if (words.completed.has(status)) return 'finished';
	if (words.failed.has(status)) return 'failed';
	return getVideoUrl(details) === undefined ? 'running' : 'finished';
}

/** The address of its video that a queue item's progress tells. */
export function getVideoUrl({ videoUrl }: IDataObject): string | undefined {
	return typeof videoUrl === 'string' && videoUrl.trim() !== '' ? videoUrl.trim() : undefined;
}

/** A status as text; 'unknown' without one. */
export function getStatus({ status }: IDataObject): string {
	return typeof status === 'string' || typeof status === 'number' ? String(status) : 'unknown';
}

function normalize(word: string): string {
	return word.trim().toLowerCase();
}
