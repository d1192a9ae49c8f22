import axios from 'axios';
import type { Operation } from '../../../sandbox/domain/model';
import type { VideoLog } from '../../../sandbox/domain/model';
import type { Sandbox } from '../../../sandbox/Sandbox';
import { startSandbox } from '../../../sandbox/startSandbox';
import type { Credential, Execution, WorkflowContent } from '../../../scripts/n8n/n8nTypes';
import { QueueModeN8n } from './QueueModeN8n';
import { waitFor } from '../../../scripts/waitFor';

const EXECUTION_TIMEOUT_MS = 150_000;

/**
 * Starts n8n's queue mode and a sandbox for all tests of a file, with workflows that their webhooks
 * start. Nothing is reset between the tests, so the trigger, too, sees everything that has
 * happened.
 *
 * @param concurrency maximum number of executions that a worker runs at the same time
 * @param buildWorkflows returns the workflows that are created and published at the start
 */
export function useQueueMode(
	{ name, concurrency, credits }: { name: string; concurrency: number; credits: number },
	buildWorkflows: (credential: Credential) => WorkflowContent[],
) {
	const n8n = new QueueModeN8n(name, concurrency);
	const workflowIds = new Map<string, string>();
	let sandbox: Sandbox | undefined;

	beforeAll(async () => {
		sandbox = await startSandbox({ rateLimit: false, clock: 'real', credits });
		await n8n.start();
		const { client } = n8n.main;
		const credential = await client.saveCredential({
			name: 'Sandbox',
			type: 'videoGenerationApi',
			data: { apiKey: sandbox.apiKey, baseUrl: sandbox.url },
		});
		for (const content of buildWorkflows(credential)) {
			const workflow = await client.createWorkflow(content);
			workflowIds.set(content.name, workflow.id);
			await client.activateWorkflow(workflow);
		}
	});
	afterAll(async () => {
		await n8n.stop();
		await sandbox?.close();
	});

	const getSandbox = (): Sandbox => {
		if (!sandbox) throw new Error('The sandbox is there from beforeAll to afterAll');
		return sandbox;
	};
	return {
		n8n,
		get sandbox() {
			return getSandbox();
		},
		getWorkflowId: (workflow: string): string => workflowIds.get(workflow) ?? '',
		/**
		 * Starts an execution through its webhook, which n8n registers some time after the publication.
		 * @returns its id
		 */
		async startExecution(path: string, body: object): Promise<string> {
			const address = `${n8n.main.client.address}/webhook/${path}`;
			let executionId = '';
			await waitFor(`the webhook "${path}"`, async () => {
				const { status, data } = await axios.post<unknown>(address, body, {
					proxy: false,
					validateStatus: (code) => code === 200 || code === 404,
				});
				executionId = String(data);
				return status === 200;
			});
			return executionId;
		},
		async waitForExecutions(ids: Iterable<string>): Promise<Execution[]> {
			const executions: Execution[] = [];
			for (const id of ids) {
				executions.push(await n8n.main.client.waitForExecution(id, EXECUTION_TIMEOUT_MS));
			}
			return executions;
		},
		countRequests: (operation: Operation): number =>
			getSandbox().requests.filter((request) => request.operation === operation).length,
		/** Finds the queue item of a project that has only one. */
		findQueueItem: (projectId: string) =>
			getSandbox()
				.readState()
				.queue.find((item) => item.projectId === projectId),
		async listVideos(): Promise<(VideoLog & { url: string })[]> {
			const { url, apiKey } = getSandbox();
			const { data } = await axios.get<{ videos: (VideoLog & { url: string })[] }>(
				`${url}/v1/videos`,
				{ headers: { Authorization: `Bearer ${apiKey}` }, proxy: false },
			);
			return data.videos;
		},
	};
}
