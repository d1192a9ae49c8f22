import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import axios from 'axios';
import { keepFigures } from './keepFigures';
import { measurePolls } from './measurePolls';
import type { PollOfLogs } from './scaleTables';
import { createScaleTables } from './scaleTables';

const LOGS = [1_000, 10_000, 100_000, 1_000_000];
const RUNS = 2;

/**
 * Measures the cost of long lists for one poll, and calculates that of many workflows with one key.
 */
async function main(): Promise<void> {
	exposeGarbageCollector();
	const polls: PollOfLogs[] = [];
	for (const logs of LOGS) polls.push(await measurePoll(logs));
	for (const { title, rows } of Object.values(createScaleTables(polls))) {
		console.log(title);
		console.table(rows);
	}
	keepFigures('scale', polls);
}

async function measurePoll(logs: number): Promise<PollOfLogs> {
	const still = await measureService(logs, 'still');
	const { cpuMs, peakMiB } = await measureService(logs, 'growing');
	return { ...still, cpuMs, peakMiB, unchangedCpuMs: still.cpuMs };
}

async function measureService(logs: number, kind: string) {
	const server = fork(path.join(__dirname, 'serveVideoLog.ts'), [String(logs), 'none', kind]);
	try {
		const [credentials] = (await once(server, 'message')) as [{ baseUrl: string; apiKey: string }];
		const { data } = await axios.get<ArrayBuffer>(`${credentials.baseUrl}/v1/videos`, {
			headers: { Authorization: `Bearer ${credentials.apiKey}` },
			responseType: 'arraybuffer',
		});
		const { poll } = await measurePolls(['poll'], RUNS, credentials);
		if (!poll) throw new Error('A measurement is missing');
		const { cpuMs, peakMiB } = poll;
		return { logs, bytes: data.byteLength, cpuMs, peakMiB };
	} finally {
		server.disconnect();
	}
}

function exposeGarbageCollector(): void {
	setFlagsFromString('--expose-gc');
	global.gc = runInNewContext('gc') as NodeJS.GCFunction;
}

void main();
