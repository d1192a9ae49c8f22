/**
 * Lets a hostile service respond to the built node in n8n's own engine, each time in a separate
 * process. Prints the duration and the memory above that of the idle engine. The sandbox is in the
 * other process.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import { startSandbox } from '../../sandbox/startSandbox';
import { loadPackage } from '../support/engine/loadPackage';
import type { ApiOperation } from '../support/engine/OPERATIONS';
import { OPERATIONS } from '../support/engine/OPERATIONS';
import { createLoadOptionsContext } from '../support/engine/createLoadOptionsContext';
import { runNode } from '../support/engine/runNode';
import { keepFigures } from './keepFigures';
import { measureMemory } from './measureMemory';

const MIB = 1024 ** 2;
const LIMIT_MIB = 1_536;
const LIMIT_SECONDS = 20;
const MILLION = 1_000_000;
const EMPTY_MIB = 16;

interface Case {
	name: string;
	operation: ApiOperation;
	fault?: FaultSpec;
	/** Number of entries in the video log. */
	logs?: number;
	/** Size of a video log of `{}`, the entries that take the most memory for their bytes. */
	emptyMib?: number;
	/** Whether n8n's own helper sends the request, without the node. */
	isBare?: boolean;
	timeout?: number;
}

interface Figures {
	/** Peak memory of the process above that of the idle process. */
	overMib: number;
	seconds: number;
	/** The error's message, or the number of items. */
	outcome: string;
}

export interface HostileFigures extends Figures {
	/** The kind of response. */
	name: string;
}

const CASES: Case[] = [
	{ name: 'an ordinary response', operation: 'account.get' },
	{
		name: 'endless body, one object',
		operation: 'account.get',
		fault: { kind: 'endlessBody', operation: 'account.get' },
	},
	{
		name: 'endless body, a list',
		operation: 'video.getAll',
		fault: { kind: 'endlessBody', operation: 'video.getAll' },
	},
	{
		name: 'a byte every 20 ms, timeout 2 s',
		operation: 'account.get',
		timeout: 2_000,
		fault: { kind: 'endlessBody', pieceBytes: 1, delayMs: 20, operation: 'account.get' },
	},
	{
		name: 'a million video logs, bare request',
		operation: 'video.getAll',
		logs: MILLION,
		isBare: true,
	},
	{ name: 'a million video logs, limit 50', operation: 'video.getAll', logs: MILLION },
	{
		name: `${EMPTY_MIB} MiB of empty entries, bare request`,
		operation: 'video.getAll',
		emptyMib: EMPTY_MIB,
		isBare: true,
	},
	{ name: `${EMPTY_MIB} MiB of empty entries`, operation: 'video.getAll', emptyMib: EMPTY_MIB },
];

/** Runs a case in the measured process. */
async function measure(
	{ operation, timeout, isBare = false }: Case,
	credentials: { baseUrl: string; apiKey: string },
): Promise<Figures> {
	await loadPackage();
	const parameters = {
		...OPERATIONS[operation],
		options: { maxTries: 1 },
		...(timeout === undefined ? {} : { requestOptions: { timeout } }),
	};
	const { result, seconds, idleBytes, peakBytes } = await measureMemory(async () =>
		isBare ? await sendBareRequest(credentials) : await runNode({ parameters, credentials }),
	);
	const { items, error } = result;
	const mostBytes = Math.max(peakBytes, process.resourceUsage().maxRSS * 1024);
	return {
		overMib: Math.round((mostBytes - idleBytes) / MIB),
		seconds: Number(seconds.toFixed(2)),
		outcome: error?.message ?? `items: ${items.length}`,
	};
}

async function sendBareRequest(credentials: { baseUrl: string; apiKey: string }) {
	const { context } = await createLoadOptionsContext(credentials);
	const request = { url: '/v1/videos', method: 'GET' as const, json: true };
	const { videos } = (await context.helpers.httpRequestWithAuthentication.call(
		context,
		'videoGenerationApi',
		request,
	)) as { videos: unknown[] };
	return { items: videos, error: undefined };
}

/** Creates the response before the request, so that its creation is not measured. */
function createVideoLog(count: number): string {
	const videos = Array.from({ length: count }, (_, i) => ({
		id: `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
		url: `https://videos.example.com/files/00000000-0000-4000-8000-${String(i).padStart(12, '0')}.mp4`,
		projectId: 'project-product-teaser',
		createdAt: new Date(i * 61_234).toISOString(),
	}));
	return JSON.stringify({ status: 'success', message: '', videos });
}

function createEmptyLog(mib: number): string {
	return `{"status":"success","videos":[${'{},'.repeat((mib * MIB) / 3)}{}]}`;
}

async function runCase(each: Case): Promise<Figures> {
	const sandbox = await startSandbox({ rateLimit: false });
	try {
		if (each.fault) sandbox.addFault(each.fault);
		if (each.logs !== undefined || each.emptyMib !== undefined) {
			const body =
				each.emptyMib === undefined
					? createVideoLog(each.logs ?? 0)
					: createEmptyLog(each.emptyMib);
			sandbox.addFault({ kind: 'status', status: 200, body, operation: 'video.getAll' });
		}
		const child = fork(__filename, ['child'], { execArgv: ['--expose-gc', '--import', 'tsx'] });
		const died = once(child, 'exit').then(([code]) => {
			throw new Error(`${each.name}: the measured process ended with ${String(code)}`);
		});
		child.send([each, { baseUrl: sandbox.url, apiKey: sandbox.apiKey }]);
		const [figures] = (await Promise.race([once(child, 'message'), died])) as [Figures];
		died.catch(() => undefined);
		child.disconnect();
		return figures;
	} finally {
		await sandbox.close();
	}
}

async function bench(): Promise<void> {
	const figures: HostileFigures[] = [];
	for (const each of CASES) {
		const { overMib, seconds, outcome } = await runCase(each);
		figures.push({ name: each.name, seconds, overMib, outcome });
		if (overMib > LIMIT_MIB || seconds > LIMIT_SECONDS) process.exitCode = 1;
	}
	console.table(figures);
	console.log(
		`At most ${LIMIT_MIB} MiB and ${LIMIT_SECONDS} s: ${process.exitCode ? 'missed' : 'good'}`,
	);
	keepFigures('hostile', figures);
}

if (process.send && process.argv[2] === 'child') {
	process.once('message', ([each, credentials]: Parameters<typeof measure>) => {
		void measure(each, credentials).then((figures) => process.send?.(figures));
	});
} else {
	void bench();
}
