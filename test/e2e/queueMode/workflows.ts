import type { Credential, WorkflowContent } from '../../../scripts/n8n/n8nTypes';
import {
	buildCalledWorkflow,
	buildWorkflow,
	videoGeneration,
	videoGenerationTrigger,
	type WorkflowStep,
} from '../../support/e2e/buildWorkflow';
import { CHOICES, QUICKLY, setUpExample } from '../../support/e2e/setUpExample';
import { byId, GENERATE, OPERATIONS, WAIT } from '../../support/engine/OPERATIONS';

export const PARKED_PROJECT = CHOICES.projectId.value;

/** The list shows each video of a shared project within this time of its end. */
export const MAX_LAG_MS = 2_000;

const ROWS: WorkflowStep = {
	name: 'Rows',
	type: 'n8n-nodes-base.splitOut',
	parameters: { fieldToSplitOut: 'body.rows', options: {} },
};

/** A wait that n8n does not keep in its database. */
const PAUSE: WorkflowStep = {
	name: 'Pause',
	type: 'n8n-nodes-base.wait',
	typeVersion: 1.1,
	parameters: { amount: 60, unit: 'seconds' },
};

/** Leaves out rows whose number came before. */
const removeDuplicates = (scope: 'node' | 'workflow', how: 'new' | 'higher'): WorkflowStep => ({
	name: `${how} in ${scope}`,
	type: 'n8n-nodes-base.removeDuplicates',
	typeVersion: 2,
	parameters: {
		operation: 'removeItemsSeenInPreviousExecutions',
		logic:
			how === 'new' ? 'removeItemsWithAlreadySeenKeyValues' : 'removeItemsUpToStoredIncrementalKey',
		[how === 'new' ? 'dedupeValue' : 'incrementalDedupeValue']:
			// After "Generate", the number is still that of its row.
			"={{ $('Rows').item.json.number }}",
		options: { scope },
	},
});

/** Calls the example, as its note says. */
const CALL: WorkflowStep = {
	name: 'Generate',
	type: 'n8n-nodes-base.executeWorkflow',
	typeVersion: 1.4,
	parameters: {
		workflowId: byId('one-workflow'),
		workflowInputs: {
			mappingMode: 'defineBelow',
			value: { project: '={{ $json.project }}', prompt: '={{ $json.prompt }}' },
		},
	},
	settings: { onError: 'continueErrorOutput' },
};

/**
 * Builds all workflows of the tests in queue mode. The name of each is also its ID and the path of its webhook.
 * Those that generate videos do it in a node "Generate".
 */
export function buildWorkflows(credential: Credential): WorkflowContent[] {
	const generate = (project: string, waitOptions: object, options = {}) =>
		videoGeneration('Generate', credential, {
			...GENERATE,
			projectId: byId(project),
			waitOptions,
			options,
		});
	const listedLate = {
		pollingInterval: 1,
		listingDelay: `={{ $json.listingDelay ?? ${MAX_LAG_MS / 1_000 + 1} }}`,
	};
	const share = generate('={{ $json.project }}', listedLate);
	const keyed = { uniqueKey: '={{ $json.project }}' };
	const once = generate('={{ $json.project }}', listedLate, keyed);
	const next = videoGeneration('Next', credential, OPERATIONS['account.get']);
	const wait = videoGeneration('Generate', credential, {
		...WAIT,
		queueId: '={{ $json.body.queueId }}',
		projectId: byId('={{ $json.body.projectId }}'),
		waitOptions: QUICKLY,
	});
	const trigger = videoGenerationTrigger('When a video is finished', credential);
	const called = setUpExample('one-workflow-makes-the-videos', {
		credentials: [credential],
		changes: { 'Generate the video': { waitOptions: QUICKLY } },
	});
	const park = setUpExample('wait-through-a-restart', {
		credentials: [credential],
		changes: {
			// The prompt names the address at which n8n continues the execution.
			'Queue the video': { customPrompt: '={{ $execution.resumeUrl }}' },
			'Wait in the database': { resume: 'webhook' },
		},
	});
	return [
		// Starts for each finished video.
		buildWorkflow('react', [trigger, { name: 'Next', type: 'n8n-nodes-base.noOp' }]),
		buildCalledWorkflow('generate', [generate('={{ $json.body.project }}', QUICKLY)]),
		// Generates a video for each row.
		buildCalledWorkflow('share', [ROWS, share]),
		// Generates one for each new row.
		...(['new', 'higher'] as const).map((how) => {
			const steps = [removeDuplicates('workflow', how), removeDuplicates('node', how)];
			return buildCalledWorkflow(how, [ROWS, ...steps, share]);
		}),
		// Generates a video once for each project, and goes on for a minute.
		buildCalledWorkflow('once', [ROWS, once, next, PAUSE]),
		buildCalledWorkflow('afterwards', [ROWS, share, removeDuplicates('workflow', 'higher')]),
		buildCalledWorkflow('wait', [wait]),
		{ ...called, name: 'one-workflow' },
		// Generates a video for each row through the example.
		buildCalledWorkflow('order', [ROWS, CALL]),
		// The example that waits in n8n's database.
		{ ...park, name: 'park' },
	];
}
