import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import type { RecordedOutput } from '../operations/OperationDoc';
import { ActiveTrigger } from '../engine/ActiveTrigger';
import { PROJECT } from '../engine/OPERATIONS';
import { runNode } from '../engine/runNode';
import { runWithoutWaiting } from '../engine/runWithoutWaiting';
import type { SandboxInTests } from '../engine/useSandbox';
import { beginAnew } from '../engine/useSandbox';

/** A time in which every video is finished. */
const UNTIL_FINISHED_MS = 60_000;

const byId = (value: string) => ({ __rl: true, mode: 'id', value });
const FROM_INPUT = { queueId: '={{ $json.queueId }}' };

interface Case {
	operation: string;
	/** The document's title for the example; undefined if the document does not show it. */
	example?: string;
	parameters?: INodeParameters;
	/**
	 * Brings the sandbox into the state in which the run begins. @returns the node's input, if it
	 * matters
	 */
	prepare?: () => Promise<IDataObject[] | undefined> | IDataObject[] | undefined;
}

/**
 * Runs every operation in each of its shapes, each time on a reset sandbox. The outputs are the
 * same every time, except for the sandbox's port.
 *
 * Needs n8n's binary store (`useBinaryStore`).
 */
export async function recordOutputs(service: SandboxInTests): Promise<RecordedOutput[]> {
	const recorded: RecordedOutput[] = [];
	for (const each of listCases(service)) {
		beginAnew(service.sandbox);
		const input = await each.prepare?.();
		const { operation, example, parameters = {} } = each;
		const output =
			operation === 'trigger'
				? await poll(service, parameters)
				: await run(service, { ...splitName(operation), ...parameters }, input);
		recorded.push({
			operation,
			...(example !== undefined && { example }),
			parameters,
			output: output.map(({ json, binary }) => ({ json, ...(binary && { binary }) })),
		});
	}
	return recorded;
}

function listCases(service: SandboxInTests): Case[] {
	return [...listQueueCases(service), ...listOtherCases(service), ...listTriggerCases(service)];
}

function listQueueCases(service: SandboxInTests): Case[] {
	const queueOne = async () => {
		const { queueId, projectId } = await queue(service);
		return [{ queueId, projectId }] as IDataObject[];
	};
	const waitForItem = { ...FROM_INPUT, projectId: byId('={{ $json.projectId }}') };
	return [
		{
			operation: 'queue.add',
			parameters: { projectId: byId(PROJECT), customPrompt: '={{ $json.prompt }}' },
			prepare: () => [{ prompt: 'A sunrise over the sea, calm music' }],
		},
		{
			operation: 'queue.add',
			parameters: { projectId: byId(PROJECT), waitForCompletion: true },
		},
		{
			// Two videos of one project that finish at the same time.
			operation: 'queue.add',
			parameters: {
				projectId: byId(PROJECT),
				...{ waitForCompletion: true, waitOptions: { videosAtOnce: 2 } },
			},
			prepare: () => [{ scene: 1 }, { scene: 2 }],
		},
		{
			operation: 'queue.getProgress',
			parameters: FROM_INPUT,
			prepare: async () => {
				const input = await queueOne();
				service.sandbox.clock.advance(3_000);
				return input;
			},
		},
		{
			operation: 'queue.wait',
			example: 'a finished video',
			parameters: waitForItem,
			prepare: queueOne,
		},
		{
			// Two videos of one project that finish at the same time.
			operation: 'queue.wait',
			parameters: waitForItem,
			prepare: async () => [...(await queueOne()), ...(await queueOne())],
		},
		{
			// The video is finished before the wait, which does not know its project.
			operation: 'queue.wait',
			parameters: FROM_INPUT,
			prepare: async () => {
				service.sandbox.addVideos('main', [{ projectId: 'project-city-tour' }]);
				const input = await queueOne();
				service.sandbox.clock.advance(UNTIL_FINISHED_MS);
				return input;
			},
		},
		{ operation: 'queue.clear', parameters: FROM_INPUT, prepare: queueOne },
	];
}

function listOtherCases(service: SandboxInTests): Case[] {
	return [
		{
			operation: 'video.getAll',
			prepare: async () => {
				await makeVideo(service);
				return undefined;
			},
		},
		{
			operation: 'video.download',
			parameters: { videoUrl: '={{ $json.url }}' },
			prepare: async () => [await makeVideo(service)],
		},
		{ operation: 'project.getAll' },
		{
			operation: 'account.get',
			prepare: () => {
				// The request takes 12 ms by the service's clock.
				const stop = service.sandbox.onRequest(() => {
					service.sandbox.clock.advance(12);
					stop();
				});
				return undefined;
			},
		},
	];
}

function listTriggerCases(service: SandboxInTests): Case[] {
	return [
		{ operation: 'trigger' },
		{ operation: 'trigger', parameters: { options: { downloadVideo: true } } },
		{
			operation: 'trigger',
			parameters: { options: { downloadVideo: true } },
			prepare: () => {
				service.sandbox.addFault({ kind: 'status', status: 404, operation: 'video.file' });
				return undefined;
			},
		},
	];
}

async function run(
	service: SandboxInTests,
	parameters: INodeParameters,
	items?: IDataObject[],
): Promise<INodeExecutionData[]> {
	const setup = { ...service.setup(parameters), ...(items && { items }) };
	const start = async () => await runNode(setup);
	const waits = parameters.operation === 'wait' || parameters.waitForCompletion === true;
	const { items: output, error } = await (waits
		? runWithoutWaiting(start, service.sandbox)
		: start());
	if (error) throw error;
	return output;
}

/** Returns the trigger's output for one new video. */
async function poll(
	service: SandboxInTests,
	parameters: INodeParameters,
): Promise<INodeExecutionData[]> {
	const { url: baseUrl, apiKey } = service.sandbox;
	const trigger = await ActiveTrigger.create({
		credentials: { baseUrl, apiKey },
		storage: 'static data',
		parameters,
	});
	await trigger.activate();
	await makeVideo(service);
	const { items, error } = await trigger.poll();
	if (error) throw error;
	return items ?? [];
}

async function queue(service: SandboxInTests, project: string = PROJECT): Promise<IDataObject> {
	const [item] = await run(service, {
		...splitName('queue.add'),
		projectId: byId(project),
	});
	return item?.json ?? {};
}

/** Queues a video, finishes it, and returns its entry of the list. */
async function makeVideo(service: SandboxInTests): Promise<IDataObject> {
	await queue(service);
	service.sandbox.clock.advance(UNTIL_FINISHED_MS);
	const [item] = await run(service, splitName('video.getAll'));
	return item?.json ?? {};
}

function splitName(name: string): { resource: string; operation: string } {
	const [resource = '', operation = ''] = name.split('.');
	return { resource, operation };
}
