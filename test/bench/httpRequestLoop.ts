import type { Credential, WorkflowContent } from '../../scripts/n8n/n8nTypes';
import { buildWorkflow, START, type WorkflowStep } from '../support/e2e/buildWorkflow';

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
export const RETRY = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1000 };

/** An HTTP Request node with the credential, as a user adds it. */
export function httpRequest(
	name: string,
	credential: Credential,
	parameters: object,
	settings: object = {},
): WorkflowStep {
	return {
		name,
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: {
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'videoGenerationApi',
			options: {},
			...parameters,
		},
		credentials: { videoGenerationApi: { id: credential.id, name: credential.name } },
		settings: { ...settings },
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
	const add = httpRequest(
		ADD_NODE,
		credential,
		{
			method: 'POST',
			url: `${url}/v1/queue/add`,
			sendBody: true,
			specifyBody: 'json',
			jsonBody: `={{ JSON.stringify({ projectId: '${projectId}', customPrompt: $json.prompt }) }}`,
		},
		{ ...RETRY, onError: 'continueErrorOutput' },
	);
	const pause: WorkflowStep = {
		name: 'Wait',
		type: 'n8n-nodes-base.wait',
		typeVersion: 1.1,
		parameters: { amount: 5, unit: 'seconds' },
	};
	const ofItem = { url: `=${url}/v1/queue/progress/{{ ${ITEM}.queueId }}` };
	const progress = httpRequest('Get progress', credential, ofItem, RETRY);
	const isEnded: WorkflowStep = {
		name: 'Has it ended?',
		type: 'n8n-nodes-base.if',
		parameters: {
			conditions: {
				boolean: [
					{
						value1: `={{ ['completed', 'failed'].includes($json.details.status) }}`,
						value2: true,
					},
				],
			},
		},
	};
	const list = { url: `${url}/v1/videos` };
	const videos = httpRequest('Get videos', credential, list, RETRY);
	const newest = `$json.videos.filter((video) => video && video.projectId === ${ITEM}.projectId).sort((a, b) => b.createdAt.localeCompare(a.createdAt))[0]`;
	const result: WorkflowStep = {
		name: RESULT_NODE,
		type: 'n8n-nodes-base.set',
		typeVersion: 3.4,
		parameters: {
			mode: 'raw',
			jsonOutput: `={{ JSON.stringify({ queueId: ${ITEM}.queueId, video: ${newest} ?? null }) }}`,
			options: {},
		},
	};
	const { connections, ...content } = buildWorkflow(
		'HTTP Request in a loop',
		[START, ...input, add, pause, progress, isEnded, videos, result],
		{ settings: { executionTimeout: LIMIT_SECONDS } },
	);
	const to = (node: string) => [{ node, type: 'main', index: 0 }];
	return {
		...content,
		connections: {
			...connections,
			[isEnded.name]: { main: [to(videos.name), to(pause.name)] },
		},
	};
}
