import type { INodeParameters } from 'n8n-workflow';
import type { FaultSpec } from '../../../sandbox/faults/FaultSpec';
import { ActiveTrigger } from '../engine/ActiveTrigger';
import { OPERATIONS, PROJECT } from '../engine/OPERATIONS';
import { runNode } from '../engine/runNode';
import { runWithoutWaiting } from '../engine/runWithoutWaiting';
import type { SandboxInTests } from '../engine/useSandbox';
import { beginAnew } from '../engine/useSandbox';

const byId = (value: string) => ({ __rl: true, mode: 'id', value });
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const FAILING = 'project-broken-storyboard';
const ADD = OPERATIONS['queue.add'];
const LIST = OPERATIONS['video.getAll'];
const WAIT = { resource: 'queue', operation: 'wait', queueId: '={{ $json.queueId }}' };
const DOWNLOAD = { resource: 'video', operation: 'download', videoUrl: '={{ $json.url }}' };
const BROKEN = { kind: 'status', status: 503, message: 'Internal server error' } as const;

/** Circumstances in which the node fails. */
interface Case {
	parameters: INodeParameters;
	credentials?: { baseUrl?: string; apiKey?: string };
	credits?: number;
	fault?: FaultSpec;
	/** The project of a video that is queued before, whose queue ID the item has. */
	queued?: string;
}

const listCases = ({ sandbox: { url } }: SandboxInTests): Record<string, Case> => ({
	'the account has too few credits': { parameters: ADD, credits: 0 },
	'the own prompt is empty': { parameters: { ...ADD, overwriteSettings: true } },
	'the service fails while it queues the video': {
		...{ parameters: ADD, fault: { ...BROKEN, operation: 'queue.add' } },
	},
	"the added video can't be made": {
		parameters: { ...ADD, projectId: byId(FAILING), waitForCompletion: true },
	},
	'the added video takes long': {
		parameters: { ...ADD, waitForCompletion: true, waitOptions: { timeout: 5 } },
	},
	...Object.fromEntries(
		['getProgress', 'clear', 'wait'].map((operation) => [
			`${operation} of an unknown ID`,
			{ parameters: { resource: 'queue', operation, queueId: UNKNOWN } },
		]),
	),
	'the queue ID is empty': { parameters: OPERATIONS['queue.getProgress'] },
	'the video takes long': {
		...{ parameters: { ...WAIT, waitOptions: { timeout: 5 } }, queued: PROJECT },
	},
	"the video can't be made": { parameters: WAIT, queued: FAILING },
	'no date': { parameters: { ...LIST, filters: { createdAfter: 'soon' } } },
	'the link has expired': {
		parameters: { ...DOWNLOAD, videoUrl: `${url}/files/${UNKNOWN}.mp4` },
	},
	'the link leads to a web page': {
		parameters: { ...DOWNLOAD, videoUrl: `${url}/files/${UNKNOWN}.mp4` },
		fault: { kind: 'html', operation: 'video.file' },
	},
	'there is no link': { parameters: DOWNLOAD },
	'the API key is wrong': { parameters: LIST, credentials: { apiKey: 'wrong' } },
	'nothing listens': { parameters: LIST, credentials: { baseUrl: 'http://127.0.0.1:1' } },
	'a website answers': { parameters: LIST, fault: { kind: 'html' } },
	'the service keeps refusing': {
		parameters: LIST,
		fault: { kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 5 },
	},
	'the service keeps failing': { parameters: LIST, fault: BROKEN },
});

/**
 * Returns the messages of the errors that are worth knowing, each of a run with a reset sandbox.
 * The waits between two tries are skipped.
 */
export async function recordErrors(service: SandboxInTests): Promise<string[]> {
	const { sandbox } = service;
	const messages: string[] = [];
	for (const [name, { parameters, credentials, credits, fault, queued }] of Object.entries(
		listCases(service),
	)) {
		beginAnew(sandbox);
		const before = queued && (await service.run({ ...ADD, projectId: byId(queued) }));
		if (credits !== undefined) sandbox.setCredits('main', credits);
		if (fault) sandbox.addFault(fault);
		const setup = service.setup(parameters);
		const run = async () =>
			await runNode({
				...{ ...setup, credentials: { ...setup.credentials, ...credentials } },
				items: before ? before.items.map(({ json }) => json) : [{}],
			});
		const { error } = await runWithoutWaiting(run, sandbox);
		if (!error) throw new Error(`No error: ${name}`);
		messages.push(error.message);
	}
	beginAnew(sandbox);
	const trigger = await ActiveTrigger.create({
		credentials: { baseUrl: sandbox.url, apiKey: sandbox.apiKey },
		storage: 'static data',
	});
	await trigger.fetchTestEvent().catch((error: unknown) => messages.push((error as Error).message));
	return messages;
}
