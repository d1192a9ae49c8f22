import { readFileSync } from 'node:fs';
import path from 'node:path';
import axios from 'axios';
import type { Workflow } from '../../scripts/n8n/n8nTypes';
import { waitFor } from '../../scripts/waitFor';
import { OPERATIONS } from '../support/engine/OPERATIONS';
import { useApps } from '../support/e2e/apps/useApps';
import {
	buildWorkflow,
	makeItems,
	videoGeneration,
	type WorkflowStep,
} from '../support/e2e/buildWorkflow';
import { PACKAGE } from '../support/e2e/PLACES';
import { setUpExample, type ExampleSetUp } from '../support/e2e/setUpExample';
import { useRealN8n } from '../support/e2e/useRealN8n';

const TIMEOUT_MS = 180_000;
const ADD = { ...OPERATIONS['queue.add'], customPrompt: '={{ $json.prompt }}' };
const TWO_ITEMS = [{ prompt: 'one' }, { prompt: 'two' }];

const apps = useApps('when-something-fails');
const { slack } = apps;
const real = useRealN8n('when-something-fails', { environment: apps.environment });
afterAll(apps.stop);

let choices: ExampleSetUp['choices'];
let errorWorkflow: string;
beforeAll(async () => {
	const { client, credential } = real;
	const { id, name } = credential;
	choices = {
		...(await apps.choose(client)),
		[`${PACKAGE}.videoGeneration`]: { credentials: { videoGenerationApi: { id, name } } },
	};
	const example = await client.createWorkflow(setUpExample('when-something-fails', { choices }));
	await client.activateWorkflow(example);
	errorWorkflow = example.id;
});

describe('The example that says what has failed', () => {
	let paths = 0;

	/** Publishes a workflow that reports its failures to the example. */
	async function publish(name: string, steps: WorkflowStep[]): Promise<Workflow> {
		const { client } = real;
		const content = buildWorkflow(name, steps, { settings: { errorWorkflow } });
		const workflow = await client.createWorkflow(content);
		await client.activateWorkflow(workflow);
		return workflow;
	}

	/** Publishes a workflow with these steps after a webhook, and calls it. */
	async function start(name: string, steps: WorkflowStep[]): Promise<Workflow> {
		const path = `start-${++paths}`;
		const webhook = {
			...{ name: 'Webhook', type: 'n8n-nodes-base.webhook', typeVersion: 2 },
			parameters: { path, httpMethod: 'POST' },
			settings: { webhookId: path },
		};
		const workflow = await publish(name, [webhook, ...steps]);
		const address = `${real.client.address}/webhook/${path}`;
		await waitFor('the webhook', async () => {
			const options = { proxy: false, validateStatus: () => true } as const;
			return (await axios.post(address, {}, options)).status === 200;
		});
		return workflow;
	}

	const queue = (items = TWO_ITEMS) => [
		...makeItems(items),
		videoGeneration('Video', real.credential, ADD),
	];
	const failAdd = (nth: number, fault: 'refused' | 'lost') => {
		const operation = 'queue.add';
		if (fault === 'refused') real.sandbox.addFault({ kind: 'status', status: 400, operation, nth });
		else real.sandbox.addFault({ kind: 'reset', phase: 'after', operation, nth });
	};

	async function readMessage(): Promise<string> {
		await waitFor('a message', () => slack.texts.length > 0, TIMEOUT_MS);
		expect(slack.texts).toHaveLength(1);
		return slack.texts[0] ?? '';
	}

	test('warns that a video whose response was lost may be paid for, and links to the execution', async () => {
		failAdd(2, 'lost');
		const { id } = await start('Lost', queue());
		const message = await readMessage();
		expect(message).toMatch(
			/^\*Lost, execution \d+, node Video, item 1\* has failed: The connection to the video service broke/,
		);
		expect(message).toMatch(
			/Paid for: \*perhaps\*\. The video may have been queued.*check the credits/,
		);
		expect(message).toContain(real.sandbox.charges[0]?.queueId);
		expect(message).toMatch(new RegExp(`/workflow/${id}/executions/\\d+$`));
	});

	test('says which videos are paid for, and that a retry goes on with them', async () => {
		failAdd(2, 'refused');
		const { id } = await start('Half', queue());
		const message = await readMessage();
		const [charge] = real.sandbox.charges;
		expect(message).toMatch(/item 1\* has failed: The video service rejected the request \(400\)/);
		expect(message).toMatch(/Paid for: \*yes\*, 1 in this execution\..*select \*Retry\*/);
		expect(message).toContain(charge?.queueId);

		// The retry keeps this promise.
		const [failed] = await real.n8n.listExecutions(id);
		await real.client.retryExecution(failed?.id ?? '', false);
		expect(real.sandbox.charges.map(({ customPrompt }) => customPrompt)).toEqual(['one', 'two']);
	});

	test('says that nothing is paid for if the only video was refused', async () => {
		failAdd(1, 'refused');
		await start('Refused', queue(TWO_ITEMS.slice(0, 1)));
		const message = await readMessage();
		expect(message).toMatch(/Paid for: \*no\*\. Check 'Project' and 'Custom Prompt'/);
		expect(real.sandbox.charges).toEqual([]);
	});

	test('says of another node that the videos before it are paid for, and need not be queued again', async () => {
		const stop = { errorMessage: 'The drive is full' };
		const { id } = await start('Drive', [
			...queue(),
			{ name: 'Store', type: 'n8n-nodes-base.stopAndError', parameters: stop },
		]);
		const message = await readMessage();
		expect(message).toMatch(
			/^\*Drive, execution \d+, node Store.*\* has failed: The drive is full\n/,
		);
		expect(message).toContain('Paid for: what was queued before this node.');

		const [failed] = await real.n8n.listExecutions(id);
		await real.client.retryExecution(failed?.id ?? '', false);
		await waitFor('the message about the retry', () => slack.texts.length === 2, TIMEOUT_MS);
		expect(real.sandbox.charges).toHaveLength(TWO_ITEMS.length);
	});

	test('warns after a kill of n8n that videos may be paid for', async () => {
		const { n8n, sandbox } = real;
		sandbox.addFault({ kind: 'hang', phase: 'after', operation: 'queue.add' });
		const started = start('Killed', queue()).catch(() => undefined);
		await sandbox.waitForRequests({
			...{ operation: 'queue.add', count: 1, timeoutMs: TIMEOUT_MS },
		});
		// n8n writes its events later, and after a kill it tells only of executions that are among them.
		const events = path.join(n8n.userFolder, '.n8n/n8nEventLog.log');
		const hasStarted = () =>
			/"workflowName":"Killed".*"nodeName":"Video"/.test(readFileSync(events, 'utf8'));
		await waitFor("n8n's events", hasStarted, TIMEOUT_MS);
		n8n.kill();
		await started;
		await n8n.waitForEnd();
		await n8n.start();
		const message = await readMessage();
		expect(message).toMatch(/^\*Killed, execution \d+, node Video\* has failed: n8n stopped/);
		expect(message).toMatch(/Paid for: \*perhaps\*\. Look for new videos.*don't select \*Retry\*/);
	});

	test('tells of a trigger that fails', async () => {
		const type = `${PACKAGE}.videoGenerationTrigger`;
		const { id, name } = real.credential;
		const { id: workflowId } = await publish('Watch', [
			{
				...{ name: 'Trigger', type, parameters: { event: 'videoFinished' } },
				credentials: { videoGenerationApi: { id, name } },
			},
		]);
		// n8n polls once when it publishes the workflow, and reports only failures of later polls.
		const hasPolled = () =>
			real.sandbox.requests.some(
				({ operation, status }) => operation === 'video.getAll' && status !== undefined,
			);
		await waitFor('the first poll', hasPolled, TIMEOUT_MS);
		real.sandbox.addFault({ kind: 'status', status: 401, operation: 'video.getAll' });
		const message = await readMessage();
		await real.client.deactivateWorkflow(workflowId);
		expect(message).toMatch(
			/^\*Watch, .*\* has failed: The video service did not accept the API key\n/,
		);
		expect(message).toContain('Paid for: *no*.');
	});
});

describe('The example that checks the credits', () => {
	async function run() {
		const { client } = real;
		const { id } = await client.createWorkflow(setUpExample('credits-check', { choices }));
		const executionId = await client.runWorkflow(id, 'Every day at nine');
		return await client.waitForExecution(executionId, TIMEOUT_MS);
	}

	test('says how many are left below the limit', async () => {
		real.sandbox.setCredits('main', 19);
		expect((await run()).status).toBe('success');
		expect(slack.texts).toEqual([expect.stringMatching(/^Only 19 video credits are left\./)]);
	});

	test('says nothing at the limit', async () => {
		real.sandbox.setCredits('main', 20);
		expect((await run()).status).toBe('success');
		expect(slack.texts).toEqual([]);
	});

	test('says that the credits could not be read', async () => {
		real.sandbox.addFault({ kind: 'status', status: 401, operation: 'account.get' });
		expect((await run()).status).toBe('success');
		expect(slack.texts).toEqual([
			expect.stringMatching(/^The video credits could not be read: .*API key\nOpen the/),
		]);
	});
});
