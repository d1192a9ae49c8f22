import { fork } from 'node:child_process';
import path from 'node:path';
import { keepFigures } from './keepFigures';
import type { Measure, PollKind } from './measurePolls';
import { measurePolls } from './measurePolls';

/** How many times the CPU of the bare request a poll may cost. */
const LIMIT = 1.25;
const AIM = 1.15;
/** How many times it may cost when the service sends tags and nothing has changed. */
const IDLE_LIMIT = 0.1;
const LOGS = 100_000;
const RUNS = 40;

interface Task {
	kinds: PollKind[];
	runs: number;
	credentials: { baseUrl: string; apiKey: string };
}

export interface PollFigures {
	logs: number;
	/** CPU time of a poll by that of the bare request. */
	ratio: number;
	bareMs: number;
	pollMs: number;
	/** As `ratio`, of a poll that is answered with 304. */
	idleRatio: number;
	/** Memory in use after a poll, above what was before. */
	keptMiB: number;
	/** What n8n stores for the trigger. */
	stateBytes: number;
}

/** One poll of a long list beside the bare request for it through n8n's own helper. */
async function bench(): Promise<void> {
	const serve = (etags: string) =>
		fork(path.join(__dirname, 'serveVideoLog.ts'), [String(LOGS), etags]);
	const server = serve('none');
	const tagging = serve('strong');
	try {
		const credentials = await receive<Task['credentials']>(server);
		const tagged = await receive<Task['credentials']>(tagging);
		// Alone: the garbage of a bare request would be collected during the idle poll.
		const idle = (await run({ kinds: ['poll'], runs: RUNS, credentials: tagged })).poll;
		const { bare, poll, firstPoll } = await run({
			kinds: ['bare', 'poll', 'firstPoll'],
			runs: RUNS,
			credentials,
		});
		const alone = { bare: bare?.peakMiB, poll: poll?.peakMiB };
		for (const kind of ['bare', 'poll'] as const) {
			alone[kind] = (await run({ kinds: [kind], runs: 3, credentials }))[kind]?.peakMiB;
		}
		if (!bare || !poll || !firstPoll || !idle) throw new Error('A measurement is missing');
		const ratio = poll.cpuMs / bare.cpuMs;
		const idleRatio = idle.cpuMs / bare.cpuMs;
		console.table({
			'bare request': show(bare, 1, alone.bare),
			poll: show(poll, ratio, alone.poll),
			'first poll': show(firstPoll, firstPoll.cpuMs / bare.cpuMs),
			'poll of an unchanged log with a tag': show(idle, idleRatio),
		});
		console.log(
			`${LOGS} video logs; the least of ${RUNS} runs each, in turn. State: ${poll.stateBytes} bytes.`,
		);
		console.log(
			`A poll costs ${ratio.toFixed(2)} times the bare request (aim ${AIM}, limit ${LIMIT}).`,
		);
		const figures: PollFigures = {
			logs: LOGS,
			ratio,
			bareMs: bare.cpuMs,
			pollMs: poll.cpuMs,
			idleRatio,
			keptMiB: poll.retainedMiB,
			stateBytes: poll.stateBytes,
		};
		keepFigures('poll', figures);
		if (ratio > LIMIT || idleRatio > IDLE_LIMIT) process.exitCode = 1;
	} finally {
		server.disconnect();
		tagging.disconnect();
	}
}

/** In a process of its own, so that the most memory that it held says something. */
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
