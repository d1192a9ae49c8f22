import { setTimeout } from 'node:timers/promises';
import { ActiveTrigger } from '../support/engine/ActiveTrigger';

/** The cost of one kind of poll. */
export interface Measure {
	/** CPU time of the cheapest run. */
	cpuMs: number;
	/** CPU time of each run, in turn with those of the other kinds. */
	runsMs: number[];
	/**
	 * Memory of this process that is still in use after a garbage collection, above the value before.
	 */
	retainedMiB: number;
	/**
	 * Peak memory of this process since its start; comparable only if one kind was measured in it.
	 */
	peakMiB: number;
	stateBytes: number;
}

export type PollKind = 'bare' | 'poll' | 'firstPoll';

const MIB = 1024 * 1024;

function collectGarbage(): void {
	if (!global.gc) throw new Error('Run node with --expose-gc');
	global.gc();
}

/**
 * Measures kinds of polls in turn, so that changes of the machine's speed affect all of them.
 *
 * @param runs number of runs of each kind, after one that does not count
 */
export async function measurePolls(
	kinds: PollKind[],
	runs: number,
	credentials: { baseUrl: string; apiKey: string },
): Promise<Partial<Record<PollKind, Measure>>> {
	const create = async () => await ActiveTrigger.create({ credentials, storage: 'static data' });
	const active = await create();
	let fresh = active;
	if (kinds.includes('poll')) await active.activate();
	const request = {
		url: '/v1/videos',
		method: 'GET' as const,
		json: true,
	};
	const context = active.createPollContext();
	const actions: Record<PollKind, () => Promise<ActiveTrigger>> = {
		bare: async () => {
			await context.helpers.httpRequestWithAuthentication.call(
				context,
				'videoGenerationApi',
				request,
			);
			return active;
		},
		poll: async () => {
			const { error } = await active.poll();
			if (error) throw error;
			return active;
		},
		firstPoll: async () => {
			await fresh.activate();
			return fresh;
		},
	};
	const measures: Partial<Record<PollKind, Measure>> = {};
	for (let run = 0; run <= runs; run++) {
		for (const kind of kinds) {
			if (kind === 'firstPoll') fresh = await create();
			const { trigger, ...used } = await measure(actions[kind]);
			if (run === 0) continue;
			const least = measures[kind];
			measures[kind] = {
				cpuMs: Math.min(used.cpuMs, least?.cpuMs ?? Infinity),
				runsMs: [...(least?.runsMs ?? []), used.cpuMs],
				retainedMiB: Math.min(used.retainedMiB, least?.retainedMiB ?? Infinity),
				peakMiB: process.resourceUsage().maxRSS / 1024,
				stateBytes: Buffer.byteLength(trigger.database.staticData),
			};
		}
	}
	return measures;
}

/** The time for which the HTTP client may still hold a received response. */
const LET_GO_MS = 100;

async function measure(action: () => Promise<ActiveTrigger>) {
	await setTimeout(LET_GO_MS);
	collectGarbage();
	const memoryBefore = process.memoryUsage().heapUsed;
	const cpuBefore = process.cpuUsage();
	const trigger = await action();
	// Threads of the garbage collector still work on what was received, also after a bare request.
	await setTimeout(LET_GO_MS);
	const { user, system } = process.cpuUsage(cpuBefore);
	collectGarbage();
	const retainedMiB = (process.memoryUsage().heapUsed - memoryBefore) / MIB;
	return { trigger, cpuMs: (user + system) / 1000, retainedMiB };
}
