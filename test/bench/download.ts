/**
 * Downloads a file of 1 GiB with the built node in n8n's own engine, which keeps binary data on
 * disk. The downloads run in a separate process; the memory of the first above that of the idle engine is
 * printed, and the CPU time of others beside that of Node.js alone. The sandbox, which sends the file, is in the other process.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { startSandbox } from '../../sandbox/startSandbox';
import { loadPackage } from '../support/engine/loadPackage';
import { runNode } from '../support/engine/runNode';
import { startBinaryStore } from '../support/engine/useBinaryStore';

const FILE_BYTES = 1024 ** 3;
/** In turn with Node.js alone, so that what the machine does beside them affects both. */
const PAIRS = 5;
const SHORT_BYTES = FILE_BYTES / 4;
const MIB = 1024 ** 2;
const LIMIT_MIB = 96;
/** Maximum CPU time, as a multiple of that of Node.js alone, which writes the same response to a file. */
const CPU_LIMIT = 1.2;
const SAMPLE_MS = 5;

/** Downloads the file in the measured process, and samples its memory meanwhile. */
async function measureMemory(download: Download) {
	global.gc?.();
	const idleBytes = process.memoryUsage.rss();
	let peakBytes = idleBytes;
	const sampling = setInterval(() => {
		peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
	}, SAMPLE_MS);
	const startedAt = performance.now();
	const { items, error } = await download(FILE_BYTES);
	clearInterval(sampling);
	const seconds = (performance.now() - startedAt) / 1000;
	const overMib = Math.round((peakBytes - idleBytes) / MIB);
	return { overMib, seconds, bytes: items[0]?.binary?.data?.bytes, error: error?.message };
}

/** Returns the CPU time of our downloads as a multiple of that of Node.js alone. */
async function measureTime(download: Download, downloadBare: (bytes: number) => Promise<void>) {
	const measure = async (action: (bytes: number) => Promise<unknown>) => {
		const before = process.cpuUsage();
		await action(SHORT_BYTES);
		const { user, system } = process.cpuUsage(before);
		return user + system;
	};
	let [ours, bare] = [0, 0];
	for (let pair = 0; pair < PAIRS; pair++) {
		ours += await measure(download);
		bare += await measure(downloadBare);
	}
	return ours / bare;
}

type Download = (bytes: number) => ReturnType<typeof runNode>;

async function measureDownload(url: string, folder: string) {
	await startBinaryStore(folder);
	await loadPackage();
	const getAddress = (bytes: number) => `${url}?sizeBytes=${bytes}`;
	const download: Download = async (bytes) =>
		await runNode({
			parameters: { resource: 'video', operation: 'download', video: getAddress(bytes) },
			credentials: { baseUrl: new URL(url).origin, apiKey: 'none' },
		});
	const downloadBare = async (bytes: number) => {
		const [response] = (await once(http.get(getAddress(bytes)), 'response')) as [
			http.IncomingMessage,
		];
		await pipeline(response, fs.createWriteStream(path.join(folder, 'bare')));
	};
	const figures = await measureMemory(download);
	return { ...figures, timesBare: await measureTime(download, downloadBare) };
}

async function main(): Promise<void> {
	const sandbox = await startSandbox();
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-download-'));
	try {
		const [video] = sandbox.addVideos('main', [{}]);
		const url = `${sandbox.url}/files/${video?.id ?? ''}.mp4`;
		const child = fork(__filename, [url, folder], {
			execArgv: ['--expose-gc', '--import', 'tsx'],
			env: { ...process.env, N8N_LOG_LEVEL: 'silent' },
		});
		const died = once(child, 'exit').then(([code]) => {
			throw new Error(`The measured process ended with ${String(code)}`);
		});
		const [figures] = (await Promise.race([once(child, 'message'), died])) as [
			Awaited<ReturnType<typeof measureDownload>>,
		];
		const limits = { 'limit (MiB)': LIMIT_MIB, 'limit (times bare)': CPU_LIMIT };
		console.table({ 'download of 1 GiB': { ...figures, ...limits } });
		const isGood = figures.overMib <= LIMIT_MIB && figures.timesBare <= CPU_LIMIT;
		if (figures.bytes !== FILE_BYTES || !isGood) process.exitCode = 1;
	} finally {
		fs.rmSync(folder, { recursive: true, force: true });
		await sandbox.close();
	}
}

const [url, folder] = process.argv.slice(2);
if (process.send && url !== undefined && folder !== undefined) {
	void measureDownload(url, folder).then((figures) => {
		process.send?.(figures, () => {
			process.exit();
		});
	});
} else {
	void main();
}
