import type { Credential, WorkflowContent } from '../../../scripts/n8n/n8nTypes';
import {
	buildCalledWorkflow,
	buildWorkflow,
	videoGeneration,
	videoGenerationTrigger,
	type WorkflowStep,
} from '../../support/e2e/buildWorkflow';
import { PACKAGE } from '../../support/e2e/PLACES';
import { setUpExample } from '../../support/e2e/setUpExample';
import { byId } from '../../support/engine/OPERATIONS';

// The names of the workflows are also the paths of their webhooks.
/** Generates a video of a project. */
export const GENERATE = 'generate';
/** Generates a video for each row, by default of the worker's own project. */
export const SHARE = 'share';
export const DOWNLOAD = 'download';
/** Queue > Wait. */
export const WAIT = 'wait';
/** Starts for each finished video. */
export const REACT = 'react';
/** Generates a video for each row through the example that takes turns. */
export const ORDER = 'order';
const TAKE_TURNS = 'take-turns';
/** Ends the turn of a project in its row, as a person does. */
export const END_TURN = 'end-turn';
/** The example that waits in n8n's database. */
export const PARK = 'park';
export const PARKED_PROJECT = 'project-city-tour';

/** The list shows each video of a shared project within this time of its end. */
export const MAX_LAG_MS = 2_000;

const QUICKLY = { pollingInterval: 1, listingDelay: 1 };

const ROWS: WorkflowStep = {
	name: 'Rows',
	type: 'n8n-nodes-base.splitOut',
	parameters: { fieldToSplitOut: 'body.rows', options: {} },
};

/** Calls the example, as its note says. */
const CALL: WorkflowStep = {
	name: 'Generate',
	type: 'n8n-nodes-base.executeWorkflow',
	typeVersion: 1.4,
	parameters: {
		workflowId: byId(TAKE_TURNS),
		workflowInputs: {
			mappingMode: 'defineBelow',
			value: { project: '={{ $json.project }}', prompt: '={{ $json.prompt }}' },
		},
	},
	settings: { onError: 'continueErrorOutput' },
};

/** Builds all workflows of the tests in queue mode. Those that generate videos do it in a node "Generate". */
export function buildWorkflows(credential: Credential): WorkflowContent[] {
	const { id, name } = credential;
	const credentials = { videoGenerationApi: { id, name } };
	const choices = { [`${PACKAGE}.videoGeneration`]: { credentials } };
	const generate = (project: string, waitOptions: object) =>
		videoGeneration('Generate', credential, {
			resource: 'video',
			operation: 'generate',
			projectId: byId(project),
			downloadVideo: false,
			waitOptions,
			options: {},
		});
	const share = generate("={{ $json.project ?? 'project-of-' + $env.WORKER }}", {
		pollingInterval: 1,
		listingDelay: MAX_LAG_MS / 1_000 + 1,
	});
	const wait = videoGeneration('Generate', credential, {
		resource: 'queue',
		operation: 'wait',
		queueId: '={{ $json.body.queueId }}',
		projectId: byId('={{ $json.body.projectId }}'),
		downloadVideo: false,
		waitOptions: QUICKLY,
		options: {},
	});
	const download = videoGeneration('Download', credential, {
		resource: 'video',
		operation: 'download',
		video: byId('={{ $json.body.videoUrl }}'),
		binaryPropertyName: 'data',
		options: {},
	});
	const trigger = videoGenerationTrigger('When a video is finished', credential);
	const takeTurns = setUpExample('take-turns-across-workers', {
		choices,
		changes: { 'Generate the video': { waitOptions: QUICKLY }, 'Try again': { amount: 1 } },
	});
	const giveBack = takeTurns.nodes.find((node) => node.name === 'Give the turn back');
	const end: WorkflowStep = {
		name: 'End',
		type: 'n8n-nodes-base.dataTable',
		typeVersion: 1.1,
		parameters: {
			...giveBack?.parameters,
			filters: { conditions: [{ keyName: 'project', keyValue: '={{ $json.body.project }}' }] },
			columns: { mappingMode: 'defineBelow', value: { until: '={{ $now.toISO() }}' } },
		},
	};
	const park = setUpExample('wait-through-a-restart', {
		choices,
		changes: {
			// The prompt names the address at which n8n continues the execution.
			'Queue the video': {
				projectId: byId(PARKED_PROJECT),
				customPrompt: '={{ $execution.resumeUrl }}',
			},
			'Wait in the database': { resume: 'webhook' },
			'Get the video if it is finished': { waitOptions: QUICKLY },
		},
	});
	return [
		buildWorkflow(REACT, [trigger, { name: 'Next', type: 'n8n-nodes-base.noOp' }]),
		buildCalledWorkflow(GENERATE, [generate('={{ $json.body.project }}', QUICKLY)]),
		buildCalledWorkflow(SHARE, [ROWS, share]),
		buildCalledWorkflow(DOWNLOAD, [download]),
		buildCalledWorkflow(WAIT, [wait]),
		{ ...takeTurns, name: TAKE_TURNS },
		buildCalledWorkflow(ORDER, [ROWS, CALL]),
		buildCalledWorkflow(END_TURN, [end]),
		{ ...park, name: PARK },
	];
}
