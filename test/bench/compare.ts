/**
 * Runs the same batches in one real n8n, with the same service and failures: once with our node, once with
 * the HTTP Request, Wait and IF nodes of n8n's templates. The records of the service say what became of
 * each row.
 */
import type { IDataObject } from 'n8n-workflow';
import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import type { SettingsChange } from '../../sandbox/domain/settings';
import { startSandbox } from '../../sandbox/startSandbox';
import type { Credential, WorkflowContent } from '../../scripts/n8n/n8nTypes';
import { buildWorkflow, makeItems, START, videoGeneration } from '../support/e2e/buildWorkflow';
import { RealN8n, WITHOUT_CODE } from '../support/e2e/RealN8n';
import { byId, GENERATE } from '../support/engine/OPERATIONS';
import { buildHttpRequestLoop, LIMIT_SECONDS, ON_ERROR, RESULT_NODE } from './httpRequestLoop';

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

/** What became of the rows: how many were paid, paid more than once, and came out with which video. */
interface Result {
	rowsPaid: number;
	rowsPaidTwice: number;
	ownVideos: number;
	wrongVideos: number;
	seconds: number;
}

type Build = (url: string, credential: Credential, projectId: string) => WorkflowContent;

async function main(): Promise<void> {
	const n8n = new RealN8n('bench-compare', WITHOUT_CODE);
	try {
		await n8n.start();
		console.table(await playAll(n8n, buildOurs));
		console.table(await playAll(n8n, buildHttp));
	} finally {
		await n8n.stop();
	}
}

const buildOurs: Build = (_url, credential, projectId) => {
	const parameters = { ...GENERATE, projectId: byId(projectId) };
	const generate = videoGeneration(RESULT_NODE, credential, parameters, ON_ERROR);
	return buildWorkflow('Video Generation', [START, ...makeItems(ROWS, 'Input'), generate]);
};

const buildHttp: Build = (url, credential, projectId) =>
	buildHttpRequestLoop(url, credential, makeItems(ROWS, 'Input'), projectId);

/** Plays all batches at the same time. @returns what became of each, and the sums */
async function playAll(n8n: RealN8n, build: Build): Promise<Record<string, IDataObject>> {
	const results = await Promise.all(
		Object.values(BATCHES).map(async (batch) => await play(n8n, batch, build)),
	);
	const sum = (name: keyof Result) => results.reduce((total, each) => total + each[name], 0);
	const names = Object.keys(results[0] ?? {}) as (keyof Result)[];
	return {
		...Object.fromEntries(Object.keys(BATCHES).map((name, index) => [name, { ...results[index] }])),
		'in all': Object.fromEntries(names.map((name) => [name, sum(name)])),
	};
}

async function play({ client }: RealN8n, batch: Batch, build: Build): Promise<Result> {
	const rateLimit = { max: 100, windowMs: 900_000 };
	const sandbox = await startSandbox({ clock: 'real', rateLimit, ...batch.service });
	const projectId = sandbox.projects.teaser.id;
	sandbox.configure({ durations: { pendingMs: 0, processingMs: 5_000, renderingMs: 0 } });
	for (const fault of batch.faults ?? []) sandbox.addFault(fault);
	const strangers = new Set<string>();
	sandbox.onRequest(() => {
		for (const [index, { queueId }] of sandbox.charges.entries()) {
			const processingMs = (batch.seconds[index] ?? 5) * 1_000;
			sandbox.changeQueueItem(queueId, { durations: { processingMs } });
		}
	});
	const timers = (batch.strangers ?? []).map((seconds) =>
		setTimeout(() => strangers.add(sandbox.queueVideo(projectId)), seconds * 1_000),
	);
	const credential = await client.createCredential({
		...{ name: sandbox.url, type: 'videoGenerationApi' },
		data: { baseUrl: sandbox.url, apiKey: sandbox.apiKey },
	});
	const { id } = await client.createWorkflow(build(sandbox.url, credential, projectId));
	const startedAt = performance.now();
	const executionId = await client.runWorkflow(id, START.name);
	const execution = await client.waitForExecution(executionId, 2 * LIMIT_SECONDS * 1_000);
	const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
	for (const timer of timers) clearTimeout(timer);
	const charges = sandbox.charges.filter(({ queueId }) => !strangers.has(queueId));
	await sandbox.close();
	const prompts = charges.map(({ customPrompt }) => customPrompt);
	const isTwice = (prompt: string | null) => prompts.filter((each) => each === prompt).length > 1;
	const own = new Set<string | null>();
	const wrong = new Set<string | null>();
	const tasks = execution.data.resultData.runData[RESULT_NODE] ?? [];
	const items = tasks.flatMap(({ data }) => (data?.main ?? []).flatMap((output) => output ?? []));
	for (const { json } of items) {
		const charge = charges.find(({ queueId }) => queueId === json.queueId);
		const address = json.videoUrl ?? (json.video as IDataObject | null | undefined)?.url;
		if (!charge || typeof address !== 'string') continue;
		(address.includes(charge.videoId) ? own : wrong).add(charge.customPrompt);
	}
	return {
		rowsPaid: new Set(prompts).size,
		rowsPaidTwice: new Set(prompts.filter(isTwice)).size,
		ownVideos: own.size,
		wrongVideos: wrong.size,
		seconds,
	};
}

void main();
