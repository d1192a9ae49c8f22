/**
 * Measures how long a poll, Get Many and waiting hold up n8n's event loop at a time, with a long video
 * log or many items, and how long the parsing of a response takes in the same run. The service is a
 * separate process.
 *
 * Counts the processor time of the event loop's thread, turn by turn: on a shared machine, the time that
 * passes is also that of other programs. The limit for many items leaves the garbage collector out. Its
 * pauses depend on n8n's whole memory, and most of the garbage is that of n8n's own request function,
 * which is measured beside with as many requests. They are printed for both.
 */
import axios from 'axios';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { PerformanceEntry } from 'node:perf_hooks';
import { PerformanceObserver } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import type { IExecuteFunctions, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { createSlots } from '../../nodes/VideoGeneration/api/pacing';
import { ActiveTrigger } from '../support/engine/ActiveTrigger';
import { loadPackage } from '../support/engine/loadPackage';
import { NODE_TYPE, runNode } from '../support/engine/runNode';
import { keepFigures } from './keepFigures';

/** How many times as long as the parsing of a long log the node may hold up the event loop. */
const LIMIT_TIMES = 2;
/** How long it may do so without the parsing where no response is long, in every run. */
const LIMIT_MS = 50;
const RUNS = Number(process.env.RUNS ?? 3);
const RESOLUTION_MS = 1;

interface Credentials {
	baseUrl: string;
	apiKey: string;
}

type Watch = <T>(work: () => Promise<T>) => Promise<T>;

interface Case {
	name: string;
	/** The number of videos in the log. */
	videos: number;
	/** The time zone in which the log's dates are written. */
	zone?: string;
	/** Does the work; `watch` measures a part of it. */
	run: (credentials: Credentials, watch: Watch) => Promise<void>;
}

/** The longest times for which the event loop was held up, in milliseconds of processor time. */
interface Held {
	heldMs: number;
	/** The longest parsing. */
	parseMs: number;
	/** The first divided by the second. */
	times: number;
	/** The longest turn without the parsing in it. */
	apartMs: number;
	/** The longest turn without the parsing and without the garbage collector. */
	ownMs: number;
	/** The longest pause of the garbage collector, by the time that passed. */
	collectedMs: number;
	/** All pauses of the garbage collector together. */
	allCollectedMs: number;
}

/** The most of several runs, and the least of `times`. */
export interface LoopFigures extends Held {
	name: string;
	isLongLog: boolean;
}

const WAIT_OPTIONS = { waitOptions: { pollingInterval: 1, timeout: 600 } };
/** The name of the cases that the others are compared with. They have no limit. */
const PEER = 'bare request';
const LENGTHS = [100_000, 500_000];

const ONLY = new RegExp(process.env.ONLY ?? '');

const CASES: Case[] = [
	{ name: `2,000 adds and 2,000 progress checks: ${PEER}s`, videos: 0, run: requestMany },
	{
		name: '2,000 items of one project: Queue > Add that waits',
		videos: 0,
		run: runWith(2_000, {
			resource: 'queue',
			operation: 'add',
			projectId: { __rl: true, mode: 'id', value: 'one-project' },
			waitForCompletion: true,
			...WAIT_OPTIONS,
		}),
	},
	...LENGTHS.flatMap((videos): Case[] => {
		const inLog = `${videos.toLocaleString('en')} videos in the log`;
		return [
			{ name: `${inLog}: ${PEER}`, videos, run: requestBare },
			...['Z', '+00:00'].flatMap((zone): Case[] => [
				{ name: `${inLog}, dates in ${zone}: a poll with a new video`, videos, zone, run: poll },
				{ name: `${inLog}, dates in ${zone}: the first poll`, videos, zone, run: pollFirst },
			]),
			{ name: `${inLog}: a first poll that emits all of them`, videos, run: pollAll },
			{
				name: `${inLog}: Video > Get Many, all`,
				videos,
				run: runWith(1, { resource: 'video', operation: 'getAll', returnAll: true }),
			},
			{
				name: `${inLog}: Video > Get Many, by project and date`,
				videos,
				run: runWith(1, {
					resource: 'video',
					operation: 'getAll',
					returnAll: true,
					filters: {
						projectId: { __rl: true, mode: 'id', value: 'one-project' },
						createdAfter: new Date(Date.now() - 1_000 * 61_234).toISOString(),
					},
				}),
			},
			{
				name: `${inLog}: Queue > Wait for 50 items without a project`,
				videos,
				run: runWith(50, {
					resource: 'queue',
					operation: 'wait',
					queueId: '={{ $json.queueId }}',
					projectId: { __rl: true, mode: 'list', value: '' },
					...WAIT_OPTIONS,
				}),
			},
		];
	}),
];

/** Measures the node's own function, without n8n's work before and after it. */
function runWith(items: number, parameters: INodeParameters): Case['run'] {
	return async (credentials, watch) => {
		const { nodes } = await loadPackage();
		const { resource, operation } = parameters as { resource: string; operation: string };
		const operations = nodes[NODE_TYPE]?.customOperations?.[resource] ?? {};
		const original = operations[operation];
		if (!original) throw new Error(`The node has no operation ${operation}`);
		operations[operation] = async function (this: IExecuteFunctions) {
			const output = await watch(async () => await original.call(this));
			const [found = []] = output as INodeExecutionData[][];
			if (found.length < this.getInputData().length) throw new Error('Items are missing');
			return [[]];
		};
		const { error, run } = await runNode({
			parameters,
			credentials: { ...credentials },
			items: Array.from({ length: items }, (_, i) => ({ queueId: `queue-${i}` })),
		});
		operations[operation] = original;
		if (error) throw error;
		if (run.status !== 'success') throw new Error(`The execution is ${run.status}`);
	};
}

/** A poll that finds a new video: the first one, which remembers the log, comes once. */
async function poll(credentials: Credentials, watch: Watch): Promise<void> {
	const trigger = await ActiveTrigger.create({
		credentials: { ...credentials },
		storage: 'static data',
	});
	await trigger.activate();
	// The second look shows it as finished.
	const url = `${credentials.baseUrl}/v1/queue/progress/a-new-video`;
	for (let look = 0; look < 2; look++) await axios.get(url);
	const { error } = await watch(async () => await trigger.poll());
	if (error) throw error;
}

async function pollFirst(credentials: Credentials, watch: Watch): Promise<void> {
	const trigger = await ActiveTrigger.create({
		credentials: { ...credentials },
		storage: 'static data',
	});
	await watch(async () => await trigger.activate());
}

async function pollAll(credentials: Credentials, watch: Watch): Promise<void> {
	const trigger = await ActiveTrigger.create({
		credentials: { ...credentials },
		storage: 'static data',
		parameters: { options: { emitExisting: true } },
	});
	await watch(async () => await trigger.activate());
}

async function requestBare(credentials: Credentials, watch: Watch): Promise<void> {
	const request = await createBareRequest(credentials);
	await watch(async () => {
		await request('/v1/videos');
	});
}

/** Sends the requests of 2,000 items that wait: an add at a time, and a check of each item beside it. */
async function requestMany(credentials: Credentials, watch: Watch): Promise<void> {
	const request = await createBareRequest(credentials);
	const takeSlot = createSlots(64);
	const checks: Promise<unknown>[] = [];
	const check = async (queueId: string) => {
		await setTimeout(1_000);
		await takeSlot(() => request(`/v1/queue/progress/${queueId}`));
	};
	await watch(async () => {
		for (let added = 1; added <= 2_000; added++) {
			await request('/v1/queue/add', { projectId: 'one-project' });
			checks.push(check(`queue-${added}`));
		}
		await Promise.all(checks);
	});
}

/** Returns a function that sends a request with n8n's own function. */
async function createBareRequest(
	credentials: Credentials,
): Promise<(url: string, body?: object) => Promise<unknown>> {
	const trigger = await ActiveTrigger.create({
		credentials: { ...credentials },
		storage: 'static data',
	});
	const context = trigger.createPollContext();
	return async (url, body): Promise<unknown> =>
		await (context.helpers.httpRequestWithAuthentication.call(context, 'videoGenerationApi', {
			...{ url, method: body === undefined ? 'GET' : 'POST', body, json: true },
		}) as Promise<unknown>);
}

async function measure({ name, videos, zone = 'Z', run }: Case): Promise<LoopFigures> {
	const runs: Held[] = [];
	for (let count = 0; count < RUNS; count++) {
		const server = fork(path.join(__dirname, 'serveWaits.ts'), [String(videos), zone]);
		const [credentials] = (await once(server, 'message')) as [Credentials];
		await run(credentials, async (work) => {
			const { result, held } = await watchLoop(work);
			runs.push(held);
			return result;
		});
		server.disconnect();
	}
	const list = (key: keyof Held) => runs.map((held) => held[key]);
	const figures = {
		...{ name, isLongLog: videos > 0 },
		heldMs: Math.max(...list('heldMs')),
		parseMs: Math.max(...list('parseMs')),
		times: Math.min(...list('times')),
		apartMs: Math.max(...list('apartMs')),
		ownMs: Math.max(...list('ownMs')),
		collectedMs: Math.max(...list('collectedMs')),
		allCollectedMs: Math.max(...list('allCollectedMs')),
	};
	const show = (key: keyof Held) =>
		`${figures[key].toFixed(0)} ms (${list(key)
			.map((ms) => ms.toFixed(0))
			.join(', ')})`;
	console.log(
		`${name}: held up for ${show('heldMs')} of processor time at a time at most, ${figures.times.toFixed(1)} times as long as the parsing; longest parsing ${show('parseMs')}; without it ${show('apartMs')}; without it and the garbage collector ${show('ownMs')}. Garbage collection: ${show('collectedMs')} at a time, ${show('allCollectedMs')} in all`,
	);
	return figures;
}

/** Does some work, and measures how long it holds up the event loop at a time. */
async function watchLoop<T>(work: () => Promise<T>): Promise<{ result: T; held: Held }> {
	const parse = JSON.parse;
	const parsings: number[] = [];
	JSON.parse = (...args: Parameters<typeof parse>): unknown => {
		const from = getProcessorTime();
		try {
			return parse(...args);
		} finally {
			parsings.push(getProcessorTime() - from);
		}
	};
	const collections: PerformanceEntry[] = [];
	const observer = new PerformanceObserver((list) => {
		collections.push(...list.getEntries());
	});
	observer.observe({ entryTypes: ['gc'] });
	const turns: Turn[] = [];
	let begun = { at: performance.now(), cpuMs: getProcessorTime(), parsings: 0 };
	const timer = setInterval(() => {
		const now = { at: performance.now(), cpuMs: getProcessorTime(), parsings: parsings.length };
		turns.push({
			...{ from: begun.at, to: now.at, cpuMs: now.cpuMs - begun.cpuMs },
			parseMs: sum(parsings.slice(begun.parsings)),
		});
		begun = now;
	}, RESOLUTION_MS);
	const result = await work();
	// The last turn ends with the next one's beginning, and the last collections show later.
	await setTimeout(100);
	clearInterval(timer);
	JSON.parse = parse;
	observer.disconnect();
	const getOwnMs = ({ from, to, cpuMs, parseMs }: Turn) => {
		const inTurn = collections.filter(({ startTime }) => startTime >= from && startTime < to);
		// Outside of the collector, the turn took no more than either.
		return Math.min(cpuMs - parseMs, to - from - sum(inTurn.map(({ duration }) => duration)));
	};
	const heldMs = Math.max(...turns.map(({ cpuMs }) => cpuMs));
	const parseMs = Math.max(...parsings);
	const pauses = collections.map(({ duration }) => duration);
	return {
		result,
		held: {
			...{ heldMs, parseMs, times: heldMs / parseMs },
			apartMs: Math.max(...turns.map((turn) => turn.cpuMs - turn.parseMs)),
			ownMs: Math.max(...turns.map(getOwnMs)),
			collectedMs: Math.max(...pauses),
			allCollectedMs: sum(pauses),
		},
	};
}

/** A turn of the event loop, from one moment to another by `performance.now()`. */
interface Turn {
	from: number;
	to: number;
	cpuMs: number;
	/** The parsing in it, in processor time. */
	parseMs: number;
}

function sum(values: number[]): number {
	return values.reduce((total, value) => total + value, 0);
}

/** The processor time of this thread, in milliseconds. */
function getProcessorTime(): number {
	// Node.js 24 has it, and the types of Node.js 20 do not.
	const { threadCpuUsage } = process as unknown as { threadCpuUsage: () => NodeJS.CpuUsage };
	const { user, system } = threadCpuUsage();
	return (user + system) / 1000;
}

async function main(): Promise<void> {
	const figures: LoopFigures[] = [];
	for (const each of CASES) if (ONLY.test(each.name)) figures.push(await measure(each));
	keepFigures('loop', figures);
	const isGood = figures.every(
		({ name, isLongLog, ownMs, times }) =>
			name.includes(PEER) || (isLongLog ? times <= LIMIT_TIMES : ownMs <= LIMIT_MS),
	);
	console.log(
		`Limits: ${LIMIT_TIMES} times the parsing of a long log, else ${LIMIT_MS} ms without the parsing: ${isGood ? 'good' : 'NOT GOOD'}`,
	);
	if (!isGood) process.exitCode = 1;
}

void main();
