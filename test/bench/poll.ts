import { fork } from 'node:child_process';
import path from 'node:path';
import { keepFigures } from './keepFigures';
import { median } from './median';
import type { Measure, PollKind } from './measurePolls';
import { measurePolls } from './measurePolls';

/** Maximum CPU time of a poll as a multiple of the bare request's, and the target. */
const LIMIT = 1.3;
const AIM = 1.15;
/** The maximum if the service sends tags and nothing has changed. */
const IDLE_LIMIT = 0.1;
const LOGS = 100_000;
const RUNS = 25;

interface Task {
	kinds: PollKind[];
	runs: number;
	credentials: { baseUrl: string; apiKey: string };
}

export interface PollFigures {
	logs: number;
	/**
	 * CPU time of a poll with a new video divided by that of the bare request before it: the median
	 * of the pairs.
	 */
	ratio: number;
	bareMs: number;
	pollMs: number;
	/** The same, for a poll with an unchanged log and no tag. */
	unchangedRatio: number;
	/** CPU time of a poll that gets a 304, divided by that of the bare request: the minimum of each. */
	idleRatio: number;
	/** Memory in use after a poll, above the value before. */
	keptMiB: number;
	/** Size of the trigger's state in n8n. */
	stateBytes: number;
}

/** Compares one poll of a long list with the bare request for it through n8n's own helper. */
async function bench(): Promise<void> {
	const serve = (...args: string[]) =>
		fork(path.join(__dirname, 'serveVideoLog.ts'), [String(LOGS), ...args]);
	const servers = {
		growing: serve('none', 'growing'),
		still: serve('none'),
		tagging: serve('strong'),
	};
	try {
		const credentials = await receive<Task['credentials']>(servers.growing);
		const still = await receive<Task['credentials']>(servers.still);
		const tagged = await receive<Task['credentials']>(servers.tagging);
		const poll = async (from: Task['credentials'], runs = RUNS) =>
			(await run({ kinds: ['poll'], runs, credentials: from })).poll;
		const inPairs = async (from: Task['credentials']) =>
			await run({ kinds: ['bare', 'poll'], runs: RUNS, credentials: from });
		const { bare: bareOfStill, poll: unchanged } = await inPairs(still);
		const idle = await poll(tagged);
		const { bare, poll: full } = await inPairs(credentials);
		const { firstPoll } = await run({ kinds: ['firstPoll'], runs: 5, credentials });
		const alone = {
			bare: (await run({ kinds: ['bare'], runs: 3, credentials })).bare,
			full: await poll(credentials, 3),
		};
		if (!bare || !full || !firstPoll || !bareOfStill || !unchanged || !idle) {
			throw new Error('A measurement is missing');
		}
		const ratio = compare(full, bare);
		const unchangedRatio = compare(unchanged, bareOfStill);
		const idleRatio = idle.cpuMs / bare.cpuMs;
		console.table({
			'bare request': show(bare, 1, alone.bare?.peakMiB),
			'poll with a new video': show(full, ratio, alone.full?.peakMiB),
			'poll of an unchanged log': show(unchanged, unchangedRatio),
			'poll of an unchanged log with a tag': show(idle, idleRatio),
			'first poll': show(firstPoll, firstPoll.cpuMs / bare.cpuMs),
		});
		console.log(
			`${LOGS} video logs; CPU: the least of ${RUNS} runs each, in turn. State: ${full.stateBytes} bytes.`,
		);
		console.log(
			`A poll with a new video costs ${ratio.toFixed(2)} times the bare request (median of the pairs; aim ${AIM}, limit ${LIMIT}).`,
		);
		const figures: PollFigures = {
			logs: LOGS,
			ratio,
			bareMs: bare.cpuMs,
			pollMs: full.cpuMs,
			unchangedRatio,
			idleRatio,
			keptMiB: full.retainedMiB,
			stateBytes: full.stateBytes,
		};
		keepFigures('poll', figures);
		if (Math.max(ratio, unchangedRatio) > LIMIT || idleRatio > IDLE_LIMIT) process.exitCode = 1;
	} finally {
		for (const server of Object.values(servers)) server.disconnect();
	}
}

/** The median of the pairs. */
function compare(poll: Measure, bare: Measure): number {
	return median(poll.runsMs.map((ms, index) => ms / (bare.runsMs[index] ?? NaN)));
}

/** Runs a task in a separate process, so that its peak memory is meaningful. */
async function run(task: Task): Promise<Partial<Record<PollKind, Measure>>> {
	const child = fork(__filename, { execArgv: [...process.execArgv, '--expose-gc'] });
	child.send(task);
	const measures = await receive<Partial<Record<PollKind, Measure>>>(child);
	child.disconnect();
	return measures;
}

async function receive<T>(child: ReturnType<typeof fork>): Promise<T> {
	return await new Promise<T>((resolve, reject) => {
		child.once('message', (message) => {
			resolve(message as T);
		});
		child.once('exit', (code) => {
			reject(new Error(`A part of the benchmark has ended (${String(code)})`));
		});
	});
}

function show({ cpuMs, retainedMiB }: Measure, ratio: number, peakMiB?: number) {
	return {
		'CPU (ms)': Math.round(cpuMs),
		'times the bare request': Number(ratio.toFixed(2)),
		'kept after it (MiB)': Number(retainedMiB.toFixed(1)),
		'most memory of the process (MiB)': peakMiB === undefined ? '' : Math.round(peakMiB),
	};
}

if (process.send) {
	process.once('message', ({ kinds, runs, credentials }: Task) => {
		void measurePolls(kinds, runs, credentials).then((measures) => process.send?.(measures));
	});
} else {
	void bench();
}
