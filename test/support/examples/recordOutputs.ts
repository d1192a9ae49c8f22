import type {
	IBinaryKeyData,
	IDataObject,
	INodeExecutionData,
	INodeParameters,
} from 'n8n-workflow';
import { ActiveTrigger } from '../engine/ActiveTrigger';
import { PROJECT } from '../engine/OPERATIONS';
import { runNode } from '../engine/runNode';
import { runWithoutWaiting } from '../engine/runWithoutWaiting';
import type { SandboxInTests } from '../engine/useSandbox';
import { beginAnew } from '../engine/useSandbox';

/** A time in which every video is finished. */
const UNTIL_FINISHED_MS = 60_000;

const byId = (value: string) => ({ __rl: true, mode: 'id', value });
const ADD = { projectId: byId(PROJECT) };
const FROM_INPUT = { queueId: '={{ $json.queueId }}' };
const WAIT = { ...FROM_INPUT, projectId: byId('={{ $json.projectId }}') };

/** A run of an operation in n8n's own engine. */
interface Run {
	/** `queue.add`; `trigger` for the trigger. */
	operation: string;
	/** The document's title for the example; undefined if the document does not show it. */
	example?: string;
	/** The node's parameters, without resource and operation. */
	parameters?: INodeParameters;
}

interface Case extends Run {
	/** Brings the sandbox into the state in which the run begins. @returns the node's input */
	prepare?: () => Promise<IDataObject[]> | IDataObject[];
}

export interface RecordedOutput extends Run {
	output: { json: IDataObject; binary?: IBinaryKeyData }[];
}

/**
 * Runs every operation in each of its shapes, each time on a reset sandbox. The outputs are the
 * same every time, except for the sandbox's port.
 *
 * Needs n8n's binary store (`useBinaryStore`).
 */
export async function recordOutputs(service: SandboxInTests): Promise<RecordedOutput[]> {
	const recorded: RecordedOutput[] = [];
	for (const { prepare, ...each } of listCases(service)) {
		beginAnew(service.sandbox);
		const items = await prepare?.();
		const output = await (each.operation === 'trigger'
			? poll(service, each.parameters)
			: run(service, each, items));
		recorded.push({
			...each,
			output: output.map(({ json, binary }) => ({ json, ...(binary && { binary }) })),
		});
	}
	return recorded;
}

function listCases(service: SandboxInTests): Case[] {
	const { sandbox } = service;
	const queueOne = async () =>
		(await queue(service)).map(({ queueId, projectId }) => ({ queueId, projectId }));
	const add = { operation: 'queue.add', parameters: ADD };
	const downloading = { operation: 'trigger', parameters: { options: { downloadVideo: true } } };
	return [
		{
			...{ ...add, parameters: { ...ADD, customPrompt: '={{ $json.prompt }}' } },
			prepare: () => [{ prompt: 'A sunrise over the sea, calm music' }],
		},
		{ ...add, parameters: { ...ADD, waitForCompletion: true } },
		{
			// Two videos of one project that finish at the same time.
			...add,
			parameters: { ...ADD, waitForCompletion: true, waitOptions: { videosAtOnce: 2 } },
			prepare: () => [{ scene: 1 }, { scene: 2 }],
		},
		{ operation: 'queue.getProgress', parameters: FROM_INPUT, prepare: queueOne },
		{
			...{ operation: 'queue.wait', example: 'a finished video', parameters: WAIT },
			prepare: queueOne,
		},
		{
			// Two videos of one project that finish at the same time.
			...{ operation: 'queue.wait', parameters: WAIT },
			prepare: async () => [...(await queueOne()), ...(await queueOne())],
		},
		{
			// The video is finished before the wait, which does not know its project.
			...{ operation: 'queue.wait', parameters: FROM_INPUT },
			prepare: async () => {
				sandbox.addVideos('main', [{ projectId: 'project-city-tour' }]);
				const input = await queueOne();
				sandbox.clock.advance(UNTIL_FINISHED_MS);
				return input;
			},
		},
		{ operation: 'queue.clear', parameters: FROM_INPUT, prepare: queueOne },
		{ operation: 'video.getAll', prepare: async () => await makeVideo(service) },
		{
			...{ operation: 'video.download', parameters: { videoUrl: '={{ $json.url }}' } },
			prepare: async () => await makeVideo(service),
		},
		{ operation: 'project.getAll' },
		{ operation: 'account.get' },
		{ operation: 'trigger' },
		downloading,
		{
			...downloading,
			prepare: () => {
				sandbox.addFault({ kind: 'status', status: 404, operation: 'video.file' });
				return [];
			},
		},
	];
}

async function run(
	service: SandboxInTests,
	{ operation: name, parameters }: Run,
	items: IDataObject[] = [{}],
): Promise<INodeExecutionData[]> {
	const [resource = '', operation = ''] = name.split('.');
	const setup = { ...service.setup({ resource, operation, ...parameters }), items };
	const start = async () => await runNode(setup);
	const waits = operation === 'wait' || parameters?.waitForCompletion === true;
	const { items: output, error } = await (waits
		? runWithoutWaiting(start, service.sandbox)
		: start());
	if (error) throw error;
	return output;
}

/** Returns the trigger's output for one new video. */
async function poll(
	service: SandboxInTests,
	parameters: INodeParameters = {},
): Promise<INodeExecutionData[]> {
	const { url: baseUrl, apiKey } = service.sandbox;
	const trigger = await ActiveTrigger.create({
		...{ credentials: { baseUrl, apiKey }, storage: 'static data', parameters },
	});
	await trigger.activate();
	await makeVideo(service);
	const { items, error } = await trigger.poll();
	if (error) throw error;
	return items ?? [];
}

async function queue(service: SandboxInTests): Promise<IDataObject[]> {
	const items = await run(service, { operation: 'queue.add', parameters: ADD });
	return items.map(({ json }) => json);
}

/** Queues a video, finishes it, and returns its entry of the list. */
async function makeVideo(service: SandboxInTests): Promise<IDataObject[]> {
	await queue(service);
	service.sandbox.clock.advance(UNTIL_FINISHED_MS);
	return (await run(service, { operation: 'video.getAll' })).map(({ json }) => json);
}
