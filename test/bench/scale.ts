import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import axios from 'axios';
import { measurePolls } from './measurePolls';

const LOGS = [1_000, 10_000, 100_000, 1_000_000];
const RUNS = 2;

const WORKFLOWS = 1_000;
/** n8n polls a trigger once a minute at the most. */
const POLLS_A_DAY = 24 * 60;
const VIDEO_SECONDS = 300;
/** The node's own: a look at the progress every 10 seconds. */
const INTERVAL_SECONDS = 10;

interface Poll {
	logs: number;
	bytes: number;
	cpuMs: number;
	peakMiB: number;
	stateBytes: number;
}

/** What long lists and many workflows on one key cost: measured for one poll, and calculated from it. */
async function main(): Promise<void> {
	exposeGarbageCollector();
	const polls: Poll[] = [];
	for (const logs of LOGS) polls.push(await measurePoll(logs));
	console.log('One poll of the trigger, measured');
	console.table(
		polls.map(({ logs, bytes, cpuMs, peakMiB, stateBytes }) => ({
			'video logs': logs,
			'answer (MB)': round(bytes / 1e6),
			'CPU (ms)': round(cpuMs),
			'most memory of the process (MiB)': Math.round(peakMiB),
			'state (bytes)': stateBytes,
		})),
	);
	console.log(`${WORKFLOWS} workflows on one key, each with a trigger of its own, calculated`);
	console.table(
		polls.map(({ logs, bytes, cpuMs, stateBytes }) => ({
			'video logs': logs,
			'requests a minute': WORKFLOWS,
			'GB a minute': round((bytes * WORKFLOWS) / 1e9),
			'busy cores': round((cpuMs * WORKFLOWS) / 60_000),
			'state (MB)': round((stateBytes * WORKFLOWS) / 1e6),
		})),
	);
	console.log('The same with one trigger for all of them, calculated');
	console.table(
		polls.map(({ logs, bytes, cpuMs, stateBytes }) => ({
			'video logs': logs,
			'requests a minute': 1,
			'GB a day': round((bytes * POLLS_A_DAY) / 1e9),
			'busy cores': round(cpuMs / 60_000),
			'state (MB)': round(stateBytes / 1e6),
		})),
	);
	console.log(
		`${WORKFLOWS} executions that each wait for a video of ${VIDEO_SECONDS} s, calculated`,
	);
	console.table(
		polls.map(({ logs, bytes }) => ({
			'video logs': logs,
			'looks at the progress a second': round(WORKFLOWS / INTERVAL_SECONDS),
			'looks in all': (WORKFLOWS * VIDEO_SECONDS) / INTERVAL_SECONDS,
			'reads of the video log': WORKFLOWS,
			'GB read': round((bytes * WORKFLOWS) / 1e9),
		})),
	);
}

async function measurePoll(logs: number): Promise<Poll> {
	const server = fork(path.join(__dirname, 'serveVideoLog.ts'), [String(logs)]);
	try {
		const [credentials] = (await once(server, 'message')) as [{ baseUrl: string; apiKey: string }];
		const { data } = await axios.get<ArrayBuffer>(`${credentials.baseUrl}/v1/videos`, {
			headers: { Authorization: `Bearer ${credentials.apiKey}` },
			responseType: 'arraybuffer',
		});
		const bytes = data.byteLength;
		const { poll } = await measurePolls(['poll'], RUNS, credentials);
		if (!poll) throw new Error('A measurement is missing');
		const { cpuMs, peakMiB, stateBytes } = poll;
		return { logs, bytes, cpuMs, peakMiB, stateBytes };
	} finally {
		server.disconnect();
	}
}

function round(figure: number): number {
	return Number(figure.toPrecision(2));
}

function exposeGarbageCollector(): void {
	setFlagsFromString('--expose-gc');
	global.gc = runInNewContext('gc') as NodeJS.GCFunction;
}

void main();
