import type { Durations } from './settings';

/** The API's operations by resource and verb, and the download of a finished video. */
export type Operation =
	| `queue.${'add' | 'getProgress' | 'clear'}`
	| `${'video' | 'project'}.getAll`
	| 'account.get'
	| 'video.file';

/** The owner of an API key. Everything else belongs to one account. */
export interface Account {
	/** The sandbox's own name for the account; the API has no account id. */
	id: string;
	name: string;
	email: string;
	apiKey: string;
	/** A second key, such as for another team. */
	otherApiKey?: string;
	credits: number;
}

/**
 * A saved project. The API does not show its settings; in the sandbox they are cost, durations,
 * outcome and picture.
 */
export interface Project {
	id: string;
	accountId: string;
	name: string;
	createdAt: number;
	updatedAt: number;
	/** Credits per video. */
	cost: number;
	/** Whether every generation of this project fails. */
	fails: boolean;
	durations: Partial<Durations>;
	/** The MP4 that its videos show: a file name in `sandbox/files/`, without extension. */
	picture: string;
}

export interface QueueItem {
	/** Always text here; replies may show it as a number (`numericQueueIds`). */
	queueId: string;
	accountId: string;
	projectId: string;
	createdAt: number;
	/** When its generation starts, as far as that is known; later than `createdAt` with `maxAtOnce`. */
	startsAt: number;
	durations: Durations;
	/** The outcome of the generation, unless the item is finished before it. */
	outcome: 'completed' | 'failed';
	/** When it was completed regardless of its durations. */
	finishedAt: number | null;
	/** Assigned at the start, so that ids do not depend on the order in which videos finish. */
	videoId: string;
	/** Whether its entry is in the video log. */
	logged: boolean;
	/** Whether its queue id may be given to another item. */
	isIdFree: boolean;
	/** Whether it has left the queue: the API responds with 404, but the generation continues. */
	left: boolean;
	overwriteSettings: boolean;
	customPrompt: string | null;
}

/** One successful generation, as the API lists it. */
export interface VideoLog {
	id: string;
	/** Undefined for an entry that a test has added. */
	queueId?: string;
	/** Null means the address at which the sandbox itself serves this video. */
	url: string | null;
	projectId: string;
	/** Text rather than a time, because tests also list invalid dates. */
	createdAt: string;
}

/** What a video shows, to a person who looks at it. */
export interface VideoContent extends Pick<Project, 'name' | 'picture'> {
	/** Empty for the project's own prompt. */
	prompt: string;
}

/** An accepted add. Charges are never removed, unlike the queue items they paid for. */
export interface Charge extends Pick<
	QueueItem,
	'queueId' | 'accountId' | 'projectId' | 'customPrompt' | 'videoId'
> {
	overwriteSettings: boolean;
	/** Credits. */
	cost: number;
	/** Sandbox time in milliseconds since 1970. */
	at: number;
}

/** An error with the service's own message, and the status of its reply. */
export class ServiceError extends Error {
	constructor(
		readonly statusCode: number,
		message: string,
	) {
		super(message);
	}
}
