import type { INodeParameters } from 'n8n-workflow';
import type { RecordedError } from '../operations/OperationDoc';
import { ActiveTrigger } from '../engine/ActiveTrigger';
import { OPERATIONS, PROJECT } from '../engine/OPERATIONS';
import { runNode } from '../engine/runNode';
import { runWithoutWaiting } from '../engine/runWithoutWaiting';
import type { SandboxInTests } from '../engine/useSandbox';
import { beginAnew } from '../engine/useSandbox';

const byId = (value: string) => ({ __rl: true, mode: 'id', value });
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const FAILING = 'project-broken-storyboard';
const WAIT = { resource: 'queue', operation: 'wait' };
const DOWNLOAD = { resource: 'video', operation: 'download' };

interface Case {
	operation: string;
	when: string;
	parameters: INodeParameters;
	/**
	 * Brings the sandbox into the state that causes the error. @returns changes of the node's usual
	 * setup
	 */
	prepare?: () => Promise<Changes | undefined> | Changes | undefined;
}

interface Changes {
	parameters?: INodeParameters;
	credentials?: { baseUrl?: string; apiKey?: string };
}

/**
 * Records the errors that are worth knowing, each on a reset sandbox. The waits between two tries
 * are skipped.
 */
export async function recordErrors(service: SandboxInTests): Promise<RecordedError[]> {
	const recorded: RecordedError[] = [];
	for (const { operation, when, parameters, prepare } of listCases(service)) {
		beginAnew(service.sandbox);
		const changes = await prepare?.();
		const setup = service.setup({ ...parameters, ...changes?.parameters });
		const { error } = await runWithoutWaiting(
			async () =>
				await runNode({ ...setup, credentials: { ...setup.credentials, ...changes?.credentials } }),
			service.sandbox,
		);
		if (!error) throw new Error(`${operation} ran into nothing: ${when}`);
		recorded.push({
			operation,
			when,
			message: error.message,
			description: error.description ?? '',
		});
	}
	recorded.push(await recordTriggerError(service));
	return recorded;
}

function listCases(service: SandboxInTests): Case[] {
	return [...listAddCases(service), ...listQueueCases(service), ...listOtherCases(service)];
}

function listAddCases({ sandbox }: SandboxInTests): Case[] {
	const add = (when: string, parameters: INodeParameters, prepare?: Case['prepare']): Case => ({
		operation: 'queue.add',
		when,
		parameters: { ...OPERATIONS['queue.add'], ...parameters },
		...(prepare && { prepare }),
	});
	return [
		add('The account has too few credits', {}, () => {
			sandbox.setCredits('main', 0);
			return undefined;
		}),
		add("'Overwrite Settings' is on and 'Custom Prompt' is empty", { overwriteSettings: true }),
		add('The service fails while it queues the video', {}, () => {
			sandbox.addFault({
				kind: 'status',
				status: 503,
				message: 'Internal server error',
				operation: 'queue.add',
			});
			return undefined;
		}),
		add("The video can't be made, with 'Wait for Completion' on", {
			projectId: byId(FAILING),
			waitForCompletion: true,
		}),
		add("The video takes longer than 'Timeout' (here 5 seconds), with 'Wait for Completion' on", {
			waitForCompletion: true,
			waitOptions: { timeout: 5 },
		}),
	];
}

function listQueueCases(service: SandboxInTests): Case[] {
	const queueOne = async (projectId: string) => {
		const { items } = await service.run({
			...OPERATIONS['queue.add'],
			projectId: byId(projectId),
		});
		return { parameters: { queueId: items[0]?.json.queueId as string } };
	};
	const ofUnknown = (operation: 'getProgress' | 'clear' | 'wait'): Case => ({
		operation: `queue.${operation}`,
		when: 'No queue item of the account has this ID',
		parameters: { resource: 'queue', operation, queueId: UNKNOWN },
	});
	return [
		ofUnknown('getProgress'),
		{
			operation: 'queue.getProgress',
			when: "'Queue ID' is empty, for example because the input has no queueId",
			parameters: { ...OPERATIONS['queue.getProgress'] },
		},
		{
			operation: 'queue.wait',
			when: "The video takes longer than 'Timeout' (here 5 seconds)",
			parameters: { ...WAIT, waitOptions: { timeout: 5 } },
			prepare: async () => await queueOne(PROJECT),
		},
		{
			operation: 'queue.wait',
			when: "The video can't be made",
			parameters: WAIT,
			prepare: async () => await queueOne(FAILING),
		},
		ofUnknown('wait'),
		ofUnknown('clear'),
	];
}

function listOtherCases({ sandbox }: SandboxInTests): Case[] {
	const fail = (fault: Parameters<typeof sandbox.addFault>[0]) => () => {
		sandbox.addFault(fault);
		return undefined;
	};
	const download = (when: string, prepare: Case['prepare']): Case => ({
		operation: 'video.download',
		when,
		parameters: { ...DOWNLOAD, videoUrl: '={{ $json.url }}' },
		...(prepare && { prepare }),
	});
	const atOwnAddress = () => ({
		parameters: { videoUrl: `${sandbox.url}/files/${UNKNOWN}.mp4` },
	});
	const anyOperation = (when: string, prepare: Case['prepare']): Case => ({
		operation: 'any',
		when,
		parameters: OPERATIONS['video.getAll'],
		...(prepare && { prepare }),
	});
	return [
		{
			operation: 'video.getAll',
			when: "'Created After' isn't a date",
			parameters: { ...OPERATIONS['video.getAll'], filters: { createdAfter: 'soon' } },
		},
		download('The link has expired', atOwnAddress),
		download('The link leads to a web page', () => {
			sandbox.addFault({ kind: 'html', operation: 'video.file' });
			return atOwnAddress();
		}),
		download("'Video URL' is empty, for example because the video isn't known", undefined),
		anyOperation('The API key is wrong', () => ({ credentials: { apiKey: 'wrong' } })),
		anyOperation('The base URL is wrong, or the service is down', () => ({
			credentials: { baseUrl: 'http://127.0.0.1:1' },
		})),
		anyOperation('The base URL leads to a website', fail({ kind: 'html' })),
		anyOperation(
			'The service keeps refusing requests after all retries',
			fail({ kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 5 }),
		),
		anyOperation(
			'The service keeps failing after all retries',
			fail({ kind: 'status', status: 503, message: 'Internal server error' }),
		),
	];
}

/** Records the error of "Fetch test event" for an account without a video. */
async function recordTriggerError({ sandbox }: SandboxInTests): Promise<RecordedError> {
	beginAnew(sandbox);
	const trigger = await ActiveTrigger.create({
		credentials: { baseUrl: sandbox.url, apiKey: sandbox.apiKey },
		storage: 'static data',
	});
	const error = await trigger.fetchTestEvent().then(
		() => undefined,
		(reason: unknown) => reason as Error & { description?: string },
	);
	return {
		operation: 'trigger',
		when: "'Fetch Test Event' is selected before a video is finished",
		message: error?.message ?? '',
		description: error?.description ?? '',
	};
}
