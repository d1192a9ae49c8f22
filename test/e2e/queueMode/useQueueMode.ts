import { join } from 'node:path';
import axios from 'axios';
import type { Operation } from '../../../sandbox/domain/model';
import type { VideoLog } from '../../../sandbox/domain/model';
import type { Sandbox } from '../../../sandbox/Sandbox';
import { startSandbox } from '../../../sandbox/startSandbox';
import type { Credential, Execution, WorkflowContent } from '../../../scripts/n8n/n8nTypes';
import { N8nWorker } from './N8nWorker';
import { E2E_FOLDER } from '../../support/e2e/PLACES';
import { RealN8n, WITHOUT_EDITOR } from '../../support/e2e/RealN8n';
import { startPostgresql, startRedis } from './startDatabases';
import { waitFor } from '../../../scripts/waitFor';

const EXECUTION_TIMEOUT_MS = 150_000;

/**
 * The settings of `docs/scaling.md`, except that the death of a worker is noticed within seconds.
 */
const ENVIRONMENT = {
	...WITHOUT_EDITOR,
	EXECUTIONS_MODE: 'queue',
	// The instances share one key, because each must decrypt the others' data; otherwise each would
	// generate its own.
	N8N_ENCRYPTION_KEY: 'the-same-key-on-every-instance',
	QUEUE_WORKER_LOCK_DURATION: '12000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '2000',
	QUEUE_WORKER_STALLED_INTERVAL: '3000',
};

/**
 * Starts n8n's queue mode for all tests of a file: a main instance, two workers, Redis and
 * PostgreSQL. Each instance has its own user folder, as on separate machines, and shares only the
 * settings with the others. Beside it is a sandbox, and workflows that their webhooks start.
 * Nothing is reset between the tests, so the trigger, too, sees everything that has happened.
 *
 * @param name name of the folder below `.n8n-local/e2e` for the data of all of them
 * @param concurrency maximum number of executions that a worker runs at the same time
 * @param buildWorkflows returns the workflows that are created and published at the start
 */
export function useQueueMode(
	{ name, concurrency, credits }: { name: string; concurrency: number; credits: number },
	buildWorkflows: (credential: Credential) => WorkflowContent[],
) {
	const n8n = {} as { main: RealN8n; workers: [N8nWorker, N8nWorker] };
	const workflowIds = new Map<string, string>();
	const held = {} as { sandbox: Sandbox };
	/** Each stops one of the parts, the last one first. */
	const endings: (() => Promise<unknown>)[] = [];

	beforeAll(async () => {
		const sandbox = await startSandbox({ rateLimit: false, clock: 'real', credits });
		held.sandbox = sandbox;
		endings.unshift(async () => {
			await sandbox.close();
		});
		const environment: Record<string, string> = { ...ENVIRONMENT };
		for (const [folder, start] of Object.entries({
			postgresql: startPostgresql,
			redis: startRedis,
		})) {
			const database = await start(join(E2E_FOLDER, name, folder));
			Object.assign(environment, database.environment);
			endings.unshift(async () => {
				await database.server.stop();
			});
		}
		const createWorker = (worker: string) =>
			N8nWorker.create(join(name, worker), environment, concurrency);
		n8n.main = RealN8n.create(join(name, 'main'), environment);
		n8n.workers = [createWorker('worker-1'), createWorker('worker-2')];
		endings.unshift(
			async () => await Promise.all([n8n.main, ...n8n.workers].map((each) => each.stop())),
		);
		// The first instance creates the tables.
		await n8n.main.start();
		await Promise.all(n8n.workers.map((worker) => worker.start()));
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
		for (const end of endings) await end();
	});

	return Object.assign(held, {
		n8n,
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
			held.sandbox.requests.filter((request) => request.operation === operation).length,
		/** Finds the queue item of a project that has only one. */
		findQueueItem: (projectId: string) =>
			held.sandbox.readState().queue.find((item) => item.projectId === projectId),
		async listVideos(): Promise<(VideoLog & { url: string })[]> {
			const { url, apiKey } = held.sandbox;
			const { data } = await axios.get<{ videos: (VideoLog & { url: string })[] }>(
				`${url}/v1/videos`,
				{ headers: { Authorization: `Bearer ${apiKey}` }, proxy: false },
			);
			return data.videos;
		},
	});
}
