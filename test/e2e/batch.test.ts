import type { Sandbox } from '../../sandbox/Sandbox';
import type { SettingsChange } from '../../sandbox/domain/settings';
import { startSandbox } from '../../sandbox/startSandbox';
import { buildWorkflow, makeItems, START, videoGeneration } from '../support/e2e/buildWorkflow';
import { RealN8n, WITHOUT_CODE } from '../support/e2e/RealN8n';
import { readItems } from '../support/e2e/runContent';

const PROJECT = 'project-product-teaser';
const TIMEOUT_MS = 300_000;
const ROWS = [1, 2, 3, 4, 5].map((row) => ({ row }));

const lasting = (seconds: number, logDelayMs = 0) => ({
	durations: { pendingMs: 0, processingMs: seconds * 1_000, renderingMs: 0, logDelayMs },
});

/** What a service may do. */
const SERVICES: Record<string, SettingsChange> = {
	'makes videos side by side': lasting(5),
	'makes them one after the other': { ...lasting(5), maxAtOnce: 1 },
	'makes three at a time': { ...lasting(8), maxAtOnce: 3 },
	'lists them up to 8 s late': lasting(5, 8_000),
	'lists them 2 s before their progress says so': lasting(7, -2_000),
	'signs their addresses anew in each list': { ...lasting(5), signedUrls: true },
	'names queue IDs in its list': { ...lasting(8), entriesNameQueueId: 'address' },
};

describe('Five rows of one project with the default options, in a real n8n', () => {
	const sandboxes = new Map<string, Sandbox>();
	const executions = new Map<string, Promise<Awaited<ReturnType<typeof runBatch>>>>();
	let n8n: RealN8n;

	async function runBatch(name: string, settings: SettingsChange) {
		const sandbox = await startSandbox({ clock: 'real' });
		sandboxes.set(name, sandbox);
		sandbox.configure(settings);
		const { client } = n8n;
		const credential = await client.createCredential({
			...{ name, type: 'videoGenerationApi' },
			data: { apiKey: sandbox.apiKey, baseUrl: sandbox.url },
		});
		const add = videoGeneration('Queue', credential, {
			...{ resource: 'queue', operation: 'add', waitForCompletion: true, downloadVideo: true },
			projectId: { __rl: true, mode: 'id', value: PROJECT },
		});
		const { id } = await client.createWorkflow(
			buildWorkflow(name, [START, ...makeItems(ROWS, 'Rows'), add]),
		);
		return await client.waitForExecution(await client.runWorkflow(id, START.name), TIMEOUT_MS);
	}

	beforeAll(async () => {
		n8n = RealN8n.create('batch', WITHOUT_CODE);
		await n8n.start();
		for (const [name, settings] of Object.entries(SERVICES)) {
			executions.set(name, runBatch(name, settings));
		}
	});

	afterAll(async () => {
		await n8n.stop();
		for (const sandbox of sandboxes.values()) await sandbox.close();
	});

	test.each(Object.keys(SERVICES))(
		'give each row the file of its own video, where a service %s',
		async (name) => {
			const execution = await executions.get(name);
			expect(execution?.status).toBe('success');
			const items = execution ? readItems(execution, 'Queue') : [];
			expect(items.map(({ json }) => (json.video as { id?: string } | null)?.id)).toEqual(
				sandboxes.get(name)?.charges.map(({ videoId }) => videoId),
			);
			expect(items.map(({ binary }) => binary?.data?.mimeType)).toEqual(
				ROWS.map(() => 'video/mp4'),
			);
		},
	);
});
