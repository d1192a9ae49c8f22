import type { IDataObject } from 'n8n-workflow';

/** Which words of a service mean that a video is finished, and which that it has failed; in lower case. */
export interface StatusWords {
	completed: ReadonlySet<string>;
	failed: ReadonlySet<string>;
}

export type StatusVerdict = 'finished' | 'failed' | 'running';

/** The usual words of such services: the specification names `pending` only ("States and transitions"). */
export const DEFAULT_COMPLETED_STATUSES =
	'completed, complete, done, finished, success, succeeded, ready';

export const DEFAULT_FAILED_STATUSES =
	'failed, failure, error, errored, rejected, expired, aborted, cancelled, canceled';

/** A comma-separated list of words as the user has entered it. */
export function readStatusWords(list: string): ReadonlySet<string> {
	return new Set(list.split(',').map(normalize).filter(Boolean));
}

/**
 * What a queue item's progress says of its video. A word that is not known is not the end: it is
 * still running. An address of the video is as good as a word for finished.
 */
export function judgeStatus(details: IDataObject, words: StatusWords): StatusVerdict {
	const status = normalize(details.status);
	if (words.completed.has(status)) return 'finished';
	if (words.failed.has(status)) return 'failed';
	return typeof details.videoUrl === 'string' && details.videoUrl !== '' ? 'finished' : 'running';
}

function normalize(word: unknown): string {
	return typeof word === 'string' ? word.trim().toLowerCase() : '';
}
