import type { IDataObject } from 'n8n-workflow';
import { RequestFailure } from '../failures/requestFailure';
import type { StatusWords } from './judgeStatus';
import type { LoggedVideo, QueuedVideo, VideoMatch } from './matchVideos';

/** One queue item to wait for. */
export interface WaitOrder {
	queueId: string;
	/** Undefined where it is not known. */
	projectId?: string | undefined;
	/** When it was queued, in milliseconds since 1970; undefined where it is not known. */
	createdAt?: number | undefined;
	/** Its progress as far as it is known already; undefined of an item that was never seen. */
	details?: IDataObject;
	intervalMs: number;
	timeoutMs: number;
	words: StatusWords;
	/** How many answers in a row may make no sense. */
	maxTries: number;
	/** Reads the progress once (specification, "GET /v1/queue/progress/{queueId}"). */
	readProgress(): Promise<IDataObject>;
	/** Told every status that is seen. */
	onStatus?(status: string): void;
}

/** More entries of the video log than these help nobody to choose. */
const MOST_CANDIDATES = 100;

/** A wait for one queue item: what is known of the item, and how the wait ends. */
export class VideoWait implements QueuedVideo {
	/**
	 * `finished` and `left` (it is in the queue no more) wait for the video log; `over` waits for
	 * nothing any more.
	 */
	state: 'running' | 'finished' | 'left' | 'over' = 'running';

	/** Whether the wait was given up, so that its video may yet appear. */
	isUndecided = false;

	lastRunningRead = 0;

	/** By the service's time: it moves on with each look that finds the item running. */
	notBefore: number | undefined;

	/** When its progress is to be read next, in milliseconds since 1970. */
	nextLookAt: number;

	readonly deadlineAt: number;

	/** The finished item: progress details, `queueId`, `projectId`, `video`, `videoUrl`, and `videoCandidates` where the API cannot tell. */
	readonly result: Promise<IDataObject>;

	details: IDataObject;

	/** The entry of the video log that it was given. */
	given: LoggedVideo | undefined;

	/** Failed looks in a row whose answers made no sense. */
	senselessLooks = 0;

	/** Why the last look failed. */
	problem: RequestFailure | undefined;

	/** Reads of the video log since it was known to be finished. */
	readsSinceFinished = 0;

	private settle:
		{ resolve(video: IDataObject): void; reject(failure: RequestFailure): void } | undefined;

	constructor(
		readonly order: WaitOrder,
		private readonly joinedAt: number,
	) {
		this.details = order.details ?? {};
		this.notBefore = order.createdAt;
		this.deadlineAt = joinedAt + order.timeoutMs;
		// An item that was just queued cannot be finished yet.
		this.nextLookAt = order.details
			? Math.min(joinedAt + order.intervalMs, this.deadlineAt)
			: joinedAt;
		this.result = new Promise((resolve, reject) => {
			this.settle = { resolve, reject };
		});
	}

	get projectId(): string | undefined {
		return this.order.projectId;
	}

	get videoUrl(): string | undefined {
		const { videoUrl } = this.details;
		return typeof videoUrl === 'string' && videoUrl !== '' ? videoUrl : undefined;
	}

	get lastStatus(): string {
		const { status } = this.details;
		return typeof status === 'string' ? status : 'unknown';
	}

	/** Whether its video is looked for in the video log. */
	get needsLog(): boolean {
		return this.state === 'finished' || this.state === 'left';
	}

	/**
	 * Notes that the item was still running when it was asked for at this time. Since it was queued, at
	 * least as much time has passed for the service as has passed here since it was known to be queued:
	 * so no two clocks are compared.
	 */
	noteRunning(askedAt: number, logReads: number): void {
		this.lastRunningRead = logReads;
		const { createdAt } = this.order;
		if (createdAt !== undefined) this.notBefore = createdAt + (askedAt - this.joinedAt);
	}

	finish(match: VideoMatch): void {
		this.given = 'video' in match ? match.video : undefined;
		const video = this.given?.entry ?? null;
		const { url = null } = video ?? {};
		const candidates = 'video' in match ? [] : match.candidates;
		const newest = [...candidates].sort((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0));
		const ids = {
			queueId: this.order.queueId,
			projectId: this.projectId ?? video?.projectId ?? null,
		};
		// First, where a table of the output begins, and last, since they are not the service's to change.
		this.end()?.resolve({
			...ids,
			...this.details,
			...ids,
			video,
			videoUrl: this.videoUrl ?? url,
			...(video
				? {}
				: { videoCandidates: newest.slice(0, MOST_CANDIDATES).map(({ entry }) => entry) }),
		});
	}

	fail({ kind, facts }: RequestFailure): void {
		this.end()?.reject(new RequestFailure(kind, { ...facts, lastStatus: this.lastStatus }));
	}

	/** Gives the wait up: the video may still be made. */
	timeOut(): void {
		this.isUndecided = true;
		const { httpCode, serviceMessage } = this.problem?.facts ?? {};
		this.fail(
			new RequestFailure('timedOut', {
				waitedSeconds: Math.round(this.order.timeoutMs / 1000),
				...(httpCode === undefined ? {} : { serviceMessage: serviceMessage ?? httpCode }),
			}),
		);
	}

	private end() {
		this.state = 'over';
		const { settle } = this;
		this.settle = undefined;
		return settle;
	}
}
