import http from 'node:http';
import type { IRun } from 'n8n-workflow';
import type { RecordedRequest } from '../../../sandbox/control/requestLog';
import type { Charge } from '../../../sandbox/domain/model';
import type { Sandbox } from '../../../sandbox/Sandbox';
import type { Story, StoryVideo } from './Story';
import { getVideo } from './Story';
import type { AddTrouble, Fate } from './troubles';
import { ADD_TROUBLES, READ_TROUBLES } from './troubles';

/**
 * The result of a story: the data of the executions and the service's record. Times are the
 * service's.
 */
export interface Play {
	story: Story;
	startedAt: number;
	executions: PlayedExecution[];
	adds: PlayedAdd[];
	videos: PlayedVideo[];
	requests: readonly RecordedRequest[];
	/** The API keys of the service. */
	keys: string[];
	/** The lines of n8n's log. */
	logLines: string[];
	/** The timers and requests that were left at the end, and long after it. */
	left: Leftovers;
	leftLater: Leftovers & { newRequests: string[] };
	/** The reason why the play was aborted before its end, if it was. */
	standstill?: string;
}

export interface Leftovers {
	timers: number;
	openRequests: string[];
}

export interface PlayedExecution {
	/** Undefined if it did not end. */
	run: IRun | undefined;
	endedAt: number;
	isStopped: boolean;
	/** The time when n8n had processed Stop, if that took time. */
	stoppedAt?: number;
}

/** An add that reached the service. */
export interface PlayedAdd {
	request: RecordedRequest;
	trouble?: AddTrouble;
	fate: Fate;
	charge?: Charge;
}

/** An accepted add and its outcome. */
export interface PlayedVideo {
	charge: Charge;
	plan: StoryVideo;
	/** The time when its generation ended; null if it was cleared before. */
	endsAt: number | null;
	/** The time when its entry is in the log; null if there will be none. */
	loggedAt: number | null;
}

/** Number of requests for a video's progress after which its `laterEnding` shows. */
const LATER_LOOKS = 3;

/** Time to render a video that fails: it must not be finished before it fails. */
const NEVER_MS = 6 * 3_600_000;

/** The service's part in a story, the same in n8n's engine and in a real n8n. */
export class Scene {
	readonly requests: RecordedRequest[] = [];

	readonly keys: [string, string];

	private readonly videos: PlayedVideo[] = [];

	private startedAt = 0;

	/** @param later runs an action after a time on the service's clock */
	constructor(
		private readonly story: Story,
		private readonly sandbox: Sandbox,
		private readonly later: (delayMs: number, action: () => void) => void,
	) {
		const { main, other } = sandbox.accounts;
		this.keys = [main.apiKey, other.apiKey];
	}

	/** Prepares the service and records its requests. @returns a function that stops the recording */
	open(): () => void {
		this.setScene();
		this.startedAt = this.sandbox.clock.now();
		return this.sandbox.onRequest((request) => {
			this.requests.push(request);
			this.castVideos();
		});
	}

	/** Lists the workflows' requests from an index on, without clears: those come from the story. */
	listRequests(from: number): string[] {
		return this.requests
			.slice(from)
			.filter(({ operation }) => operation !== 'queue.clear')
			.map(({ method, url }) => `${method} ${url}`);
	}

	/** Returns the service's record of the play. */
	describe(): Pick<Play, 'story' | 'startedAt' | 'adds' | 'videos' | 'requests' | 'keys'> {
		const { story, startedAt, videos, keys } = this;
		return { story, startedAt, videos, keys, adds: this.listAdds(), requests: [...this.requests] };
	}

	/** Sets up the service as it is when the story begins. */
	private setScene(): void {
		const { sandbox, story } = this;
		const { service } = story;
		sandbox.reset();
		sandbox.configure({
			numericQueueIds: service.numericQueueIds,
			videoUrlInDetails: service.videoUrlInDetails,
			endedItemsLeaveAfterMs: service.endedItemsLeaveAfterMs,
			logClockSkewMs: service.logClockSkewMs,
			logWholeSeconds: service.logWholeSeconds,
			etags: service.etags,
		});
		for (const [index, account] of (['main', 'other'] as const).entries()) {
			sandbox.setCredits(account, service.credits ?? 1_000);
			sandbox.addProjects(
				account,
				[0, 1, 2].map((project) => ({ id: `project-${index}-${project}` })),
			);
		}
		for (const { nth, trouble } of service.addTroubles) {
			sandbox.addFault({ ...ADD_TROUBLES[trouble].fault, operation: 'queue.add', nth });
		}
		for (const { nth, trouble } of service.logTroubles) {
			sandbox.addFault({ ...READ_TROUBLES[trouble].fault, operation: 'video.getAll', nth });
		}
		for (const { nth, trouble } of service.fileTroubles) {
			sandbox.addFault({ ...READ_TROUBLES[trouble].fault, operation: 'video.file', nth });
		}
		if (service.oddEntries) sandbox.addFault({ kind: 'oddEntries', operation: 'video.getAll' });
	}

	/** Gives each newly accepted video the life that the story has for it. */
	castVideos(): void {
		const { charges } = this.sandbox;
		for (let index = this.videos.length; index < charges.length; index++) {
			const charge = charges[index];
			if (!charge) return;
			const plan = getVideo(this.story.service, index);
			this.videos.push(this.castVideo(charge, plan));
		}
	}

	private castVideo(charge: Charge, plan: StoryVideo): PlayedVideo {
		const { sandbox } = this;
		const { queueId } = charge;
		const { runsMs, logDelayMs, clearedAfterMs, lookTrouble, fails, ending, laterEnding } = plan;
		const durations = {
			pendingMs: 1_000,
			processingMs: 0,
			renderingMs: runsMs - 1_000,
			logDelayMs,
		};
		sandbox.changeQueueItem(queueId, {
			durations: fails ? { ...durations, renderingMs: NEVER_MS } : durations,
		});
		const insteadOf = fails ? 'failed' : 'completed';
		const about = { operation: 'queue.getProgress', containing: queueId } as const;
		if (laterEnding !== null) {
			sandbox.addFault({
				...{ kind: 'statusWord', word: laterEnding, insteadOf, ...about },
				skip: LATER_LOOKS,
			});
		}
		if (ending !== insteadOf) {
			sandbox.addFault({ kind: 'statusWord', word: ending, insteadOf, ...about });
		}
		if (lookTrouble) {
			const { nth, count, trouble } = lookTrouble;
			sandbox.addFault({ ...READ_TROUBLES[trouble].fault, ...about, skip: nth - 1, times: count });
		}
		const elapsedMs = sandbox.clock.now() - charge.at;
		if (fails) {
			this.later(runsMs - elapsedMs, () => {
				if (sandbox.readState().queue.some((item) => item.queueId === queueId))
					sandbox.fail(queueId);
			});
		}
		if (clearedAfterMs !== null) {
			this.later(clearedAfterMs - elapsedMs, () => {
				clear(sandbox, charge);
			});
		}
		const isClearedBefore = (delayMs: number) =>
			clearedAfterMs !== null && clearedAfterMs <= delayMs;
		const isMade = !fails && !isClearedBefore(runsMs + logDelayMs);
		return {
			...{ charge, plan },
			endsAt: isClearedBefore(runsMs) ? null : charge.at + runsMs,
			loggedAt: isMade ? charge.at + runsMs + logDelayMs : null,
		};
	}

	/** Lists the adds that reached the service, each with the charge that it caused. */
	private listAdds(): PlayedAdd[] {
		const free = [...this.sandbox.charges];
		const troubles = new Map(
			this.story.service.addTroubles.map(({ nth, trouble }) => [nth, trouble]),
		);
		return this.requests
			.filter(({ operation }) => operation === 'queue.add')
			.map((request, index) => {
				const trouble = troubles.get(index + 1);
				const at = free.findIndex((charge) => this.isPaidBy(charge, request));
				const charge = mayBeCarriedOut(trouble) && at >= 0 ? free.splice(at, 1)[0] : undefined;
				return {
					...{ request, fate: judgeFate(request, trouble) },
					...(trouble && { trouble }),
					...(charge && { charge }),
				};
			});
	}

	private isPaidBy(charge: Charge, { body, at, headers }: RecordedRequest): boolean {
		const { projectId, customPrompt = null } = body as Partial<Charge>;
		const account = headers.authorization === `Bearer ${this.keys[1]}` ? 'other' : 'main';
		return (
			charge.accountId === account &&
			charge.projectId === projectId &&
			charge.customPrompt === customPrompt &&
			charge.at >= at
		);
	}
}

function mayBeCarriedOut(trouble: AddTrouble | undefined): boolean {
	if (trouble === undefined) return true;
	const { fault } = ADD_TROUBLES[trouble];
	return 'phase' in fault
		? fault.phase === 'after'
		: !['status', 'reset', 'html', 'redirect', 'tooManyRequests', 'errorEnvelope'].includes(
				fault.kind,
			);
}

/** Judges the fate of an add by the response that its client received. */
function judgeFate({ closed, status }: RecordedRequest, trouble: AddTrouble | undefined): Fate {
	if (closed === true) return 'unknown';
	if (status !== undefined && status >= 300 && status < 500) return 'refused';
	if (trouble !== undefined) return ADD_TROUBLES[trouble].fate;
	return status === 200 ? 'told' : 'unknown';
}

/** Clears the item with the account's key, as another client of the account would. */
function clear(sandbox: Sandbox, { accountId, queueId }: Charge): void {
	const account = Object.values(sandbox.accounts).find(({ id }) => id === accountId);
	const request = http.request(`${sandbox.url}/v1/queue/clear`, {
		method: 'POST',
		headers: {
			authorization: `Bearer ${account?.apiKey ?? ''}`,
			'content-type': 'application/json',
		},
	});
	request.on('response', (response) => response.resume());
	request.on('error', () => undefined);
	request.end(JSON.stringify({ queueId }));
}
