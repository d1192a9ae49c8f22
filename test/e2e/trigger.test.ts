import type { Execution, ExecutionItem, Workflow } from '../../scripts/n8n/n8nTypes';
import { placeExamples } from '../../scripts/n8n/placeExamples';
import type { Sandbox } from '../../sandbox/Sandbox';
import { startSandbox } from '../../sandbox/startSandbox';
import { PACKAGE } from '../support/e2e/PLACES';
import { RealN8n } from '../support/e2e/RealN8n';
import { waitFor } from '../support/e2e/waitFor';

const TRIGGER = 'When a video is finished';
/** n8n polls every minute, the scheduler of the durable cursors up to some seconds later. */
const NEXT_POLL_MS = 100_000;

const DURABLE = {
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true',
	N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
};

describe.each([
	['without durable cursors', 'plain', {}],
	['with durable cursors', 'durable', DURABLE],
])('In a real n8n %s, the trigger', (_title, name, environment) => {
	let sandbox: Sandbox;
	let n8n: RealN8n;
	let workflow: Workflow;

	beforeAll(async () => {
		sandbox = await startSandbox({ rateLimit: false, clock: 'real' });
		n8n = RealN8n.create(name, environment);
		await n8n.start();
		sandbox.addVideos('main', [{ id: 'old' }]);
		workflow = await createWorkflow(n8n, sandbox);
		await n8n.client.activateWorkflow(workflow);
		await waitFor('the poll of the activation', () => countPolls() > 0, NEXT_POLL_MS);
	});

	afterAll(async () => {
		await n8n.stop();
		await sandbox.close();
	});

	const countPolls = () =>
		sandbox.requests.filter(({ operation, status }) => operation === 'video.getAll' && status)
			.length;
	const waitForNextPoll = async () => {
		const polls = countPolls();
		await waitFor('the next poll', () => countPolls() > polls, NEXT_POLL_MS);
	};
	const listHandedOn = async () => (await n8n.listExecutions(workflow.id)).map(readVideoIds);
	const waitForExecutions = async (count: number) => {
		const areThere = async () => {
			const executions = await n8n.listExecutions(workflow.id);
			return executions.filter(({ stoppedAt }) => stoppedAt !== null).length >= count;
		};
		await waitFor(`${count} executions`, areThere, NEXT_POLL_MS);
	};

	test('starts one execution with both of two videos that are finished after the activation', async () => {
		sandbox.addVideos('main', [{ id: 'b', createdAt: '2099-01-01T00:00:01Z' }]);
		sandbox.addVideos('main', [{ id: 'a', createdAt: '2099-01-01T00:00:00Z' }]);
		await waitForExecutions(1);
		expect(await listHandedOn()).toEqual([['a', 'b']]);
	});

	test('has its videos downloaded and handed on by the example', async () => {
		const [execution] = await n8n.listExecutions(workflow.id);
		expect(execution?.status).toBe('success');
		const handedOn = execution ? readItems(execution, 'Hand it on') : [];
		expect(handedOn.map(({ binary }) => binary?.data)).toEqual([
			expect.objectContaining({ mimeType: 'video/mp4', fileName: 'a.mp4' }),
			expect.objectContaining({ mimeType: 'video/mp4', fileName: 'b.mp4' }),
		]);
	});

	test('does not start it again after a restart of n8n', async () => {
		await n8n.stop();
		await n8n.start();
		await waitForNextPoll();
		await waitForNextPoll();
		expect(await listHandedOn()).toEqual([['a', 'b']]);
	});

	test('hands on, once, a video whose poll was killed before it was over', async () => {
		sandbox.configure({ latencyMs: 3_000 });
		sandbox.addVideos('main', [{ id: 'c' }]);
		const killed = new Promise<void>((resolve) => {
			const stopListening = sandbox.onRequest(({ operation }) => {
				if (operation !== 'video.getAll') return;
				stopListening();
				n8n.kill();
				resolve();
			});
		});
		await killed;
		await n8n.waitForEnd();
		sandbox.configure({ latencyMs: 0 });
		await n8n.start();
		await waitForExecutions(2);
		await waitForNextPoll();
		expect(await listHandedOn()).toEqual([['a', 'b'], ['c']]);
	});
});

function readItems({ data }: Execution, node: string): ExecutionItem[] {
	return data.resultData.runData?.[node]?.[0]?.data?.main?.[0] ?? [];
}

function readVideoIds(execution: Execution): unknown[] {
	return readItems(execution, TRIGGER).map(({ json }) => json.id);
}

/** The example, as a user takes it: with a credential chosen. */
async function createWorkflow({ client }: RealN8n, sandbox: Sandbox): Promise<Workflow> {
	const credential = await client.saveCredential({
		name: 'Sandbox',
		type: 'videoGenerationApi',
		data: { apiKey: sandbox.apiKey, baseUrl: sandbox.url },
	});
	const examples = await placeExamples(client, 'examples', credential, PACKAGE);
	const example = examples.get('react-to-finished-videos');
	if (!example) throw new Error('The example is missing');
	return example;
}
