import http from 'node:http';
import type { IDataObject, IRun } from 'n8n-workflow';
import type { RecordedRequest } from '../../../sandbox/control/requestLog';
import type { Charge } from '../../../sandbox/domain/model';
import type { Outcome as Reply } from '../../../sandbox/faults/Fault';
import type { Sandbox } from '../../../sandbox/Sandbox';
import type { Answer, Fate } from './fates';
import { judgeFate, toAnswer, parseAnswer } from './fates';
import { formatProject } from './parameters';
import type { SocketTrouble, Story, StoryEntry, StoryExecution, StoryStranger } from './Story';
import type { StoryVideo } from './Story';
import { getVideo } from './Story';
import { describeFault, READ_TROUBLES } from './troubles';
import type { BegunRequest } from './Wire';
import { OWN_REQUEST } from './Wire';

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
	/** The entries of other videos that appear in the log meanwhile. */
	foreign: ForeignEntry[];
	/** The workflows' requests that reached the service. */
	requests: readonly RecordedRequest[];
	/** The requests that this process began; empty in a real n8n. */
	begun: readonly BegunRequest[];
	/** The API keys of the service. */
	keys: string[];
	/** The queue items that are left, in any state, and those that an execution is to clear. */
	queueIds: string[];
	toClear: string[][];
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

/** The service's and the network's part of a play. */
export type ScenePlay = Pick<
	Play,
	| ('story' | 'startedAt' | 'adds' | 'videos' | 'foreign' | 'requests' | 'keys')
	| ('queueIds' | 'toClear' | 'begun')
>;

export interface PlayedExecution {
	/** The data of the last execution: the original one, or its last retry. Undefined without an end. */
	run: IRun | undefined;
	endedAt: number;
	isStopped: boolean;
	/** When its process was started and killed, if it was. */
	killed?: { startedAt: number; at: number };
	/** The time of Stop, if the clock is the play's own: a busy machine may take any time. */
	stoppedAt?: number;
	/** The execution that n8n started itself, and one for each press of Executions > Retry. */
	attempts: PlayedAttempt[];
}

export interface PlayedAttempt {
	/** The settings of the workflow then. */
	settings: StoryExecution;
	startedAt: number;
	endedAt: number;
	/** The data of the execution as n8n saves it. */
	saved: IRun['data'];
	status: IRun['status'];
	/** The runs of our node, one for each try; empty in a real n8n, which cannot be asked. */
	passes: Pass[];
}

/** A try: n8n calls our node. Ends with the next one of its execution. */
export interface Pass {
	node: string;
	/** Number of requests that had begun before. */
	from: number;
}

/** An add that this process began; in a real n8n, one that reached the service. */
export interface PlayedAdd {
	body: IDataObject;
	authorization: string;
	at: number;
	/** Index among all requests of this process. */
	index: number;
	/** The service's record; undefined if it did not get there. */
	request?: RecordedRequest;
	/** What went wrong, for a person. */
	trouble?: string;
	/** Time by which the service delays its response. */
	isDelayed: boolean;
	answer?: Answer;
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

/** An entry of a video that no execution has ordered, at the time when it appears, or returns. */
export interface ForeignEntry {
	accountId: string;
	/** Empty if it names none. */
	projectId: string;
	at: number;
}

/** Number of requests for a video's progress after which its `laterEnding` shows. */
const LATER_LOOKS = 3;

const ACCOUNTS = ['main', 'other'] as const;

/** Time to render a video that fails: it must not be finished before it fails. */
const NEVER_MS = 6 * 3_600_000;

/** The service's part in a story, the same in n8n's engine and in a real n8n. */
export class Scene {
	readonly requests: RecordedRequest[] = [];

	readonly keys: [string, string];

	/** The queue items that the clears of each execution are for; empty for adds. */
	readonly toClear: string[][] = [];

	private readonly videos: PlayedVideo[] = [];

	private readonly foreign: ForeignEntry[] = [];

	/** The queue items of strangers. */
	private readonly strangers = new Set<string>();

	private readonly replies = new Map<RecordedRequest, Reply>();

	/** Number of charges before the story begins. */
	private earlierCharges = 0;

	private startedAt = 0;

	/**
	 * @param later runs an action after a time on the service's clock
	 * @param begun the requests that this process began; without it, the service's record is all
	 * there is
	 */
	constructor(
		private readonly story: Story,
		private readonly sandbox: Sandbox,
		private readonly later: (delayMs: number, action: () => void) => void,
		private readonly begun?: readonly BegunRequest[],
	) {
		const { main, other } = sandbox.accounts;
		this.keys = [main.apiKey, other.apiKey];
	}

	/** Prepares the service and records its requests. @returns a function that stops the recording */
	open(): () => void {
		this.setScene();
		this.startedAt = this.sandbox.clock.now();
		const stopListening = [
			this.sandbox.onRequest((request) => {
				if (!isOwnRequest(request)) this.requests.push(request);
				this.castVideos();
			}),
			this.sandbox.onReply((request, reply) => {
				if (request.operation === 'queue.add') this.replies.set(request, reply);
			}),
		];
		return () => {
			for (const stop of stopListening) stop();
		};
	}

	/** Begins with everything that happens at a time of its own. */
	begin(): void {
		const { history, strangers } = this.story.service;
		for (const [index, entry] of history.entries()) this.addEntry(entry, index);
		for (const stranger of strangers) {
			this.later(stranger.addedAfterMs, () => {
				this.addStranger(stranger);
			});
		}
	}

	/** Lists the workflows' requests from an index on. */
	listRequests(from: number): string[] {
		return this.requests.slice(from).map(({ method, url }) => `${method} ${url}`);
	}

	/** Returns the service's record of the play. */
	describe(): ScenePlay {
		const { story, startedAt, videos, foreign, keys, toClear, begun = [] } = this;
		return {
			...{ story, startedAt, videos, foreign, keys, toClear, adds: this.listAdds() },
			...{ requests: [...this.requests], begun: [...begun] },
			queueIds: this.sandbox.readState().queue.map(({ queueId }) => queueId),
		};
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
			latencyMs: service.latencyMs,
		});
		for (const [index, account] of ACCOUNTS.entries()) {
			sandbox.setCredits(account, 1_000);
			sandbox.addProjects(
				account,
				[0, 1, 2].map((project) => ({ id: `project-${index}-${project}` })),
			);
		}
		for (const { operation, items } of story.executions) {
			const queued = operation === 'clear' ? items.map(formatProject) : [];
			this.toClear.push(queued.map((project) => sandbox.queueVideo(project)));
		}
		this.earlierCharges = sandbox.charges.length;
		for (const account of ACCOUNTS) sandbox.setCredits(account, service.credits ?? 1_000);
		for (const { nth, fault } of service.addTroubles) {
			sandbox.addFault({ ...fault, operation: 'queue.add', nth });
		}
		for (const { nth, fault } of service.clearTroubles) {
			sandbox.addFault({ ...fault, operation: 'queue.clear', nth });
		}
		for (const { nth, trouble } of service.logTroubles) {
			sandbox.addFault({ ...READ_TROUBLES[trouble].fault, operation: 'video.getAll', nth });
		}
		for (const { nth, trouble } of service.fileTroubles) {
			sandbox.addFault({ ...READ_TROUBLES[trouble].fault, operation: 'video.file', nth });
		}
		if (service.oddEntries) sandbox.addFault({ kind: 'oddEntries', operation: 'video.getAll' });
		if (service.errorField) {
			for (const operation of ['queue.add', 'queue.getProgress'] as const) {
				sandbox.addFault({ kind: 'errorKey', value: service.errorField.value, operation });
			}
		}
	}

	/** Gives each newly accepted video the life that the story has for it. */
	castVideos(): void {
		const charges = this.sandbox.charges
			.slice(this.earlierCharges)
			.filter(({ queueId }) => !this.strangers.has(queueId));
		for (const charge of charges.slice(this.videos.length)) {
			const plan = getVideo(this.story.service, this.videos.length);
			this.videos.push(this.castVideo(charge, plan));
		}
	}

	/** Queues the video of a stranger, which costs the account nothing. */
	private addStranger({ account, project, runsMs, logDelayMs }: StoryStranger): void {
		const { sandbox } = this;
		const accountId = ACCOUNTS[account];
		const { credits = 0 } = sandbox.readState().accounts.find(({ id }) => id === accountId) ?? {};
		sandbox.setCredits(accountId, credits + 1);
		const projectId = formatProject({ account, project });
		const queueId = sandbox.queueVideo(projectId);
		this.strangers.add(queueId);
		const isListed = logDelayMs !== null;
		sandbox.changeQueueItem(queueId, {
			durations: {
				...{ pendingMs: 0, processingMs: 0, renderingMs: isListed ? runsMs : NEVER_MS },
				...(isListed && { logDelayMs }),
			},
		});
		if (isListed) {
			const at = sandbox.clock.now() + runsMs + logDelayMs;
			this.foreign.push({ accountId, projectId, at });
		}
	}

	/** Adds an entry that is in the log from the beginning, and may vanish for a while. */
	private addEntry(entry: StoryEntry, index: number): void {
		const { account, project, createdAt, vanishesAfterMs, returnsAfterMs } = entry;
		const accountId = ACCOUNTS[account];
		const projectId = project === null ? '' : formatProject({ account, project });
		const id = `entry-${index}`;
		const show = () => {
			this.sandbox.addVideos(accountId, [{ id, projectId, createdAt }]);
		};
		show();
		if (vanishesAfterMs === null) return;
		this.later(vanishesAfterMs, () => {
			this.sandbox.removeVideos(accountId, [id]);
		});
		this.later(vanishesAfterMs + returnsAfterMs, show);
		this.foreign.push({
			...{ accountId, projectId },
			at: this.startedAt + vanishesAfterMs + returnsAfterMs,
		});
	}

	private castVideo(charge: Charge, plan: StoryVideo): PlayedVideo {
		const { sandbox } = this;
		const { queueId } = charge;
		const { runsMs, logDelayMs, clearedAfterMs, lookTrouble, fails, ending, laterEnding } = plan;
		const aheadMs = fails ? 0 : Math.min(plan.aheadMs, runsMs - 1_000);
		const durations = {
			pendingMs: 1_000,
			processingMs: 0,
			renderingMs: runsMs - 1_000 - aheadMs,
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
		if (plan.calledFailedAt !== null) {
			const fault = {
				kind: 'statusWord',
				word: 'failed',
				insteadOf: 'rendering',
				...about,
			} as const;
			sandbox.addFault({ ...fault, skip: plan.calledFailedAt - 1, times: 1 });
		}
		const elapsedMs = sandbox.clock.now() - charge.at;
		const isClearedBefore = clearedAfterMs !== null && clearedAfterMs < runsMs - aheadMs;
		if (aheadMs > 0) {
			const fault = { kind: 'statusWord', word: 'rendering', insteadOf: 'completed' } as const;
			const masked = sandbox.addFault({ ...fault, ...about });
			this.later(runsMs - elapsedMs, () => {
				sandbox.removeFault(masked);
			});
		}
		if (fails) {
			this.later(runsMs - elapsedMs, () => {
				if (sandbox.readState().queue.some((item) => item.queueId === queueId))
					sandbox.fail(queueId);
			});
		}
		if (clearedAfterMs !== null) {
			this.later(clearedAfterMs - elapsedMs, () => {
				// A finished video is listed all the same.
				if (isClearedBefore || fails) clear(sandbox, charge);
				else if (sandbox.readState().queue.some((item) => item.queueId === queueId))
					sandbox.removeQueueItem(queueId);
			});
		}
		return {
			...{ charge, plan },
			endsAt: isClearedBefore ? null : charge.at + runsMs,
			loggedAt: fails || isClearedBefore ? null : charge.at + runsMs - aheadMs + logDelayMs,
		};
	}

	/**
	 * Lists the adds, each with the charge that it caused and its fate by the bytes that reached its
	 * client.
	 */
	private listAdds(): PlayedAdd[] {
		const free = this.requests.filter(({ operation }) => operation === 'queue.add');
		const numbers = new Map(free.map((request, index) => [request, index + 1]));
		if (!this.begun) return free.map((request, index) => this.createAdd(index, request, numbers));
		return this.begun.flatMap((begun, index) => {
			if (begun.operation !== 'queue.add') return [];
			const at = free.findIndex(({ clientPort }) => clientPort === begun.localPort);
			const request = begun.localPort !== undefined && at >= 0 ? free.splice(at, 1)[0] : undefined;
			return [this.createAdd(index, request, numbers, begun)];
		});
	}

	private createAdd(
		index: number,
		request: RecordedRequest | undefined,
		numbers: Map<RecordedRequest, number>,
		begun?: BegunRequest,
	): PlayedAdd {
		const { addTroubles } = this.story.service;
		const nth = request && numbers.get(request);
		const fault = addTroubles.find((each) => each.nth === nth)?.fault;
		const charge = this.sandbox.charges.find(({ queueId }) => queueId === request?.queueId);
		const answer = request && this.findAnswer(request, begun);
		const url = begun?.url ?? `${this.sandbox.url}${request?.url ?? ''}`;
		const troubles = [begun?.trouble && describeSocketTrouble(begun.trouble)];
		if (fault) troubles.push(describeFault(fault));
		return {
			body: (begun?.body ?? request?.body ?? {}) as IDataObject,
			authorization: begun?.authorization ?? String(request?.headers.authorization),
			at: begun?.at ?? request?.at ?? NaN,
			index,
			isDelayed: fault?.kind === 'latency',
			fate: begun && !request && isUnsent(begun, this.sandbox) ? 'unsent' : judgeFate(answer, url),
			...(request && { request }),
			...(answer && { answer }),
			...(charge && { charge }),
			...(troubles.some(Boolean) && { trouble: troubles.filter(Boolean).join('; ') }),
		};
	}

	private findAnswer(request: RecordedRequest, begun?: BegunRequest): Answer | undefined {
		switch (begun?.trouble?.moment) {
			case 'receiving':
				return begun.received && parseAnswer(begun.received);
			case 'connecting':
			case 'connected':
			case 'sent':
				return undefined;
			case undefined: {
				const reply = request.closed === true ? undefined : this.replies.get(request);
				return reply && toAnswer(reply);
			}
		}
	}
}

/**
 * Whether an add surely never left: no connection was made, or the service's certificate was not
 * accepted. A broken handshake proves nothing.
 */
function isUnsent({ url, trouble, localPort }: BegunRequest, { tlsUrl }: Sandbox): boolean {
	if (localPort === undefined) return true;
	// Every add to the service's HTTPS gets there, unless its certificate is not accepted.
	return trouble === undefined && tlsUrl !== undefined && url.startsWith(tlsUrl);
}

/** Describes a trouble of a connection to a person. */
export function describeSocketTrouble({ moment, bodyBytes, error }: SocketTrouble): string {
	const where = moment === 'receiving' ? `${moment} byte ${bodyBytes} of the body` : moment;
	const { syscall, code, isDualStack } = error;
	return `${syscall === null ? 'hang-up' : `${syscall} ${code}`}${isDualStack ? ' twice' : ''} while ${where}`;
}

function isOwnRequest({ headers }: RecordedRequest): boolean {
	return headers['user-agent'] === OWN_REQUEST['user-agent'];
}

/** Clears the item with the account's key, as another client of the account would. */
function clear(sandbox: Sandbox, { accountId, queueId }: Charge): void {
	const account = Object.values(sandbox.accounts).find(({ id }) => id === accountId);
	const request = http.request(`${sandbox.url}/v1/queue/clear`, {
		method: 'POST',
		headers: {
			...OWN_REQUEST,
			authorization: `Bearer ${account?.apiKey ?? ''}`,
			'content-type': 'application/json',
		},
	});
	request.on('response', (response) => response.resume());
	request.on('error', () => undefined);
	request.end(JSON.stringify({ queueId }));
}
