import type { IDataObject } from 'n8n-workflow';
import { RequestFailure } from '../../../nodes/VideoGeneration/failures/failure';
import type { AccountRequests } from '../../../nodes/VideoGeneration/waiting/accountRequests';
import { getAccountVideos } from '../../../nodes/VideoGeneration/waiting/runVideos';
import { waitForVideo } from '../../../nodes/VideoGeneration/waiting/waitForVideo';

/** What becomes of a queue item, in milliseconds since its add. */
export interface Life {
	project: string;
	/** When it is added, since the start of the run. */
	addedAt: number;
	runsFor: number;
	/** The time from its finish to its entry in the log. */
	lag: number;
	/** When it is cleared, if it is. */
	clearedAfter?: number | undefined;
	/** When the service says for a while that there is no such item. */
	lostAfter?: number | undefined;
	foundAfter?: number;
	/** Whether its progress shows the address of its video. */
	showsUrl?: boolean;
	/** When it fails for good, or is called failed until it goes on. */
	failsAfter?: number | undefined;
}

/** An entry that is not of the run: of another n8n, a person or an earlier execution. */
export interface Stranger {
	project: string | undefined;
	/** When it gets into the log, since the start of the run; negative for a history. */
	shownAt: number;
	createdAt?: string | undefined;
	/** When it vanishes for a while. */
	vanishesAt?: number | undefined;
	returnsAfter?: number;
}

export interface Behaviour {
	hasEtags: boolean;
	/** The time that requests take, one after the other, and from the start; the service looks in the middle. */
	latencies: readonly number[];
	/** Which requests fail, by their number. */
	failures: ReadonlySet<number>;
	/** Which reads of the log fail. */
	logFailures: ReadonlySet<number>;
}

const sleep = async (ms: number) => {
	await new Promise((resolve) => setTimeout(resolve, ms));
};

/** A service in this process that lives by the fake clock, and knows whose entry is whose. */
export class FakeService {
	private readonly startedAt = performance.now();

	private readonly lives = new Map<string, Life & { sentAt: number }>();

	requestCount = 0;

	readonly logReads: { at: number; isConditional: boolean }[] = [];

	openRequests = 0;

	constructor(
		readonly behaviour: Behaviour,
		private readonly strangers: readonly Stranger[] = [],
	) {}

	get now(): number {
		return Math.round(performance.now() - this.startedAt);
	}

	async add(queueId: string, life: Life): Promise<void> {
		await this.answer(() => {
			this.lives.set(queueId, { ...life, sentAt: this.now });
		});
	}

	createRequests(signal = new AbortController().signal): AccountRequests {
		return {
			signal,
			fetchProgress: async (queueId) => {
				this.requestCount += 1;
				const fails = this.behaviour.failures.has(this.requestCount);
				return await this.answer(() => {
					if (fails) throw new RequestFailure({ kind: 'uncertain', httpCode: '503' });
					return this.getProgress(queueId);
				});
			},
			fetchLog: async (etag) => {
				this.requestCount += 1;
				this.logReads.push({ at: this.now, isConditional: etag !== undefined });
				const fails = this.behaviour.logFailures.has(this.logReads.length);
				return await this.answer(() => {
					if (fails) throw new RequestFailure({ kind: 'uncertain', httpCode: '503' });
					const entries = this.listEntries();
					const tag = this.behaviour.hasEtags ? `"${JSON.stringify(entries)}"` : undefined;
					const isUnchanged = tag !== undefined && tag === etag;
					return {
						...{ etag: tag, isUnchanged },
						entries: isUnchanged ? [] : entries,
					};
				});
			},
		};
	}

	/** The entry of a queue item's own video, or undefined if it never gets one. */
	getOwnId(queueId: string): string | undefined {
		const life = this.lives.get(queueId);
		return life && getFinish(life) !== undefined ? `of-${queueId}` : undefined;
	}

	private async answer<T>(work: () => T): Promise<T> {
		const { latencies } = this.behaviour;
		const latency = latencies[this.requestCount % latencies.length] ?? 0;
		this.openRequests += 1;
		try {
			await sleep(latency / 2);
			const result = work();
			await sleep(latency / 2);
			return result;
		} finally {
			this.openRequests -= 1;
		}
	}

	private getProgress(queueId: string): IDataObject {
		const life = this.lives.get(queueId);
		const age = this.now - (life?.sentAt ?? 0);
		const { clearedAfter = Infinity, lostAfter = Infinity, foundAfter = Infinity } = life ?? {};
		const isLost = age >= lostAfter && age < lostAfter + foundAfter;
		if (!life || isLost || age >= clearedAfter) {
			throw new RequestFailure({ kind: 'rejected', httpCode: '404' });
		}
		if (age >= (life.failsAfter ?? Infinity)) return { status: 'failed' };
		if (age < life.runsFor) return { status: 'processing' };
		return {
			status: 'completed',
			...(life.showsUrl === true ? { videoUrl: `https://x.example/of-${queueId}` } : {}),
		};
	}

	private listEntries(): IDataObject[] {
		const own = [...this.lives].flatMap(([queueId, life]) => {
			const finish = getFinish(life);
			const isShown = finish !== undefined && this.now - life.sentAt >= finish + life.lag;
			return isShown ? [createEntry(`of-${queueId}`, life.project)] : [];
		});
		const foreign = this.strangers.flatMap((stranger, index) => {
			const { shownAt, vanishesAt = Infinity, returnsAfter = Infinity } = stranger;
			const isGone = this.now >= vanishesAt && this.now < vanishesAt + returnsAfter;
			if (this.now < shownAt || isGone) return [];
			return [createEntry(`foreign-${index}`, stranger.project, stranger.createdAt)];
		});
		return [...own, ...foreign];
	}
}

/** When a video is made, since its add: also that of an item that is called failed before. */
function getFinish({ runsFor, clearedAfter = Infinity }: Life): number | undefined {
	return runsFor < clearedAfter ? runsFor : undefined;
}

function createEntry(id: string, projectId: string | undefined, createdAt?: string): IDataObject {
	return { id, projectId, createdAt, url: `https://x.example/${id}` };
}

/** The options of all waits. */
export interface WaitTimes {
	intervalMs: number;
	listingDelayMs: number;
	timeoutMs: number;
}

const WORDS = { completed: new Set(['completed']), failed: new Set(['failed']) };

/** One item of a run: its output, or the kind of its failure. */
export interface Ended {
	queueId: string;
	life: Life;
	output?: IDataObject;
	failure?: string;
	endedAt: number;
}

/** Plays a run: adds its items one after the other as the node does, and waits for all of them. */
export async function playRun(
	service: FakeService,
	lives: readonly Life[],
	times: WaitTimes,
	run: object = {},
): Promise<Ended[]> {
	const account = getAccountVideos(run, 'account');
	const requests = service.createRequests();
	const waits: Promise<Ended>[] = [];
	for (const [index, life] of lives.entries()) {
		await sleep(Math.max(0, life.addedAt - service.now));
		await account.fetchLogBeforeAdd(requests);
		const queueId = `item-${index}`;
		const runningTick = account.tick();
		await service.add(queueId, life);
		const item = account.track({ queueId, projectId: life.project, runningTick });
		const details = { status: 'pending' };
		const end = { queueId, life };
		waits.push(
			waitForVideo({
				...{
					videos: account,
					item,
					queueId,
					details,
					...times,
					words: WORDS,
					maxTries: 4,
					requests,
				},
			}).then(
				(output) => ({ ...end, output, endedAt: service.now }),
				(error: unknown) => ({
					...{ ...end, endedAt: service.now },
					failure: error instanceof RequestFailure ? error.kind : String(error),
				}),
			),
		);
	}
	return await Promise.all(waits);
}

/** Runs on the fake clock, from timer to timer, until the work is done. */
export async function skipTime<T>(work: Promise<T>): Promise<T> {
	const state = { isOver: false };
	const end = () => {
		state.isOver = true;
	};
	work.then(end, end);
	await Promise.resolve();
	const startedAt = performance.now();
	while (!state.isOver) {
		await jest.advanceTimersToNextTimerAsync();
		if (performance.now() - startedAt > 3 * 3_600_000) throw new Error('The run does not end');
	}
	return await work;
}
