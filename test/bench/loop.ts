/**
 * For how long the node holds up n8n's event loop at a time while many items wait for their videos,
 * beside what it takes to parse the largest response. The service is a process of its own.
 */
import axios from 'axios';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { IExecuteFunctions, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { loadPackage } from '../support/engine/loadPackage';
import { NODE_TYPE, runNode } from '../support/engine/runNode';
import { keepFigures } from './keepFigures';

/** How much longer than the parsing of a response the node may hold up the event loop. */
const LIMIT_MS = 50;
const RUNS = Number(process.env.RUNS ?? 3);
const RESOLUTION_MS = 1;

interface Case {
	name: string;
	items: number;
	olderVideos: number;
	parameters: INodeParameters;
}

export interface LoopFigures {
	name: string;
	/** The longest time that the event loop was held up, the least of several runs. */
	heldMs: number;
	/** The time to parse the video log. */
	parseMs: number;
}

const OPTIONS = { waitOptions: { pollingInterval: 1, timeout: 600 } };
const CASES: Case[] = [
	{
		name: '2,000 items of one project: Queue > Add that waits',
		items: Number(process.env.N ?? 2_000),
		olderVideos: 0,
		parameters: {
			resource: 'queue',
			operation: 'add',
			projectId: { __rl: true, mode: 'id', value: 'one-project' },
			waitForCompletion: true,
			...OPTIONS,
		},
	},
	{
		name: '50 items without a project, 100,000 videos in the log: Queue > Wait',
		items: 50,
		olderVideos: 100_000,
		parameters: {
			resource: 'queue',
			operation: 'wait',
			queueId: '={{ $json.queueId }}',
			projectId: { __rl: true, mode: 'list', value: '' },
			...OPTIONS,
		},
	},
];

/** Measures the node's own function alone: n8n's work before and after it is not the node's. */
async function watchNode(operation: string): Promise<() => number> {
	const { nodes } = await loadPackage();
	const operations = nodes[NODE_TYPE]?.customOperations?.queue ?? {};
	const original = operations[operation];
	if (!original) throw new Error(`The node has no operation ${operation}`);
	const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
	operations[operation] = async function (this: IExecuteFunctions) {
		delay.reset();
		delay.enable();
		try {
			const [items = []] = (await original.call(this)) as INodeExecutionData[][];
			if (items.length !== this.getInputData().length) throw new Error('Items are missing');
		} finally {
			delay.disable();
		}
		return [[]];
	};
	return () => {
		operations[operation] = original;
		return delay.max / 1e6;
	};
}

async function measure({ name, items, olderVideos, parameters }: Case): Promise<LoopFigures> {
	const held: number[] = [];
	const parsed: number[] = [];
	for (let run = 0; run < RUNS; run++) {
		const server = fork(path.join(__dirname, 'serveWaits.ts'), [String(olderVideos)]);
		const [credentials] = (await once(server, 'message')) as [{ baseUrl: string; apiKey: string }];
		const stopWatching = await watchNode(parameters.operation as string);
		const { error, run: execution } = await runNode({
			parameters,
			credentials,
			items: Array.from({ length: items }, (_, i) => ({ queueId: `queue-${i}` })),
		});
		held.push(stopWatching());
		if (error) throw error;
		if (execution.status !== 'success') throw new Error(`The execution is ${execution.status}`);
		parsed.push(await measureParsing(credentials.baseUrl));
		server.disconnect();
	}
	const figures = { name, heldMs: Math.min(...held), parseMs: Math.min(...parsed) };
	console.log(
		`${name}: held up for ${figures.heldMs.toFixed(0)} ms at a time at most (${held.map((ms) => ms.toFixed(0)).join(', ')}), parsing the log takes ${figures.parseMs.toFixed(0)} ms`,
	);
	return figures;
}

async function measureParsing(baseUrl: string): Promise<number> {
	const { data } = await axios.get<string>(`${baseUrl}/v1/videos`, {
		responseType: 'text',
		transformResponse: (text: string) => text,
	});
	const startedAt = performance.now();
	JSON.parse(data);
	return performance.now() - startedAt;
}

async function main(): Promise<void> {
	const figures: LoopFigures[] = [];
	for (const each of CASES) figures.push(await measure(each));
	keepFigures('loop', figures);
	const isGood = figures.every(({ heldMs, parseMs }) => heldMs <= parseMs + LIMIT_MS);
	console.log(`Limit: ${LIMIT_MS} ms beyond the parsing: ${isGood ? 'good' : 'NOT GOOD'}`);
	if (!isGood) process.exitCode = 1;
}

void main();
