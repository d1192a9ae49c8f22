/**
 * Lets a hostile service answer the built node in n8n's own engine, each time in a process of its
 * own, and prints how long that took and how much memory beyond the idle engine. The sandbox is in
 * the other process.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import { startSandbox } from '../../sandbox/startSandbox';
import { loadPackage } from '../support/engine/loadPackage';
import type { ApiOperation } from '../support/engine/OPERATIONS';
import { OPERATIONS } from '../support/engine/OPERATIONS';
import { runNode } from '../support/engine/runNode';

const MIB = 1024 ** 2;
const SAMPLE_MS = 5;
const LIMIT_MIB = 1_536;
const LIMIT_SECONDS = 20;
const MILLION = 1_000_000;

interface Case {
	name: string;
	operation: ApiOperation;
	fault?: FaultSpec;
	/** Of entries in the video log. */
	logs?: number;
	timeout?: number;
}

interface Figures {
	overMib: number;
	seconds: number;
	outcome: string;
}

const CASES: Case[] = [
	{ name: 'an ordinary answer', operation: 'account.get' },
	{
		name: 'endless body, one thing',
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
		name: '10 MB of brackets, one thing',
		operation: 'account.get',
		fault: { kind: 'nestedJson', levels: 5_000_000, operation: 'account.get' },
	},
	{
		name: '10 MB of brackets, a list',
		operation: 'video.getAll',
		fault: { kind: 'nestedJson', levels: 5_000_000, operation: 'video.getAll' },
	},
	{ name: 'a million video logs, limit 50', operation: 'video.getAll', logs: MILLION },
];

/** The process that is measured. */
async function measure(
	{ operation, timeout }: Case,
	credentials: { baseUrl: string; apiKey: string },
): Promise<Figures> {
	await loadPackage();
	global.gc?.();
	const idleBytes = process.memoryUsage.rss();
	let peakBytes = idleBytes;
	const sampling = setInterval(() => {
		peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
	}, SAMPLE_MS);
	const startedAt = performance.now();
	const { items, error } = await runNode({
		parameters: {
			...OPERATIONS[operation],
			options: { maxTries: 1 },
			...(timeout === undefined ? {} : { requestOptions: { timeout } }),
		},
		credentials,
	});
	const seconds = (performance.now() - startedAt) / 1000;
	clearInterval(sampling);
	peakBytes = Math.max(peakBytes, process.resourceUsage().maxRSS * 1024);
	return {
		overMib: Math.round((peakBytes - idleBytes) / MIB),
		seconds: Number(seconds.toFixed(2)),
		outcome: error?.message ?? `${items.length} items`,
	};
}

async function runCase(each: Case): Promise<Figures> {
	const sandbox = await startSandbox({ rateLimit: false });
	try {
		if (each.fault) sandbox.addFault(each.fault);
		if (each.logs !== undefined) {
			sandbox.addVideos(
				'main',
				Array.from({ length: each.logs }, () => ({})),
			);
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
	const rows: Record<string, object> = {};
	for (const each of CASES) {
		const { overMib, seconds, outcome } = await runCase(each);
		const isGood = overMib <= LIMIT_MIB && seconds <= LIMIT_SECONDS;
		rows[each.name] = { seconds, 'MiB over idle': overMib, good: isGood, outcome };
		if (!isGood) process.exitCode = 1;
	}
	console.table(rows);
}

if (process.send && process.argv[2] === 'child') {
	process.once('message', ([each, credentials]: Parameters<typeof measure>) => {
		void measure(each, credentials).then((figures) => process.send?.(figures));
	});
} else {
	void bench();
}
