/**
 * Downloads a file of 1 GiB with the built node in n8n's own engine, which keeps binary data on
 * disk. The download runs in a separate process; its memory above that of the idle engine is
 * printed, and its CPU time beside that of Node.js alone. The sandbox, which sends the file, is in the other process.
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
const MIB = 1024 ** 2;
const LIMIT_MIB = 96;
/** Maximum CPU time, as a multiple of that of Node.js alone, which writes the same response to a file. */
const CPU_LIMIT = 1.2;
const SAMPLE_MS = 5;

/** Downloads the file in the measured process, and samples its memory meanwhile. */
async function measureDownload(url: string, folder: string) {
	await startBinaryStore(folder);
	await loadPackage();
	global.gc?.();
	const idleBytes = process.memoryUsage.rss();
	let peakBytes = idleBytes;
	const sampling = setInterval(() => {
		peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
	}, SAMPLE_MS);
	const startedAt = performance.now();
	const before = process.cpuUsage();
	const { items, error } = await runNode({
		parameters: { resource: 'video', operation: 'download', video: url },
		credentials: { baseUrl: new URL(url).origin, apiKey: 'none' },
	});
	const ours = process.cpuUsage(before);
	clearInterval(sampling);
	const seconds = (performance.now() - startedAt) / 1000;
	const bareBefore = process.cpuUsage();
	const [response] = (await once(http.get(url), 'response')) as [http.IncomingMessage];
	await pipeline(response, fs.createWriteStream(path.join(folder, 'bare')));
	const bare = process.cpuUsage(bareBefore);
	const timesBare = (ours.user + ours.system) / (bare.user + bare.system);
	const overMib = Math.round((peakBytes - idleBytes) / MIB);
	return {
		overMib,
		seconds,
		timesBare,
		bytes: items[0]?.binary?.data?.bytes,
		error: error?.message,
	};
}

async function main(): Promise<void> {
	const sandbox = await startSandbox();
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-download-'));
	try {
		const [video] = sandbox.addVideos('main', [{}]);
		const url = `${sandbox.url}/files/${video?.id ?? ''}.mp4?sizeBytes=${FILE_BYTES}`;
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
