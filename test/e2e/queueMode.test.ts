import axios from 'axios';
import type { Credential, Workflow } from '../../scripts/n8n/n8nTypes';
import type { Sandbox } from '../../sandbox/Sandbox';
import { startSandbox } from '../../sandbox/startSandbox';
import { buildWorkflow, videoGeneration } from '../support/e2e/buildWorkflow';
import { describeWith } from '../support/e2e/describeWith';
import { PACKAGE } from '../support/e2e/PLACES';
import { QueueModeN8n } from '../support/e2e/QueueModeN8n';
import { waitFor } from '../support/e2e/waitFor';

describeWith(['redis-server', 'postgres'], "n8n's queue mode", () => {
	let sandbox: Sandbox;
	let n8n: QueueModeN8n;
	let credential: Credential;

	beforeAll(async () => {
		sandbox = await startSandbox({ rateLimit: false, clock: 'real', credits: 1000 });
		const t = Date.now();
		n8n = await QueueModeN8n.start('queue-mode', 25);
		console.log('started', Date.now() - t);
		credential = await n8n.main.client.saveCredential({
			name: 'Sandbox',
			type: 'videoGenerationApi',
			data: { apiKey: sandbox.apiKey, baseUrl: sandbox.url },
		});
	});
	afterAll(async () => {
		await n8n.stop();
		await sandbox.close();
	});

	test('experiment', async () => {
		const { client } = n8n.main;
		const webhook = {
			name: 'Webhook',
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			parameters: {
				httpMethod: 'POST',
				path: 'queue-and-wait',
				responseMode: 'onReceived',
				options: { responseData: '={{ $execution.id }}' },
			},
			settings: { webhookId: 'queue-and-wait' },
		};
		const add = videoGeneration('Queue and wait', credential, {
			resource: 'queue',
			operation: 'add',
			projectId: { __rl: true, mode: 'id', value: '={{ $json.body.projectId }}' },
			waitForCompletion: true,
			waitOptions: { pollingInterval: 1 },
			options: {},
		});
		const wf: Workflow = await client.createWorkflow(buildWorkflow('A', [webhook, add], {settings: {saveExecutionProgress: true}}));
		await client.activateWorkflow(wf);
		const add1 = videoGeneration('Queue', credential, {
			resource: 'queue',
			operation: 'add',
			projectId: { __rl: true, mode: 'id', value: '={{ $json.body.projectId }}' },
			options: {},
		});
		const wait1 = videoGeneration('Wait', credential, {
			resource: 'queue',
			operation: 'wait',
			queueId: '={{ $json.queueId }}',
			projectId: { __rl: true, mode: 'id', value: '={{ $json.projectId }}' },
			options: {},
		});
		const wf2: Workflow = await client.createWorkflow(buildWorkflow('B', [{...webhook, settings: {webhookId: 'two'}, parameters: {...webhook.parameters, path: 'two'}}, add1, wait1], {settings: {saveExecutionProgress: true}}));
		await client.activateWorkflow(wf2);
		const trigger = { name: 'Trigger', type: `${PACKAGE}.videoGenerationTrigger`, parameters: { pollTimes: { item: [{ mode: 'everyMinute' }] } }, credentials: { videoGenerationApi: { id: credential.id, name: credential.name } } };
		const tw = await client.createWorkflow(buildWorkflow('T', [trigger, { name: 'Next', type: 'n8n-nodes-base.noOp' }]));
		await client.activateWorkflow(tw);
		sandbox.configure({ durations: { processingMs: 60_000 } });
		const projects = sandbox.addProjects('main', Array.from({ length: 10 }, () => ({})));
		const ids: string[] = [];
		for (const [i, { id }] of projects.entries()) {
			const { data } = await axios.post(`${client.address}/webhook/${i % 2 ? 'two' : 'queue-and-wait'}`, { projectId: id }, { proxy: false });
			console.log(data);
			ids.push(String(data));
		}
		await waitFor('adds', () => sandbox.readState().queue.length === 10);
		const t = Date.now();
		n8n.workers[1].kill();
		await n8n.workers[1].waitForEnd();
		for (const id of ids) {
			const e = await client.waitForExecution(id, 150_000);
			console.log(Date.now() - t, JSON.stringify(e).slice(0, 3000));
			if (e.status !== 'success') console.log(await client.request('POST', `/executions/${id}/retry`, { loadWorkflow: false }).catch((x) => String(x)));
		}
		console.log(n8n.workers.map((w) => w.listStarted()));
		console.log(sandbox.readState().queue.length, sandbox.requests.filter((r) => r.operation === 'queue.add').length);
		await new Promise((r) => setTimeout(r, 60_000));
		console.log(JSON.stringify((await n8n.main.listExecutions(tw.id)).map((e) => [e.status, JSON.stringify(e.data).length])));
	});
});
