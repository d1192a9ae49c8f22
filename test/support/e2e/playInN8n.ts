import { setTimeout as sleep } from 'node:timers/promises';
import type { IRun } from 'n8n-workflow';
import { generate } from 'selfsigned';
import { startSandbox } from '../../../sandbox/startSandbox';
import type { Sandbox } from '../../../sandbox/Sandbox';
import type {
	Credential,
	Execution,
	WorkflowContent,
	WorkflowNode,
} from '../../../scripts/n8n/n8nTypes';
import {
	ADD_NODE,
	changeWorkflow,
	createCredential,
	createItemJsons,
	createParameters,
	createSettings,
	createWaitParameters,
	formatProject,
	TOOL_NAME,
	WAIT_NODE,
} from '../../engine/ledger/parameters';
import type { Play, PlayedAttempt, PlayedExecution } from '../../engine/ledger/Scene';
import { Scene } from '../../engine/ledger/Scene';
import { EMPTY_KEY_STORE, isAgent } from '../../engine/ledger/Story';
import type {
	ServiceTrouble,
	Story,
	StoryExecution,
	StoryItem,
	StoryVideo,
} from '../../engine/ledger/Story';
import type { ReadTrouble } from '../../engine/ledger/troubles';
import { getDurationMs, READ_TROUBLES } from '../../engine/ledger/troubles';
import { buildAgent, MODEL } from './buildAgent';
import { buildWorkflow, makeItems, START, videoGeneration } from './buildWorkflow';
import type { RealN8n } from './RealN8n';
import { ScriptedModel } from './ScriptedModel';

/** The minimum duration of a video in the sandbox. */
const SHORTEST_MS = 1_200;

const LONGEST_TROUBLE_MS = 5_000;
const LOOK_EVERY_MS = 20;
const TIMEOUT_MS = 300_000;

/**
 * A handshake with a server that speaks plain text leaves the fate of an add open. The judge knows of
 * such adds from this process's own sockets, and here n8n is another process.
 */
function replaceAddress(item: StoryItem): StoryItem {
	return item.address === 'plainText' ? { ...item, address: 'closedPort' } : item;
}

/**
 * Adapts a story to real time: removes everything that takes minutes, and shortens the rest. The
 * clock of this machine is not changed.
 *
 * @param factor number by which the times are divided
 */
export function shorten(story: Story, { factor }: { factor: number }): Story {
	const { service, stopAfterMs } = story;
	// Two agents would each use up replies of the model's script that are meant for the other.
	const executions = story.executions.some(isAgent)
		? story.executions.slice(0, 1)
		: story.executions;
	const isShort = ({ fault }: Pick<ServiceTrouble, 'fault'>) =>
		getDurationMs(fault) <= LONGEST_TROUBLE_MS;
	const isReadShort = ({ trouble }: { trouble: ReadTrouble }) => isShort(READ_TROUBLES[trouble]);
	const shortenVideo = (video: StoryVideo): StoryVideo => ({
		...video,
		runsMs: Math.max(SHORTEST_MS, video.runsMs / factor),
		logDelayMs: video.logDelayMs / factor,
		aheadMs: video.aheadMs / factor,
		clearedAfterMs: video.clearedAfterMs && video.clearedAfterMs / factor,
		lookTrouble: video.lookTrouble && isReadShort(video.lookTrouble) ? video.lookTrouble : null,
	});
	return {
		// Only this process can break its own connections and n8n's parts.
		...{ clockIsSet: [], socketTroubles: [], n8nTroubles: [], keyStore: EMPTY_KEY_STORE },
		stopAfterMs: stopAfterMs && stopAfterMs / factor,
		executions: executions.map((execution) => ({
			...execution,
			...{ startsAfterMs: null, killedAfterMs: null },
			items: execution.items.map(replaceAddress),
			// An agent makes its calls one after the other.
			tries: isAgent(execution) && execution.tries > 2 ? 2 : execution.tries,
			waitOptions: { pollingInterval: 1, timeout: 25 },
			batchIntervalMs: execution.batchIntervalMs / factor,
			retries: execution.retries
				.slice(0, 2)
				.map(({ afterMs, change }) => ({ afterMs: afterMs / factor, change })),
		})),
		service: {
			...service,
			addTroubles: service.addTroubles.filter(isShort),
			clearTroubles: service.clearTroubles.filter(isShort),
			logTroubles: service.logTroubles.filter(isReadShort),
			videos: service.videos.map(shortenVideo),
			strangers: service.strangers.map(({ addedAfterMs, runsMs, logDelayMs, ...stranger }) => ({
				...stranger,
				addedAfterMs: addedAfterMs / factor,
				runsMs: runsMs / factor,
				logDelayMs: logDelayMs && logDelayMs / factor,
			})),
			history: service.history.map(({ vanishesAfterMs, returnsAfterMs, ...entry }) => ({
				...entry,
				vanishesAfterMs: vanishesAfterMs && vanishesAfterMs / factor,
				returnsAfterMs: returnsAfterMs / factor,
			})),
			endedItemsLeaveAfterMs:
				service.endedItemsLeaveAfterMs && service.endedItemsLeaveAfterMs / factor,
		},
	};
}

/** The servers for one story. */
export interface Stage {
	n8n: RealN8n;
	sandbox: Sandbox;
	model: ScriptedModel;
	/** The queue items that the execution is to clear. */
	toClear: string[];
}

/** Builds the workflow of an execution. */
type BuildWorkflow = (
	stage: Stage,
	execution: StoryExecution,
	credential: Credential,
) => WorkflowContent | Promise<WorkflowContent>;

/**
 * Plays a story in a real n8n, with its own service.
 *
 * @param seed determines the service's IDs. All plays share n8n's log, so each needs IDs of its own.
 * @param build builds the workflow; by default, one with our node
 * @returns `finish`, which ends the play and describes it; called later, it includes requests that
 * were sent after the end
 */
export async function playInN8n(
	n8n: RealN8n,
	story: Story,
	seed: number,
	build: BuildWorkflow = createWorkflow,
): Promise<{ finish: () => Promise<Play> }> {
	const { cert, private: key } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
		keyType: 'ec',
	});
	const certificate = { cert, key };
	const sandbox = await startSandbox({ rateLimit: false, clock: 'real', certificate, seed });
	const model = new ScriptedModel();
	await model.start();
	const scene = new Scene(story, sandbox, (delayMs, action) => {
		setTimeout(action, delayMs);
	});
	const stopListening = scene.open();
	scene.begin();
	const looking = setInterval(() => {
		scene.castVideos();
	}, LOOK_EVERY_MS);
	const executions = await Promise.all(
		story.executions.map(
			async (_, index) =>
				await perform(
					{ n8n, sandbox, model, toClear: scene.toClear[index] ?? [] },
					scene,
					story,
					index,
					build,
				),
		),
	);
	clearInterval(looking);
	const count = scene.requests.length;
	return {
		finish: async () => {
			const nothing = { timers: 0, openRequests: [] };
			const play: Play = {
				...{ ...scene.describe(), executions, left: nothing },
				leftLater: { ...nothing, newRequests: scene.listRequests(count) },
				logLines: n8n
					.readLog()
					.split('\n')
					.filter((line) => line.includes('Queued video')),
			};
			stopListening();
			await model.stop();
			await sandbox.close();
			return play;
		},
	};
}

async function perform(
	stage: Stage,
	{ keys }: Scene,
	{ executions, stopAfterMs }: Story,
	index: number,
	build: BuildWorkflow,
): Promise<PlayedExecution> {
	const { n8n, sandbox, toClear } = stage;
	const { client } = n8n;
	const execution = executions[index];
	if (!execution) throw new Error('The story has no such execution');
	const { url, tlsUrl = '' } = sandbox;
	const credential = await client.createCredential({
		name: `Story ${url} ${index}`,
		type: 'videoGenerationApi',
		data: createCredential(execution, { url, tlsUrl, keys, toClear }),
	});
	const { id } = await client.createWorkflow(await build(stage, execution, credential));
	const attempts: PlayedAttempt[] = [];
	let startedAt = sandbox.clock.now();
	let executionId = await client.runWorkflow(id, START.name);
	const played = { isStopped: false };
	if (index === 0 && stopAfterMs !== null) {
		setTimeout(() => {
			if (attempts.length > 0) return;
			void client.stopExecution(executionId).then(
				() => {
					played.isStopped = true;
				},
				// The execution has already ended.
				() => undefined,
			);
		}, stopAfterMs);
	}
	let settings = execution;
	const end = async () => {
		const run = toRun(await client.waitForExecution(executionId, TIMEOUT_MS));
		const endedAt = sandbox.clock.now();
		const { data: saved, status } = run;
		attempts.push({ ...{ settings, startedAt, endedAt, saved, status }, passes: [] });
		return run;
	};
	let run = await end();
	for (const { afterMs, change } of execution.retries) {
		if (run.status !== 'error' || played.isStopped || isAgent(execution)) break;
		await sleep(afterMs);
		if (change) {
			settings = changeWorkflow(settings, change);
			await client.updateWorkflow(id, await build(stage, settings, credential));
		}
		startedAt = sandbox.clock.now();
		executionId = await client.retryExecution(executionId, change !== null);
		run = await end();
	}
	return { ...played, run, endedAt: sandbox.clock.now(), attempts };
}

/** n8n's REST API returns an execution in the same form as its engine. */
function toRun(execution: Execution): IRun {
	return execution as unknown as IRun;
}

async function createWorkflow(
	stage: Stage,
	execution: StoryExecution,
	credential: Credential,
): Promise<WorkflowContent> {
	const settings = createSettings(execution) as Record<string, unknown>;
	if (isAgent(execution)) return await createAgentWorkflow(stage, execution, credential, settings);
	const content = buildWorkflow('Story', [
		START,
		...makeItems(createItemJsons(execution, stage), 'Input'),
		videoGeneration(ADD_NODE, credential, createParameters(execution), settings),
		...(execution.waiting === 'wait' && execution.operation === 'add'
			? [videoGeneration(WAIT_NODE, credential, createWaitParameters(execution), settings)]
			: []),
	]);
	return execution.way === 'loop' ? runTwice(content) : content;
}

/** Connects two branches to the node, so that it runs twice with the same items. */
function runTwice({ nodes, connections, ...content }: WorkflowContent): WorkflowContent {
	const branches = ['First', 'Second'];
	const to = (...names: string[]) => ({
		main: [names.map((node) => ({ node, type: 'main', index: 0 }))],
	});
	return {
		...content,
		nodes: [
			...nodes,
			...branches.map((name, index) => ({
				...{ id: name, name, type: 'n8n-nodes-base.noOp', typeVersion: 1, parameters: {} },
				position: [200, (index + 1) * 200] as [number, number],
			})),
		],
		connections: {
			...connections,
			Input: to(...branches),
			...Object.fromEntries(branches.map((name) => [name, to(ADD_NODE)])),
		},
	};
}

async function createAgentWorkflow(
	{ n8n, model }: Stage,
	execution: StoryExecution,
	credential: Credential,
	settings: Record<string, unknown>,
): Promise<WorkflowContent> {
	const { items, callsAtOnce, way } = execution;
	const calls = items.map((item) => ({
		tool: TOOL_NAME.replace(' ', '_'),
		input: { prompt: item.prompt, project: formatProject(item) },
	}));
	const groups = Array.from({ length: Math.ceil(calls.length / callsAtOnce) }, (_, group) =>
		calls.slice(group * callsAtOnce, (group + 1) * callsAtOnce),
	);
	model.play([...groups, 'Done']);
	const modelCredential = await n8n.client.createCredential({
		name: `Model ${model.url}`,
		type: 'openAiApi',
		data: { apiKey: 'none', url: model.url },
	});
	const content = buildAgent(modelCredential, [
		videoGeneration(TOOL_NAME, credential, createParameters(execution), settings),
	]);
	if (way === 'agentSteps') return content;
	// Versions of the agent up to 2 made the calls themselves, and supported only OpenAI's older API.
	const options = { maxRetries: 0 };
	const changes: Record<string, Partial<WorkflowNode>> = {
		Agent: { typeVersion: 2.2 },
		Model: { parameters: { model: MODEL, responsesApiEnabled: false, options } },
	};
	return {
		...content,
		nodes: content.nodes.map((node) => ({ ...node, ...changes[node.name] })),
	};
}
