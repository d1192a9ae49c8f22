import http from 'node:http';
import type { IRun } from 'n8n-workflow';
import { Container } from '@n8n/di';
import { Logger } from '@n8n/backend-common';
import type { Charge } from '../../../sandbox/domain/model';
import type { RecordedRequest } from '../../../sandbox/control/requestLog';
import type { Sandbox } from '../../../sandbox/Sandbox';
import { startSandbox } from '../../../sandbox/startSandbox';
import { passTime, SkippedTime } from '../../support/engine/runWithoutWaiting';
import type { Story, StoryVideo } from './Story';
import { getVideo } from './Story';
import type { AddTrouble, Fate } from './troubles';
import { ADD_TROUBLES, READ_TROUBLES } from './troubles';
import type { StartedExecution } from './workflows';
import { startExecution } from './workflows';

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

/** No story takes as long as this. */
const LONGEST_MS = 6 * 3_600_000;

/** Stop ends an execution within this time. */
const STOP_GRACE_MS = 1_000;

/** The sandbox begins each story with the same ids, which a service would not. */
const BETWEEN_STORIES_MS = 24 * 3_600_000;

/** How long nothing must happen after the end. */
const QUIET_MS = 900_000;

export interface Stage {
	play(story: Story): Promise<Play>;
	close(): Promise<void>;
}

/** A sandbox for many stories, one after the other. */
export async function openStage(): Promise<Stage> {
	const sleeping = new Set<RecordedRequest>();
	const harness = { timers: 0 };
	const later = (delayMs: number, action: () => void) => {
		harness.timers += 1;
		setTimeout(() => {
			harness.timers -= 1;
			action();
		}, delayMs);
	};
	const sandbox = await startSandbox({
		rateLimit: false,
		wait: async (delayMs, request) => {
			sleeping.add(request);
			await new Promise<void>((resolve) => {
				later(delayMs, resolve);
			});
			sleeping.delete(request);
		},
	});
	return {
		play: async (story) => {
			sleeping.clear();
			harness.timers = 0;
			// The process is the same: what the node remembers of the last story's videos is forgotten by then.
			passTime(BETWEEN_STORIES_MS);
			return await new StoryPlay(story, sandbox, sleeping, harness, later).play();
		},
		close: async () => {
			await sandbox.close();
		},
	};
}

class StoryPlay {
	private readonly received: RecordedRequest[] = [];

	private readonly videos: PlayedVideo[] = [];

	private readonly keys: [string, string];

	constructor(
		private readonly story: Story,
		private readonly sandbox: Sandbox,
		private readonly sleeping: Set<RecordedRequest>,
		private readonly harness: { timers: number },
		private readonly later: (delayMs: number, action: () => void) => void,
	) {
		const { main, other } = sandbox.accounts;
		this.keys = [main.apiKey, other.apiKey];
	}

	async play(): Promise<Play> {
		this.setScene();
		const { sandbox, story } = this;
		const startedAt = sandbox.clock.now();
		const stopListening = sandbox.onRequest((request) => {
			this.received.push(request);
			this.castVideos();
		});
		const log = jest.spyOn(Container.get(Logger), 'info').mockImplementation(() => undefined);
		const time = new SkippedTime(
			this.createService(),
			() => this.countSleeping(),
			() => {
				this.castVideos();
			},
		);
		const restore = [seedRandom(JSON.stringify(story)), fakeAbortTimeout(this.later)];
		try {
			const { executions, standstill } = await this.perform(time);
			const leftovers = await this.lookAround(time);
			return {
				...{ story, startedAt, executions, keys: this.keys, videos: this.videos },
				...leftovers,
				...(standstill !== undefined && { standstill }),
				adds: this.listAdds(),
				requests: [...this.received],
				logLines: log.mock.calls.map(([line]) => line),
			};
		} finally {
			time.end();
			log.mockRestore();
			for (const undo of restore) undo();
			stopListening();
		}
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
		if (service.oddEntries) sandbox.addFault({ kind: 'oddEntries', operation: 'video.getAll' });
	}

	/** Gives each video that was accepted meanwhile the life that the story has for it. */
	private castVideos(): void {
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
		const { runsMs, logDelayMs, clearedAfterMs, lookTrouble, fails, ending } = plan;
		const durations = {
			pendingMs: 1_000,
			processingMs: 0,
			renderingMs: runsMs - 1_000,
			logDelayMs,
		};
		sandbox.changeQueueItem(queueId, {
			durations: fails ? { ...durations, renderingMs: LONGEST_MS } : durations,
		});
		const insteadOf = fails ? 'failed' : 'completed';
		const about = { operation: 'queue.getProgress', containing: queueId } as const;
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

	/** Runs the executions to their end. */
	private async perform(
		time: SkippedTime,
	): Promise<{ executions: PlayedExecution[]; standstill?: string }> {
		const { story, sandbox } = this;
		const address = { url: sandbox.url, keys: this.keys };
		const startedAt = sandbox.clock.now();
		const started: StartedExecution[] = [];
		for (const [index, execution] of story.executions.entries()) {
			started.push(await startExecution(execution, `execution-${index + 1}`, address));
		}
		const executions = started.map((): PlayedExecution => ({
			run: undefined,
			endedAt: NaN,
			isStopped: false,
		}));
		const ends = started.map(async ({ result }, index) => {
			const run = await result;
			Object.assign(executions[index] ?? {}, { run, endedAt: startedAt + time.elapsedMs });
		});
		const all = { areOver: false };
		void Promise.allSettled(ends).then(() => {
			all.areOver = true;
		});
		for (const { afterMs, byMs } of story.clockIsSet) {
			this.later(afterMs, () => {
				time.setClock(byMs);
			});
		}
		if (story.stopAfterMs !== null) {
			this.later(story.stopAfterMs, () => {
				const [first] = executions;
				if (!first || first.run) return;
				first.isStopped = true;
				started[0]?.stop();
			});
		}
		try {
			await time.skipUntil(() => all.areOver || time.elapsedMs > LONGEST_MS);
			return { executions };
		} catch (error) {
			return { executions, standstill: (error as Error).message };
		}
	}

	/** What still goes on after the end. What a stopped execution does within its second does not count. */
	private async lookAround(time: SkippedTime): Promise<Pick<Play, 'left' | 'leftLater'>> {
		const pass = async (delayMs: number): Promise<Leftovers> => {
			const mark = { isReached: false };
			this.later(delayMs, () => {
				mark.isReached = true;
			});
			await time.skipUntil(() => mark.isReached).catch(() => undefined);
			const timers = jest.getTimerCount() - this.harness.timers;
			return { timers, openRequests: time.openRequests };
		};
		const left = await pass(this.story.stopAfterMs === null ? 1 : STOP_GRACE_MS);
		const count = this.received.length;
		const isQuiet = left.timers === 0 && left.openRequests.length === 0;
		const leftLater = isQuiet ? left : await pass(QUIET_MS);
		const newRequests = this.received.slice(count).map(({ method, url }) => `${method} ${url}`);
		return { left, leftLater: { ...leftLater, newRequests } };
	}

	/** Each add that reached the service, with the charge that it made. */
	private listAdds(): PlayedAdd[] {
		const free = [...this.sandbox.charges];
		const troubles = new Map(
			this.story.service.addTroubles.map(({ nth, trouble }) => [nth, trouble]),
		);
		return this.received
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

	private createService() {
		const { sandbox } = this;
		return { clock: sandbox.clock, onRequest: sandbox.onRequest };
	}

	private countSleeping(): number {
		return [...this.sleeping].filter(({ closed }) => closed !== true).length;
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

/** The same random numbers for the same story. @returns what takes it back */
function seedRandom(text: string): () => void {
	let state = 0;
	for (const character of text) state = (Math.imul(state, 31) + character.charCodeAt(0)) >>> 0;
	const { random } = Math;
	Math.random = () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
	return () => {
		Math.random = random;
	};
}

/**
 * Node's own timeout of a signal runs in real time. It keeps nothing alive, so it is no timer that is left.
 *
 * @returns what takes it back
 */
function fakeAbortTimeout(later: (delayMs: number, action: () => void) => void): () => void {
	const { timeout } = AbortSignal;
	AbortSignal.timeout = (delayMs) => {
		const controller = new AbortController();
		later(delayMs, () => {
			controller.abort(
				new DOMException('The operation was aborted due to timeout', 'TimeoutError'),
			);
		});
		return controller.signal;
	};
	return () => {
		AbortSignal.timeout = timeout;
	};
}
