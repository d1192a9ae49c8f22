/**
 * Queues 20 videos with Download Video, in a separate process. Prints the memory that their 20
 * files of 100 MiB took above that of the idle engine, which keeps binary data on disk, and the
 * duration, which depends on the slowest video and its download. For comparison, n8n's own helpers
 * store the same files without checks. The sandbox, which sends the files, is in the other process.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { createSlots } from '../../nodes/VideoGeneration/api/pacing';
import { DOWNLOADS_AT_ONCE } from '../../nodes/VideoGeneration/download/downloadVideo';
import { startSandbox } from '../../sandbox/startSandbox';
import { ActiveTrigger } from '../support/engine/ActiveTrigger';
import { loadPackage } from '../support/engine/loadPackage';
import { runNode } from '../support/engine/runNode';
import { startBinaryStore } from '../support/engine/startBinaryStore';
import { keepFigures } from './keepFigures';
import { measureMemory } from './measureMemory';

const ITEMS = 20;
const FILE_BYTES = 100 * 1024 ** 2;
const MIB = 1024 ** 2;
/**
 * Number of pairs of runs. The run with the least memory counts, because the peak of one run
 * depends on when Node.js frees the memory of stored data.
 */
const PAIRS = 3;
const LIMIT_MIB = 96;
/**
 * Half of the videos finish one after the other; the others finish together with the last of them.
 */
const SHORTEST_SECONDS = 5;
const LONGEST_SECONDS = 30;
const STEP_SECONDS = 2.5;
const INTERVAL_SECONDS = 2;
/** Maximum time beyond the slowest video: for 'Listing Delay' (10 s), a look, and the last downloads. */
const LIMIT_OVER_SECONDS = 15;

interface Outcome {
	storedBytes: number[];
	error: string | undefined;
}

interface Figures extends Outcome {
	idleBytes: number;
	peakBytes: number;
	seconds: number;
}

/** One run of each kind, with the same files. */
interface Pair {
	node: Figures;
	bare: Figures;
}

export interface MakeAndDownloadFigures {
	items: number;
	fileMiB: number;
	/** Memory above that of the idle engine in each run, and the same with only n8n's own helpers. */
	overMib: number[];
	bareMib: number[];
	longestSeconds: number;
	/** The duration of the slowest run. */
	tookSeconds: number;
}

const measures: Record<string, (baseUrl: string, apiKey: string) => Promise<Outcome>> = {
	node: async (baseUrl, apiKey) => {
		const { items, error } = await runNode({
			credentials: { baseUrl, apiKey },
			parameters: {
				resource: 'queue',
				operation: 'add',
				projectId: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
				waitForCompletion: true,
				downloadVideo: true,
				waitOptions: { pollingInterval: INTERVAL_SECONDS },
			},
			items: Array.from({ length: ITEMS }, (_, i) => ({ id: createProjectId(i) })),
		});
		const storedBytes = items.map(({ binary }) => binary?.data?.bytes ?? 0);
		return { storedBytes, error: error?.message };
	},
	bare: async (baseUrl, apiKey) => {
		const trigger = await ActiveTrigger.create({
			credentials: { baseUrl, apiKey },
			storage: 'static data',
		});
		const { helpers } = trigger.createPollContext();
		const headers = { authorization: `Bearer ${apiKey}` };
		const { videos } = (await helpers.httpRequest({ url: `${baseUrl}/v1/videos`, headers })) as {
			videos: { url: string }[];
		};
		const takeSlot = createSlots(DOWNLOADS_AT_ONCE);
		const store = async (url: string) => {
			const body = (await helpers.httpRequest({ url, encoding: 'stream' })) as Readable;
			return await helpers.prepareBinaryData(body, 'video.mp4', 'video/mp4');
		};
		const stored = await Promise.all(videos.map(({ url }) => takeSlot(() => store(url))));
		return { storedBytes: stored.map(({ bytes = 0 }) => bytes), error: undefined };
	},
};

/** Runs a measurement in the measured process. */
async function measure(
	kind: string,
	baseUrl: string,
	apiKey: string,
	folder: string,
): Promise<Figures> {
	await startBinaryStore(folder);
	await loadPackage();
	const { result, ...measured } = await measureMemory(
		async () => await measures[kind]?.(baseUrl, apiKey),
	);
	if (!result) throw new Error(`There is no measurement "${kind}"`);
	return { ...measured, ...result };
}

const createProjectId = (index: number) => `project-${index}`;

async function main(): Promise<void> {
	const pairs: Pair[] = [];
	while (pairs.length < PAIRS) pairs.push(await measurePair());
	report(pairs);
}

async function measurePair(): Promise<Pair> {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-make-and-download-'));
	const sandbox = await startSandbox({
		...{ clock: 'real', credits: ITEMS, rateLimit: false, videoSizeBytes: FILE_BYTES },
	});
	try {
		const projects = Array.from({ length: ITEMS }, (_, i) => {
			const seconds = Math.min(SHORTEST_SECONDS + i * STEP_SECONDS, LONGEST_SECONDS);
			const durations = { processingMs: seconds * 500, renderingMs: seconds * 500 };
			return { id: createProjectId(i), durations: { pendingMs: 0, ...durations } };
		});
		sandbox.addProjects('main', projects);
		const node = await measureApart('node', sandbox, folder);
		fs.rmSync(folder, { recursive: true, force: true });
		return { node, bare: await measureApart('bare', sandbox, folder) };
	} finally {
		fs.rmSync(folder, { recursive: true, force: true });
		await sandbox.close();
	}
}

async function measureApart(
	kind: string,
	{ url, apiKey }: { url: string; apiKey: string },
	folder: string,
): Promise<Figures> {
	const child = fork(__filename, [kind, url, apiKey, folder], {
		execArgv: ['--expose-gc', '--import', 'tsx'],
		env: { ...process.env, N8N_LOG_LEVEL: 'silent' },
	});
	const died = once(child, 'exit').then(([code]) => {
		throw new Error(`The measured process ended with ${String(code)}`);
	});
	const [figures] = (await Promise.race([once(child, 'message'), died])) as [Figures];
	await died.catch(() => undefined);
	return figures;
}

function report(pairs: Pair[]): void {
	const mib = (bytes: number) => Math.round(bytes / MIB);
	const countOver = ({ peakBytes, idleBytes }: Figures) => mib(peakBytes - idleBytes);
	const runs = pairs.map(({ node }) => node);
	const overMib = runs.map(countOver);
	const bareMib = pairs.map(({ bare }) => countOver(bare));
	const tookSeconds = Math.max(...runs.map(({ seconds }) => seconds));
	const errors = runs.flatMap(({ error, storedBytes }) =>
		storedBytes.filter((bytes) => bytes === FILE_BYTES).length === ITEMS
			? []
			: [error ?? 'Not all files were stored'],
	);
	const isGood =
		errors.length === 0 &&
		Math.min(...overMib) <= LIMIT_MIB &&
		tookSeconds <= LONGEST_SECONDS + LIMIT_OVER_SECONDS;
	const figures: MakeAndDownloadFigures = {
		...{ items: ITEMS, fileMiB: mib(FILE_BYTES), overMib, bareMib },
		...{ longestSeconds: LONGEST_SECONDS, tookSeconds },
	};
	keepFigures('makeAndDownload', figures);
	console.log(
		`Making and downloading ${ITEMS} videos of ${SHORTEST_SECONDS} to ${LONGEST_SECONDS} s and ${mib(FILE_BYTES)} MiB: ${errors[0] ?? 'all stored'}`,
	);
	console.log(
		`  took at most ${tookSeconds.toFixed(1)} s, limit ${LONGEST_SECONDS + LIMIT_OVER_SECONDS} s; peak memory over the idle engine ${overMib.join(', ')} MiB, with n8n's own helpers alone ${bareMib.join(', ')} MiB; limit of the least ${LIMIT_MIB} MiB: ${isGood ? 'good' : 'NOT GOOD'}`,
	);
	if (!isGood) process.exitCode = 1;
}

const [kind, baseUrl, apiKey, folder] = process.argv.slice(2);
if (process.send && kind && baseUrl && apiKey && folder) {
	void measure(kind, baseUrl, apiKey, folder).then((figures) => {
		process.send?.(figures, () => {
			process.exit();
		});
	});
} else {
	void main();
}
