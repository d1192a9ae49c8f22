import type { Sandbox } from '../../../sandbox/Sandbox';
import { startSandbox } from '../../../sandbox/startSandbox';
import type { Execution } from '../../../scripts/n8n/n8nTypes';
import {
	buildWorkflow,
	makeItems,
	START,
	videoGeneration,
	type WorkflowStep,
} from '../../support/e2e/buildWorkflow';
import { readItems, runContent } from '../../support/e2e/runContent';
import { byId, PROJECT } from '../../support/engine/OPERATIONS';
import { real } from './n8n';

const ROWS = [1, 2, 3, 4, 5].map((row) => ({ row }));
/** Reads the source of each of its items, as a user's expression does. */
const LOOK_BACK: WorkflowStep = {
	...{ name: 'Look back', type: 'n8n-nodes-base.set', typeVersion: 3.4 },
	parameters: {
		assignments: {
			assignments: [
				{ id: '1', name: 'row', type: 'number', value: "={{ $('Rows').item.json.row }}" },
			],
		},
	},
};
let sandbox: Sandbox;
let execution: Promise<Execution>;

// The videos are made one after the other, which takes a minute, and beside the other tests.
beforeAll(async () => {
	sandbox = await startSandbox({ clock: 'real' });
	sandbox.configure({
		durations: { pendingMs: 0, processingMs: 3_000, renderingMs: 0, logDelayMs: 3_000 },
		signedUrls: true,
	});
	const credential = await real.client.createCredential({
		...{ name: 'Another account', type: 'videoGenerationApi' },
		data: { apiKey: sandbox.apiKey, baseUrl: sandbox.url },
	});
	const parameters = { resource: 'video', operation: 'generate', projectId: byId(PROJECT) };
	const generate = videoGeneration('Generate', credential, parameters);
	const steps = [START, ...makeItems(ROWS, 'Rows'), generate, LOOK_BACK];
	execution = runContent(real.client, buildWorkflow('Five rows', steps));
});
afterAll(async () => {
	await sandbox.close();
});

test('Five rows of one project with the default options each get the file of their own video', async () => {
	const items = readItems(await execution, 'Generate');
	expect(readItems(await execution, LOOK_BACK.name).map(({ json }) => json)).toEqual(ROWS);
	expect(items.map(({ json }) => (json.video as { id?: string } | null)?.id)).toEqual(
		sandbox.charges.map(({ videoId }) => videoId),
	);
	expect(items.map(({ binary }) => binary?.data?.mimeType)).toEqual(ROWS.map(() => 'video/mp4'));
});
