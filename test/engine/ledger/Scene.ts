import http from 'node:http';
import type { IRun } from 'n8n-workflow';
import type { RecordedRequest } from '../../../sandbox/control/requestLog';
import type { Charge } from '../../../sandbox/domain/model';
import type { Sandbox } from '../../../sandbox/Sandbox';
import type { Story, StoryVideo } from './Story';
import { getVideo } from './Story';
import type { AddTrouble, Fate } from './troubles';
import { ADD_TROUBLES, READ_TROUBLES } from './troubles';

/** What a story came to: the execution's data, and what the service wrote down. Times are the service's. */
export interface Play {
	story: Story;
	startedAt: number;
	executions: PlayedExecution[];
	adds: PlayedAdd[];
	videos: PlayedVideo[];
	requests: readonly RecordedRequest[];
	/** API keys of the service. */
	keys: string[];
	/** What n8n's log got. */
	logLines: string[];
	/** What was still going on when all was over, and long after it. */
	left: Leftovers;
	leftLater: Leftovers & { newRequests: string[] };
	/** Why the play was broken off before its end, if it was. */
	standstill?: string;
}

export interface Leftovers {
	timers: number;
	openRequests: string[];
}

export interface PlayedExecution {
	/** Undefined when it did not end. */
	run: IRun | undefined;
	endedAt: number;
	isStopped: boolean;
	/** When n8n had taken the stop in, where that takes time. */
	stoppedAt?: number;
}

/** One request that reached the service. */
export interface PlayedAdd {
	request: RecordedRequest;
	trouble?: AddTrouble;
	fate: Fate;
	charge?: Charge;
}

/** One accepted add, and what became of it. */
export interface PlayedVideo {
	charge: Charge;
	plan: StoryVideo;
	/** When its generation ended; null when it was cleared before. */
	endsAt: number | null;
	/** When its entry is in the log; null when there will be none. */
	loggedAt: number | null;
}

/** After so many requests for a video's progress, a later word of its status shows. */
const LATER_LOOKS = 3;

/** A generation that fails is never finished before. */
const NEVER_MS = 6 * 3_600_000;

/** The service's part in a story: whoever runs the workflows, n8n's engine or a real n8n, it is the same. */
export class Scene {
	readonly requests: RecordedRequest[] = [];

	readonly keys: [string, string];

	private readonly videos: PlayedVideo[] = [];

	private startedAt = 0;

	/** @param later does something after a time of the service */
	constructor(
		private readonly story: Story,
		private readonly sandbox: Sandbox,
		private readonly later: (delayMs: number, action: () => void) => void,
	) {
		const { main, other } = sandbox.accounts;
		this.keys = [main.apiKey, other.apiKey];
	}

	/** @returns what ends it */
	open(): () => void {
		this.setScene();
		this.startedAt = this.sandbox.clock.now();
		return this.sandbox.onRequest((request) => {
			this.requests.push(request);
			this.castVideos();
		});
	}

	/** The workflows' requests from an index on: the story itself clears items. */
	listRequests(from: number): string[] {
		return this.requests
			.slice(from)
			.filter(({ operation }) => operation !== 'queue.clear')
			.map(({ method, url }) => `${method} ${url}`);
	}

	/** What the service wrote down. */
	describe(): Pick<Play, 'story' | 'startedAt' | 'adds' | 'videos' | 'requests' | 'keys'> {
		const { story, startedAt, videos, keys } = this;
		return { story, startedAt, videos, keys, adds: this.listAdds(), requests: [...this.requests] };
	}

	/** The service as the story begins. */
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

	/** Gives each video that was accepted meanwhile the life that the story has for it. */
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

	/** Each add that reached the service, with the charge that it made. */
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

/** By the answer that went out, as its client sees it. */
function judgeFate({ closed, status }: RecordedRequest, trouble: AddTrouble | undefined): Fate {
	if (closed === true) return 'unknown';
	if (status !== undefined && status >= 300 && status < 500) return 'refused';
	if (trouble !== undefined) return ADD_TROUBLES[trouble].fate;
	return status === 200 ? 'told' : 'unknown';
}

/** Somebody else clears the item, with the account's key. */
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
