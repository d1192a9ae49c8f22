import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { startSandbox } from '../../sandbox/startSandbox';
import { ActiveTrigger } from '../support/n8nServer/ActiveTrigger';
import { compareInTurn } from './compareInTurn';

const LOGS = 100_000;
const NEWEST = Date.parse('2026-01-15T12:00:00.000Z');
const RUNS = 25;
/** Maximum CPU time of a poll, as a multiple of the bare request's. */
const LIMIT = 1.5;
/** The same if the service sends tags and nothing has changed. */
const IDLE_LIMIT = 0.1;
/** Threads of the garbage collector still work on a response for this long. */
const LET_GO_MS = 100;

/**
 * Compares polls of a long list with the bare request for it through n8n's own helper. The services are
 * separate processes, so that their work is not counted.
 */
async function main(): Promise<void> {
	console.table({
		'a new video': await comparePolls('none', 'growing', LIMIT),
		'nothing new': await comparePolls('none', 'still', LIMIT),
		'nothing new, with a tag': await comparePolls('strong', 'still', IDLE_LIMIT),
	});
}

/** Serves a long list until the process that started this one ends. */
async function serve(etags: 'strong' | 'none', kind: string): Promise<void> {
	const sandbox = await startSandbox({ rateLimit: false, etags });
	const toDate = (i: number) => new Date(NEWEST - i * 61_234).toISOString();
	const videos = Array.from({ length: LOGS }, (_, i) => ({ createdAt: toDate(i) }));
	sandbox.addVideos('main', videos);
	if (kind === 'growing') {
		// A video is finished before each read of the log.
		sandbox.onRequest(() => {
			sandbox.addVideos('main', [{}]);
		});
	}
	process.send?.({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
	process.once('disconnect', () => process.exit());
}

async function comparePolls(etags: 'strong' | 'none', kind: string, limit: number) {
	const server = fork(__filename, [etags, kind]);
	try {
		const [credentials] = (await once(server, 'message')) as [{ baseUrl: string; apiKey: string }];
		const trigger = await ActiveTrigger.create({ credentials, storage: 'static data' });
		await trigger.activate();
		const context = trigger.createPollContext();
		const request = { url: '/v1/videos', method: 'GET', json: true } as const;
		const send = context.helpers.httpRequestWithAuthentication;
		const sendRequest = async () =>
			(await send.call(context, 'videoGenerationApi', request)) as unknown;
		const poll = async () => {
			const { error } = await trigger.poll();
			if (error) throw error;
		};
		const { ours, other, ratio } = await compareInTurn(
			async () => await measure(poll),
			async () => await measure(sendRequest),
			RUNS,
		);
		if (ratio > limit) process.exitCode = 1;
		return {
			'bare request (CPU, ms)': Math.round(other),
			'poll (CPU, ms)': Math.round(ours),
			'times the bare request': Number(ratio.toFixed(2)),
			limit,
			'state (bytes)': Buffer.byteLength(trigger.database.staticData),
		};
	} finally {
		server.disconnect();
	}
}

/** Returns the CPU time of an action in milliseconds, without what the process takes while it only waits as long. */
async function measure(action: () => Promise<unknown>): Promise<number> {
	const times: number[] = [];
	for (const work of [() => Promise.resolve(), action]) {
		await setTimeout(LET_GO_MS);
		global.gc?.();
		const before = process.cpuUsage();
		await work();
		await setTimeout(LET_GO_MS);
		const { user, system } = process.cpuUsage(before);
		times.push((user + system) / 1000);
	}
	const [restMs = 0, allMs = 0] = times;
	return allMs - restMs;
}

const [etags, kind] = process.argv.slice(2);
if (process.send && kind !== undefined) void serve(etags as 'strong' | 'none', kind);
else void main();
