import type { Credential, WorkflowContent } from '../../scripts/n8n/n8nTypes';
import {
	buildWorkflow,
	START,
	withCredentials,
	type WorkflowStep,
} from '../support/e2e/buildWorkflow';

/** The node that queues a video. */
const ADD_NODE = 'Add';

/** The node that outputs a finished video. */
export const RESULT_NODE = 'Result';

/**
 * Time limit of an execution. n8n sets no limit of its own, so a loop that never finds its video
 * would run forever.
 */
export const LIMIT_SECONDS = 180;

/** Retry settings of every request, as people set them for a service that may fail. */
const RETRY = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1000 };

/** The same for a node that pays: a row that fails ends no other. */
export const ON_ERROR = { ...RETRY, onError: 'continueErrorOutput' };

/** An HTTP Request node with the credential, as a user adds it. */
export function httpRequest(
	name: string,
	credential: Credential,
	parameters: object,
	settings: Record<string, unknown> = {},
): WorkflowStep {
	const nodeCredentialType = 'videoGenerationApi';
	const authentication = { authentication: 'predefinedCredentialType', nodeCredentialType };
	return {
		name,
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: { ...authentication, options: {}, ...parameters },
		...withCredentials(credential),
		settings,
	};
}

const ITEM = `$('${ADD_NODE}').item.json.newQueueItem`;

/**
 * Builds the workflow of published templates for a service that makes videos: HTTP Request queues a
 * video, and a loop of Wait, HTTP Request and IF polls until it has ended. The list of videos names
 * no queue item, so the newest video of the project is taken.
 */
export function buildHttpRequestLoop(
	url: string,
	credential: Credential,
	input: WorkflowStep[],
	projectId: string,
): WorkflowContent {
	const body = {
		sendBody: true,
		specifyBody: 'json',
		jsonBody: `={{ JSON.stringify({ projectId: '${projectId}', customPrompt: $json.prompt }) }}`,
	};
	const order = { method: 'POST', url: `${url}/v1/queue/add`, ...body };
	const add = httpRequest(ADD_NODE, credential, order, ON_ERROR);
	const pause: WorkflowStep = {
		name: 'Wait',
		type: 'n8n-nodes-base.wait',
		typeVersion: 1.1,
		parameters: { amount: 5, unit: 'seconds' },
	};
	const ofItem = { url: `=${url}/v1/queue/progress/{{ ${ITEM}.queueId }}` };
	const progress = httpRequest('Get progress', credential, ofItem, RETRY);
	const value1 = `={{ ['completed', 'failed'].includes($json.details.status) }}`;
	const isEnded: WorkflowStep = {
		name: 'Has it ended?',
		type: 'n8n-nodes-base.if',
		parameters: { conditions: { boolean: [{ value1, value2: true }] } },
	};
	const videos = httpRequest('Get videos', credential, { url: `${url}/v1/videos` }, RETRY);
	const newest = `$json.videos.filter((video) => video && video.projectId === ${ITEM}.projectId).sort((a, b) => b.createdAt.localeCompare(a.createdAt))[0]`;
	const jsonOutput = `={{ JSON.stringify({ queueId: ${ITEM}.queueId, video: ${newest} ?? null }) }}`;
	const result: WorkflowStep = {
		name: RESULT_NODE,
		type: 'n8n-nodes-base.set',
		typeVersion: 3.4,
		parameters: { mode: 'raw', jsonOutput, options: {} },
	};
	const steps = [START, ...input, add, pause, progress, isEnded, videos, result];
	const settings = { executionTimeout: LIMIT_SECONDS };
	const workflow = buildWorkflow('HTTP Request in a loop', steps, settings);
	const to = ({ name }: WorkflowStep) => [{ node: name, type: 'main', index: 0 }];
	Object.assign(workflow.connections, { [isEnded.name]: { main: [to(videos), to(pause)] } });
	return workflow;
}
