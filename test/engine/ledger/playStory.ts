import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'flatted';
import type { IRun } from 'n8n-workflow';
import { generate } from 'selfsigned';
import type { RecordedRequest } from '../../../sandbox/control/requestLog';
import type { Sandbox } from '../../../sandbox/Sandbox';
import { startSandbox } from '../../../sandbox/startSandbox';
import { startBinaryStore } from '../../support/engine/startBinaryStore';
import { passTime, SkippedTime } from '../../support/engine/runWithoutWaiting';
import { DeduplicationStore } from '../../support/engine/DeduplicationStore';
import { loadPackageAnew } from '../../support/engine/loadPackage';
import { breakN8n } from './breakN8n';
import { N8nProcess } from './N8nProcess';
import { ADD_NODE, changeWorkflow } from './parameters';
import type { Leftovers, Pass, Play, PlayedExecution } from './Scene';
import { Scene } from './Scene';
import { isAgent } from './Story';
import { OLDEST_KEY } from './Story';
import type { Story, StoryExecution, StoryKeyStore } from './Story';
import { Wire } from './Wire';
import type { ExecutionStart, StartedExecution } from './workflows';
import { startExecution, WORKFLOW_ID } from './workflows';

/** The maximum duration of a story, longer than any story takes. */
const LONGEST_MS = 6 * 3_600_000;

/** Stop ends an execution within this time. */
const STOP_GRACE_MS = 1_000;

/** Maximum number of calls to the store of keys that begin before Stop and have not ended. */
const CALLS_UNDER_WAY = 12;

/** Time between two stories. The sandbox reuses its ids in each story, unlike a real service. */
const BETWEEN_STORIES_MS = 24 * 3_600_000;

/** Minimum time without any request or timer after the end. */
const QUIET_MS = 900_000;

export interface Stage {
	play(story: Story): Promise<Play>;
	close(): Promise<void>;
}

/** Opens a sandbox that plays many stories, one after the other. */
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
	const folder = mkdtempSync(join(tmpdir(), 'ledger-'));
	await startBinaryStore(folder);
	const { cert, private: key } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
		keyType: 'ec',
	});
	const sandbox = await startSandbox({
		rateLimit: false,
		certificate: { cert, key },
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
			// All stories share this process: by then, the node has forgotten the videos of the last
			// story.
			passTime(BETWEEN_STORIES_MS);
			return await new StoryPlay(story, sandbox, sleeping, harness, later).play();
		},
		close: async () => {
			await sandbox.close();
			rmSync(folder, { recursive: true });
		},
	};
}

class StoryPlay {
	private readonly wire: Wire;

	private readonly scene: Scene;

	private readonly logLines: string[] = [];

	/** The process of n8n that runs now. */
	private n8n = new N8nProcess();

	/** Whether a process of n8n was killed: those that start later know nothing. */
	private isRestarted = false;

	constructor(
		private readonly story: Story,
		private readonly sandbox: Sandbox,
		private readonly sleeping: Set<RecordedRequest>,
		private readonly harness: { timers: number },
		private readonly later: (delayMs: number, action: () => void) => void,
	) {
		this.wire = new Wire(story.socketTroubles, () => sandbox.clock.now());
		this.scene = new Scene(story, sandbox, later, this.wire.requests);
	}

	async play(): Promise<Play> {
		const { story, scene } = this;
		const stopListening = scene.open();
		const time = new SkippedTime(
			this.createService(),
			() => this.countSleeping(),
			() => {
				scene.castVideos();
			},
		);
		const restore = [
			seedRandom(JSON.stringify(story)),
			fakeAbortTimeout(this.later),
			breakN8n(story.n8nTroubles, this.logLines, () => this.wire.countOrders()),
			openKeyStore(story.keyStore, this.later),
			this.wire.tap(),
		];
		try {
			scene.begin();
			const { executions, standstill } = await this.perform(time);
			const leftovers = await this.lookAround(time);
			return {
				...{ executions, ...leftovers, ...scene.describe() },
				...(standstill !== undefined && { standstill }),
				logLines: this.logLines,
			};
		} finally {
			time.end();
			for (const undo of restore) undo();
			stopListening();
		}
	}

	/** Runs the executions to their end. */
	private async perform(
		time: SkippedTime,
	): Promise<{ executions: PlayedExecution[]; standstill?: string }> {
		const { story } = this;
		const executions = story.executions.map((): PlayedExecution => ({
			...{ run: undefined, endedAt: NaN, isStopped: false, attempts: [] },
		}));
		const running: (StartedExecution | undefined)[] = [];
		const ends: Promise<void>[] = [];
		for (const [index, played] of executions.entries()) {
			const { startsAfterMs = null } = story.executions[index] ?? {};
			const before = startsAfterMs === null ? undefined : ends[index - 1];
			const perform = async () => {
				if (before) await Promise.allSettled([before]);
				if (before && startsAfterMs !== null) await this.pause(startsAfterMs);
				await this.performExecution(index, played, (started) => {
					running[index] = started;
				});
			};
			ends.push(perform());
		}
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
			const stoppedAt = this.sandbox.clock.now() + story.stopAfterMs;
			this.later(story.stopAfterMs, () => {
				const [first] = executions;
				if (!first || first.attempts.length > 0 || first.killed) return;
				first.isStopped = true;
				first.stoppedAt = stoppedAt;
				running[0]?.stop();
			});
		}
		try {
			await time.skipUntil(() => all.areOver || time.elapsedMs > LONGEST_MS);
			return { executions };
		} catch (error) {
			return { executions, standstill: (error as Error).message };
		}
	}

	/** Runs an execution to its end, and again for each press of Executions > Retry. */
	private async performExecution(
		index: number,
		played: PlayedExecution,
		onStart: (started: StartedExecution) => void,
	): Promise<void> {
		const { sandbox, scene, story, wire } = this;
		const execution = story.executions[index];
		if (!execution) throw new Error('The story has no such execution');
		const service = {
			...{ url: sandbox.url, tlsUrl: sandbox.tlsUrl ?? '', keys: scene.keys },
			toClear: scene.toClear[index] ?? [],
		};
		const perform = async (settings: StoryExecution, more: Partial<ExecutionStart>) => {
			const passes: Pass[] = [];
			const { n8n } = this;
			const state = { isOver: false };
			const startedAt = sandbox.clock.now();
			const started = await n8n.run(
				async () =>
					await startExecution({
						...{ execution: settings, id: `execution-${index + 1}`, service, ...more },
						onPass: (node) => passes.push({ node, from: wire.requests.length }),
						...(this.isRestarted && { loadNodes: loadPackageAnew }),
					}),
			);
			onStart(started);
			if (execution.killedAfterMs !== null && !more.failed) {
				this.later(execution.killedAfterMs, () => {
					if (state.isOver || n8n.isKilled) return;
					n8n.kill();
					this.n8n = new N8nProcess();
					this.isRestarted = true;
				});
			}
			const run = await Promise.race([started.result, n8n.death]);
			state.isOver = true;
			if (run === 'killed') {
				started.stop();
				played.killed = { startedAt, at: sandbox.clock.now() };
				return undefined;
			}
			const endedAt = sandbox.clock.now();
			const { status } = run;
			const saved = copyAsSaved(run.data);
			played.attempts.push({ settings, startedAt, endedAt, saved, status, passes });
			return run;
		};
		let run = await perform(execution, {});
		let settings = execution;
		for (const [number, { afterMs, change }] of execution.retries.entries()) {
			// n8n does not retry what has succeeded, and an agent's calls are new orders then.
			if (run?.status !== 'error' || played.isStopped || isAgent(execution)) break;
			await this.pause(afterMs);
			if (change) settings = changeWorkflow(settings, change);
			run = await perform(settings, {
				id: `execution-${index + 1}-retry-${number + 1}`,
				failed: copyAsSaved(run.data),
				takesNodesAnew: change !== null,
			});
		}
		Object.assign(played, { run, endedAt: sandbox.clock.now() });
	}

	private async pause(delayMs: number): Promise<void> {
		await new Promise<void>((resolve) => {
			this.later(delayMs, resolve);
		});
	}

	/**
	 * Returns the timers and requests that are left after the end. A stopped execution first
	 * has a second to finish.
	 */
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
		const { story } = this;
		const isCut = story.stopAfterMs !== null || this.isRestarted;
		// n8n's calls to its own store go on.
		const callsMs = CALLS_UNDER_WAY * story.keyStore.delayMs;
		const left = await pass(isCut ? STOP_GRACE_MS + callsMs : 1);
		const count = this.scene.requests.length;
		const isQuiet = left.timers === 0 && left.openRequests.length === 0;
		const leftLater = isQuiet ? left : await pass(QUIET_MS);
		return { left, leftLater: { ...leftLater, newRequests: this.scene.listRequests(count) } };
	}

	private createService() {
		const { sandbox } = this;
		return { clock: sandbox.clock, onRequest: sandbox.onRequest };
	}

	private countSleeping(): number {
		return [...this.sleeping].filter(({ closed }) => closed !== true).length;
	}
}

/**
 * Gives n8n a store of keys of its own.
 *
 * @returns a function that takes it away again
 */
function openKeyStore(
	{ keys, failingCalls, delayMs }: StoryKeyStore,
	later: (delayMs: number, action: () => void) => void,
): () => void {
	const store = new DeduplicationStore().use();
	store.later = later;
	store.fill(WORKFLOW_ID, ADD_NODE, keys, [OLDEST_KEY]);
	store.delayMs = delayMs;
	for (const call of failingCalls) store.failingCalls.add(call);
	store.checkCaller = () => {
		if (N8nProcess.getCurrent()?.isKilled) throw new Error('The process was killed');
	};
	return () => {
		new DeduplicationStore().use();
	};
}

/** Copies data as n8n saves and loads it: no object is the same afterwards. */
function copyAsSaved(data: IRun['data']): IRun['data'] {
	return parse(stringify(data)) as IRun['data'];
}

/**
 * Makes `Math.random` return the same numbers for the same story.
 * @returns a function that undoes it
 */
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
 * Replaces `AbortSignal.timeout`, whose timer runs in real time. That timer keeps nothing alive, so
 * it does not count as a timer that is left.
 *
 * @returns a function that undoes it
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
