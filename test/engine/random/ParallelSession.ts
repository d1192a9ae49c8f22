import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import type { Charge, VideoLog } from '../../../sandbox/domain/model';
import type { Sandbox } from '../../../sandbox/Sandbox';
import { playTogether } from '../../support/engine/playTogether';
import type { NodeResult, NodeSetup } from '../../support/engine/runNode';
import { runNode, startNode } from '../../support/engine/runNode';
import { runTools } from '../../support/engine/runTools';
import type { Execution, ParallelPlan } from './parallelPlans';
import { PROJECTS } from './parallelPlans';
import { listOutputs } from './Session';

/** An add as the service received it. */
export interface ReceivedAdd {
	execution: number;
	row: number;
	project: string;
	at: number;
	queueId: string | undefined;
}

/** An execution of n8n: the first one, or a retry of it. */
interface Segment {
	startedAt: number;
	endedAt: number;
	status: string;
	error?: string | undefined;
	/** All that came out of it, failed items as well. */
	outputs: INodeExecutionData[];
}

/** What became of a plan, as the service and n8n have recorded it. */
export interface ParallelSession {
	adds: ReceivedAdd[];
	charges: Charge[];
	/** When the last progress check of each queue item was sent. */
	lastChecks: Map<string, number>;
	videos: VideoLog[];
	/** The segments of each execution; the last execution is one of all projects, after all the others. */
	segments: Segment[][];
	/** The number of timers that are left at the end. */
	timers: number;
}

const byId = (value: string) => ({ __rl: true, mode: 'id', value });

/** Each plan has a service of its own: a process remembers which services tell. */
let plans = 0;

/** Plays a plan: all of its executions in one process, and at the end one that must find no lane taken. */
export async function playInParallel(
	sandbox: Sandbox,
	plan: ParallelPlan,
): Promise<ParallelSession> {
	plans += 1;
	sandbox.configure(plan.service);
	sandbox.setCredits('main', 1_000);
	for (const fault of plan.faults) sandbox.addFault(fault);
	for (const [index, { faults }] of plan.executions.entries()) {
		for (const fault of faults) sandbox.addFault({ ...fault, containing: `Film ${index}-` });
	}
	const stopListening = applyPlan(sandbox, plan.videos);
	const state = { timers: 0 };
	const others = plan.strangers.map(({ atMs, processingMs }) => ({
		afterMs: atMs,
		start: async () => {
			const durations = { processingMs };
			sandbox.changeQueueItem(sandbox.queueVideo(PROJECTS[0]), { durations });
			return await Promise.resolve([]);
		},
	}));
	const drawn = plan.executions.map((each, index) => ({
		afterMs: each.afterMs,
		start: async () => await execute(sandbox, plan, each, index),
	}));
	const endings = await playTogether(sandbox, [...drawn, ...others]);
	sandbox.clearFaults();
	const last: Execution = { ...LAST, projects: [...PROJECTS] };
	const [ending] = await playTogether(sandbox, [
		{
			start: async () => {
				const segments = await execute(sandbox, plan, last, plan.executions.length);
				// What is on its way is over.
				await pass(1);
				state.timers = jest.getTimerCount();
				return segments;
			},
		},
	]);
	stopListening();
	return {
		adds: listReceivedAdds(sandbox),
		charges: [...sandbox.charges],
		lastChecks: new Map(sandbox.requests.map(({ url, at }) => [url.split('/').at(-1) ?? '', at])),
		videos: sandbox.readState().videos,
		segments: [...endings.slice(0, drawn.length), ending].map((each) => each?.result ?? []),
		...state,
	};
}

const LAST: Omit<Execution, 'projects'> = {
	maker: 'node',
	afterMs: 0,
	isTyped: false,
	hasOtherKey: false,
	videosAtOnce: undefined,
	timeout: 1_800,
	executionTimeout: undefined,
	faults: [],
	retryAfterMs: undefined,
	stopAfterMs: undefined,
	settings: {
		onError: 'continueErrorOutput',
		retryOnFail: false,
		maxTries: 2,
		waitBetweenTries: 0,
	},
};

const pass = async (delayMs: number) => {
	await new Promise<void>((resolve) => setTimeout(resolve, delayMs));
};

/** Gives each charged video its durations, before the service handles the next request. */
function applyPlan(sandbox: Sandbox, videos: ParallelPlan['videos']): () => void {
	let count = 0;
	return sandbox.onRequest(() => {
		for (; count < sandbox.charges.length; count += 1) {
			const { queueId = '' } = sandbox.charges[count] ?? {};
			const { fails = false, ...durations } = videos[count] ?? {};
			if (!videos[count]) continue;
			sandbox.changeQueueItem(queueId, { durations, outcome: fails ? 'failed' : 'completed' });
		}
	});
}

/** Runs an execution to its end, and its retries. */
async function execute(
	sandbox: Sandbox,
	plan: ParallelPlan,
	execution: Execution,
	index: number,
): Promise<Segment[]> {
	const { maker, projects, settings, timeout, videosAtOnce } = execution;
	const url = `${sandbox.url}/${plans}`;
	const baseUrl = execution.isTyped ? ` ${url}/v1/` : url;
	const { apiKey, otherApiKey } = sandbox.accounts.main;
	const credentials = { baseUrl, apiKey: execution.hasOtherKey ? otherApiKey : apiKey };
	const rows = projects.map((project, row) => ({ project, prompt: `Film ${index}-${row}` }));
	const { listingDelay } = plan;
	const waitOptions = {
		listingDelay,
		timeout,
		...(videosAtOnce !== undefined && { videosAtOnce }),
	};
	const generate = { resource: 'video', operation: 'generate', downloadVideo: false, waitOptions };
	const create = (parameters: INodeParameters, expression: (name: string) => string) => ({
		...parameters,
		projectId: byId(expression('project')),
		customPrompt: expression('prompt'),
	});
	const startedAt = Date.now();
	const end = (status: string, outputs: INodeExecutionData[]): Segment => ({
		...{ startedAt, endedAt: Date.now(), status, outputs },
	});
	if (maker === 'tool' || maker === 'steps') {
		const parameters = create(generate, (name) => `={{ $fromAI('${name}', '', 'string') }}`);
		const setup = { parameters, credentials, calls: [rows], way: maker };
		const answers = await runTools(setup);
		return [end('success', answers.flatMap(parseAnswer))];
	}
	const fromRow = (name: string) => `={{ $json.${name} }}`;
	if (maker === 'node') {
		const setup = { credentials, items: rows, settings, parameters: create(generate, fromRow) };
		return await executeWithRetries(setup, execution);
	}
	const parameters = create({ resource: 'queue', operation: 'add' }, fromRow);
	const added = await runNode({ credentials, items: rows, parameters });
	if (maker === 'add') return [end('success', added.items)];
	const wait = {
		...{
			resource: 'queue',
			operation: 'wait',
			downloadVideo: false,
			waitOptions: { listingDelay },
		},
		...{ queueId: fromRow('queueId'), queuedAt: fromRow('createdAt') },
		projectId: byId(fromRow('projectId')),
	};
	const items = added.items.map(({ json }) => json);
	const waited = await runNode({ credentials, items, parameters: wait, settings: CONTINUE });
	return [end('success', listOutputs({ result: waited }))];
}

const CONTINUE = { onError: 'continueErrorOutput' } as const;

async function executeWithRetries(
	setup: NodeSetup,
	{ executionTimeout, retryAfterMs, stopAfterMs = Infinity }: Execution,
): Promise<Segment[]> {
	const endsAfterMs = Math.min(stopAfterMs, (executionTimeout ?? Infinity) * 1_000);
	const workflowSettings = executionTimeout === undefined ? {} : { executionTimeout };
	const segments: Segment[] = [];
	const perform = async (more: Partial<NodeSetup>): Promise<NodeResult> => {
		const startedAt = Date.now();
		const started = await startNode({ ...setup, ...more, workflowSettings });
		const timer = Number.isFinite(endsAfterMs) && setTimeout(started.stop, endsAfterMs);
		const result = await started.result;
		if (timer !== false) clearTimeout(timer);
		const { status } = result.run;
		const error = result.error?.message;
		const endedAt = Date.now();
		segments.push({ startedAt, endedAt, status, outputs: listOutputs({ result }), error });
		return result;
	};
	const { run } = await perform({});
	if (run.status === 'error' && retryAfterMs !== undefined) {
		await pass(retryAfterMs);
		await perform({ failed: run });
	}
	return segments;
}

/** The items of an agent's answer; none where it is a failure's text. */
function parseAnswer(answer: string): INodeExecutionData[] {
	if (!answer.startsWith('[')) return [];
	return (JSON.parse(answer) as IDataObject[]).map((json) => ({ json }));
}

function listReceivedAdds({ requests }: Sandbox): ReceivedAdd[] {
	return requests
		.filter(({ operation }) => operation === 'queue.add')
		.map(({ body, at, queueId }) => {
			const { customPrompt, projectId: project } = body as Record<string, string>;
			const [execution = NaN, row = NaN] = (customPrompt?.match(/\d+/g) ?? []).map(Number);
			return { execution, row, project: project ?? '', at, queueId };
		});
}
