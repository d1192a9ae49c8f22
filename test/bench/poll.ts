import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ActiveTrigger } from '../support/n8nServer/ActiveTrigger';
import { median } from './median';

const LOGS = 100_000;
const RUNS = 25;
/** Maximum CPU time of a poll, as a multiple of the bare request's. */
const LIMIT = 1.3;
/** The same if the service sends tags and nothing has changed. */
const IDLE_LIMIT = 0.1;
/** Threads of the garbage collector still work on a response for this long. */
const LET_GO_MS = 100;

type Action = () => Promise<unknown>;

/**
 * Compares polls of a long list with the bare request for it through n8n's own helper, in turn, so
 * that changes of the machine's speed affect both. The services are separate processes.
 */
async function main(): Promise<void> {
	const full = await comparePolls('none', 'growing', LIMIT);
	const unchanged = await comparePolls('none', 'still', LIMIT);
	const idle = await comparePolls('strong', 'still', IDLE_LIMIT);
	console.table({ 'a new video': full, 'nothing new': unchanged, 'nothing new, with a tag': idle });
}

async function comparePolls(etags: string, kind: string, limit: number) {
	const server = fork(path.join(__dirname, 'serveVideoLog.ts'), [String(LOGS), etags, kind]);
	try {
		const [credentials] = (await once(server, 'message')) as [{ baseUrl: string; apiKey: string }];
		const trigger = await ActiveTrigger.create({ credentials, storage: 'static data' });
		await trigger.activate();
		const { bareMs, pollMs } = await measureInTurn(trigger);
		const ratio = median(pollMs.map((ms, index) => ms / (bareMs[index] ?? NaN)));
		if (ratio > limit) process.exitCode = 1;
		return {
			'bare request (CPU, ms)': Math.round(median(bareMs)),
			'poll (CPU, ms)': Math.round(median(pollMs)),
			'times the bare request': Number(ratio.toFixed(2)),
			limit,
			'state (bytes)': Buffer.byteLength(trigger.database.staticData),
		};
	} finally {
		server.disconnect();
	}
}

/**
 * Returns the CPU time of each run, after one of each that does not count, without what the process takes
 * while it only waits as long.
 */
async function measureInTurn(trigger: ActiveTrigger) {
	const context = trigger.createPollContext();
	const request = { url: '/v1/videos', method: 'GET' as const, json: true };
	const sendRequest = async () => {
		await context.helpers.httpRequestWithAuthentication.call(
			context,
			'videoGenerationApi',
			request,
		);
	};
	const poll = async () => {
		const { error } = await trigger.poll();
		if (error) throw error;
	};
	const times = { bareMs: [] as number[], pollMs: [] as number[] };
	for (let run = 0; run <= RUNS; run++) {
		const restMs = await measure(async () => {
			await setTimeout();
		});
		const [bareMs, pollMs] = [await measure(sendRequest), await measure(poll)];
		if (run === 0) continue;
		times.bareMs.push(bareMs - restMs);
		times.pollMs.push(pollMs - restMs);
	}
	return times;
}

async function measure(action: Action): Promise<number> {
	await setTimeout(LET_GO_MS);
	global.gc?.();
	const before = process.cpuUsage();
	await action();
	await setTimeout(LET_GO_MS);
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}

void main();
