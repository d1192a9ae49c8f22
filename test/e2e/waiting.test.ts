import type { Sandbox } from '../../sandbox/Sandbox';
import { startSandbox } from '../../sandbox/startSandbox';
import { RealN8n } from '../support/e2e/RealN8n';

const NODE = 'n8n-nodes-video-generation.videoGeneration';

describe("In a real n8n, the workflow's own timeout", () => {
	let sandbox: Sandbox;
	let n8n: RealN8n;

	beforeAll(async () => {
		sandbox = await startSandbox({ rateLimit: false, clock: 'real' });
		n8n = await RealN8n.create('waiting');
		await n8n.start();
	});

	afterAll(async () => {
		await n8n.stop();
		await sandbox.close();
	});

	test('ends items that wait, and nothing is sent after it', async () => {
		sandbox.configure({ durations: { processingMs: 600_000 } });
		const { client } = n8n;
		const credential = await client.saveCredential({
			name: 'Sandbox',
			type: 'videoGenerationApi',
			data: { apiKey: sandbox.apiKey, baseUrl: sandbox.url },
		});
		const workflow = await client.createWorkflow({
			name: 'Wait too long',
			nodes: [
				{
					id: 'start',
					name: 'Start',
					type: 'n8n-nodes-base.manualTrigger',
					typeVersion: 1,
					position: [0, 0],
					parameters: {},
				},
				{
					id: 'wait',
					name: 'Queue and wait',
					type: NODE,
					typeVersion: 1,
					position: [220, 0],
					parameters: {
						resource: 'queue',
						operation: 'add',
						projectId: { __rl: true, mode: 'id', value: 'project-city-tour' },
						waitForCompletion: true,
						waitOptions: { pollingInterval: 1 },
						options: {},
					},
					credentials: { videoGenerationApi: { id: credential.id, name: credential.name } },
				},
			],
			connections: { Start: { main: [[{ node: 'Queue and wait', type: 'main', index: 0 }]] } },
			settings: { executionOrder: 'v1', executionTimeout: 5 },
		});
		const executionId = await client.runWorkflow(workflow.id, 'Start');
		const execution = await client.waitForExecution(executionId, 60_000);
		expect(execution.status).toBe('canceled');

		const looks = () =>
			sandbox.requests.filter(({ operation }) => operation === 'queue.getProgress').length;
		expect(looks()).toBeGreaterThan(1);
		const before = looks();
		// Any other request to n8n shows that it goes on; a look would have come within this second.
		const from = Date.now();
		while (Date.now() - from < 2_500) await client.getExecution(executionId);
		expect(looks()).toBe(before);
	});
});
