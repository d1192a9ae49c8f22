/**
 * Runs the same batches in one real n8n, with the same service and failures: once with our node, once with
 * the HTTP Request, Wait and IF nodes of n8n's templates. The records of the service say what became of
 * each row.
 */
import type { IDataObject } from 'n8n-workflow';
import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import type { SettingsChange } from '../../sandbox/domain/settings';
import type { Sandbox } from '../../sandbox/Sandbox';
import { startSandbox } from '../../sandbox/startSandbox';
import type { Credential, Execution, WorkflowContent } from '../../scripts/n8n/n8nTypes';
import { buildWorkflow, makeItems, START, videoGeneration } from '../support/e2e/buildWorkflow';
import { RealN8n, WITHOUT_CODE } from '../support/e2e/RealN8n';
import { buildHttpRequestLoop, LIMIT_SECONDS, RESULT_NODE, RETRY } from './httpRequestLoop';

/** Five rows of one project, and what happens to them. Durations are in seconds, one for each add. */
interface Batch {
	service?: SettingsChange;
	seconds: number[];
	faults?: FaultSpec[];
	/** When somebody else queues a video of the project, in seconds. */
	strangers?: number[];
}

const ROWS = Array.from({ length: 5 }, (_, index) => ({ prompt: `Film ${index}` }));
const EQUAL = [5, 5, 5, 5, 5];
const add = { operation: 'queue.add' } as const;

const BATCHES: Record<string, Batch> = {
	'equal durations': { seconds: EQUAL },
	'unequal durations': { seconds: [9, 3, 6, 4, 8] },
	'one after the other': { seconds: EQUAL, service: { maxAtOnce: 1 } },
	'three at a time': { seconds: [6, 4, 5, 7, 3], service: { maxAtOnce: 3 } },
	'listed 4 s late': { seconds: EQUAL, service: { durations: { logDelayMs: 4_000 } } },
	'listed 3 s early': { seconds: EQUAL, service: { durations: { logDelayMs: -3_000 } } },
	"somebody else's videos": { seconds: EQUAL, strangers: [4, 20] },
	'an add is refused': {
		seconds: EQUAL,
		faults: [{ ...add, nth: 2, kind: 'status', status: 429 }],
	},
	'a response is lost': {
		seconds: EQUAL,
		faults: [{ ...add, nth: 1, kind: 'reset', phase: 'after' }],
	},
	'a gateway is too slow': {
		seconds: EQUAL,
		faults: [{ ...add, nth: 2, kind: 'status', status: 504, phase: 'after' }],
	},
	'a progress check fails': {
		seconds: EQUAL,
		faults: [{ operation: 'queue.getProgress', nth: 4, times: 3, kind: 'status', status: 500 }],
	},
};

const RESULTS = ['rowsPaid', 'rowsPaidTwice', 'ownVideos', 'wrongVideos', 'seconds'] as const;

/** What became of the rows: how many were paid, paid more than once, and came out with which video. */
type Result = Record<(typeof RESULTS)[number], number>;

/** The sums of all batches, for each way to run them. */
export interface CompareFigures {
	batches: number;
	rows: number;
	ways: Record<'ours' | 'http', Result & { nodes: number }>;
}

/** The name of our only node. */
const OUR_NODE = 'Generate';

type Build = (sandbox: Sandbox, credential: Credential, projectId: string) => WorkflowContent;

async function main(): Promise<void> {
	const n8n = new RealN8n('bench-compare', WITHOUT_CODE);
	try {
		await n8n.start();
		const ours = await playAll(n8n, buildOurs);
		const http = await playAll(n8n, buildHttp);
		const figures: CompareFigures = {
			batches: ours.length,
			rows: ours.length * ROWS.length,
			ways: { ours: { ...sum(ours), nodes: 1 }, http: { ...sum(http), nodes: 6 } },
		};
		const names = Object.keys(BATCHES);
		for (const results of [ours, http]) {
			console.table(Object.fromEntries(results.map((result, index) => [names[index], result])));
		}
		console.table(figures.ways);
	} finally {
		await n8n.stop();
	}
}

/** Both ways try a node that fails three times, as people set it for a service that may fail. */
function buildOurs(_: Sandbox, credential: Credential, projectId: string): WorkflowContent {
	const parameters = {
		...{ resource: 'video', operation: 'generate', downloadVideo: false },
		projectId: { __rl: true, mode: 'id', value: projectId },
		customPrompt: '={{ $json.prompt }}',
	};
	const settings = { ...RETRY, onError: 'continueErrorOutput' };
	return buildWorkflow('Video Generation', [
		...[START, ...makeItems(ROWS, 'Input')],
		videoGeneration(OUR_NODE, credential, parameters, settings),
	]);
}

function buildHttp(sandbox: Sandbox, credential: Credential, projectId: string): WorkflowContent {
	return buildHttpRequestLoop(sandbox.url, credential, makeItems(ROWS, 'Input'), projectId);
}

async function playAll(n8n: RealN8n, build: Build): Promise<Result[]> {
	const node = build === buildOurs ? OUR_NODE : RESULT_NODE;
	return await Promise.all(
		Object.values(BATCHES).map(async (batch) => await play(n8n, batch, build, node)),
	);
}

async function play(n8n: RealN8n, batch: Batch, build: Build, node: string): Promise<Result> {
	const rateLimit = { max: 100, windowMs: 900_000 };
	const sandbox = await startSandbox({ clock: 'real', rateLimit, ...batch.service });
	const { client } = n8n;
	const projectId = sandbox.projects.teaser.id;
	const durations = { pendingMs: 0, renderingMs: 0 };
	sandbox.configure({ durations });
	for (const fault of batch.faults ?? []) sandbox.addFault(fault);
	const left = [...batch.seconds];
	const strangers = new Set<string>();
	sandbox.onReply(({ operation, queueId }) => {
		if (operation !== 'queue.add' || queueId === undefined) return;
		sandbox.changeQueueItem(queueId, {
			durations: { processingMs: (left.shift() ?? 5) * 1_000 },
		});
	});
	const timers = (batch.strangers ?? []).map((seconds) =>
		setTimeout(() => strangers.add(sandbox.queueVideo(projectId)), seconds * 1_000),
	);
	const credential = await client.createCredential({
		...{ name: sandbox.url, type: 'videoGenerationApi' },
		data: { baseUrl: sandbox.url, apiKey: sandbox.apiKey },
	});
	const { id } = await client.createWorkflow(build(sandbox, credential, projectId));
	const startedAt = performance.now();
	const executionId = await client.runWorkflow(id, START.name);
	const execution = await client.waitForExecution(executionId, 2 * LIMIT_SECONDS * 1_000);
	const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
	for (const timer of timers) clearTimeout(timer);
	const charges = sandbox.charges.filter(({ queueId }) => !strangers.has(queueId));
	const result = judge(charges, listItems(execution, node));
	await sandbox.close();
	return { ...result, seconds };
}

/** Returns the items of the node that ends a way. */
function listItems(execution: Execution, node: string): IDataObject[] {
	const { runData } = (execution as unknown as { data: { resultData: { runData: RunData } } }).data
		.resultData;
	const tasks = runData[node] ?? [];
	const items = tasks.flatMap(({ data }) => (data?.main ?? []).flatMap((output) => output ?? []));
	return items.map(({ json }) => json);
}

type RunData = Record<string, { data?: { main: ({ json: IDataObject }[] | null)[] } }[]>;

function judge(charges: Sandbox['charges'], items: IDataObject[]): Omit<Result, 'seconds'> {
	const prompts = charges.map(({ customPrompt }) => customPrompt);
	const paid = new Set(prompts);
	const own = new Set<string | null>();
	const wrong = new Set<string | null>();
	for (const { queueId, videoUrl, video } of items) {
		const charge = charges.find((each) => each.queueId === queueId);
		const address = videoUrl ?? (video as IDataObject | null | undefined)?.url;
		if (!charge || typeof address !== 'string') continue;
		(address.includes(charge.videoId) ? own : wrong).add(charge.customPrompt);
	}
	return {
		rowsPaid: paid.size,
		rowsPaidTwice: [...paid].filter(
			(prompt) => prompts.indexOf(prompt) !== prompts.lastIndexOf(prompt),
		).length,
		...{ ownVideos: own.size, wrongVideos: wrong.size },
	};
}

function sum(results: Result[]): Result {
	return Object.fromEntries(
		RESULTS.map((name) => [name, results.reduce((total, each) => total + each[name], 0)]),
	) as Result;
}

void main();
