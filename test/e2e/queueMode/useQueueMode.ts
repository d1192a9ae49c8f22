import { join } from 'node:path';
import type { Operation } from '../../../sandbox/domain/model';
import type { Sandbox } from '../../../sandbox/Sandbox';
import { startSandbox } from '../../../sandbox/startSandbox';
import type { Credential, Execution, WorkflowContent } from '../../../scripts/n8n/n8nTypes';
import { START } from '../../support/e2e/buildWorkflow';
import { E2E_FOLDER } from '../../support/e2e/PLACES';
import {
	N8nWebhookProcessor,
	N8nWorker,
	readItems,
	RealN8n,
	WITHOUT_EDITOR,
} from '../../support/e2e/RealN8n';
import { startDatabases } from './startDatabases';

const EXECUTION_TIMEOUT_MS = 600_000;

/** The settings of `docs/scaling.md`, except for short times until the end of a worker is noticed. */
const ENVIRONMENT = {
	...WITHOUT_EDITOR,
	EXECUTIONS_MODE: 'queue',
	// The instances share one key, because each must decrypt the others' data; otherwise each would
	// generate its own.
	N8N_ENCRYPTION_KEY: 'the-same-key-on-every-instance',
	OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
	N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '10',
	QUEUE_WORKER_LOCK_DURATION: '12000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '2000',
	QUEUE_WORKER_STALLED_INTERVAL: '3000',
};

interface QueueModeOptions {
	/** Name of the folder below `.n8n-local/e2e` for the data of all of them. */
	name: string;
	/** Names of the workers. */
	workers: string[];
	/** Maximum number of executions that a worker runs at the same time. */
	concurrency: number;
	credits: number;
	/** Whether webhooks are called at a process of their own. */
	hasWebhookProcessor?: boolean;
}

/**
 * Starts n8n's queue mode for all tests of a file: a main instance, its workers, Redis and
 * PostgreSQL. Each instance has its own user folder, as on separate machines, and shares only the
 * settings with the others. Beside it is a sandbox, and workflows that their webhooks start.
 * Nothing is reset between the tests, so the trigger, too, sees everything that has happened.
 *
 * @param buildWorkflows returns the workflows that are created at the start, and published if they
 * have a trigger; the name of each is its id, too
 */
export function useQueueMode(
	{ name, workers, concurrency, credits, hasWebhookProcessor }: QueueModeOptions,
	buildWorkflows: (credential: Credential) => WorkflowContent[],
) {
	const n8n = {} as { main: RealN8n; workers: N8nWorker[]; webhooks?: N8nWebhookProcessor };
	const held = {} as {
		sandbox: Sandbox;
		databases: Awaited<ReturnType<typeof startDatabases>>;
	};

	beforeAll(async () => {
		held.sandbox = await startSandbox({ rateLimit: false, clock: 'real', credits });
		held.databases = await startDatabases(join(E2E_FOLDER, name, 'databases'));
		const environment = { ...ENVIRONMENT, ...held.databases.environment };
		n8n.main = new RealN8n(join(name, 'main'), environment);
		n8n.workers = workers.map(
			(worker) => new N8nWorker(join(name, worker), environment, concurrency),
		);
		// The first instance creates the tables.
		await n8n.main.start();
		await Promise.all(n8n.workers.map((worker) => worker.start()));
		if (hasWebhookProcessor) {
			n8n.webhooks = new N8nWebhookProcessor(join(name, 'webhooks'), environment);
			await n8n.webhooks.start();
		}
		const { client } = n8n.main;
		for (const content of buildWorkflows(await n8n.main.connect(held.sandbox))) {
			const workflow = await client.createWorkflow(content, content.name);
			if (!content.nodes.some(({ type }) => type === START.type)) {
				await client.activateWorkflow(workflow);
			}
		}
	});
	afterAll(async () => {
		// Nothing is read from them any more, and a main instance may wait for executions at its end.
		for (const instance of [n8n.main, ...n8n.workers, n8n.webhooks]) {
			instance?.kill();
			await instance?.waitForEnd();
		}
		await held.databases.stop();
		await held.sandbox.close();
	});

	const startExecution = async (path: string, body: object): Promise<string> =>
		await (n8n.webhooks ?? n8n.main).callWebhook(path, body);
	return Object.assign(held, {
		n8n,
		startExecution,
		/** Starts one execution that orders videos of a project through the example. */
		startOrder: async (project: string, ...prompts: string[]): Promise<string> =>
			await startExecution('order', { rows: prompts.map((prompt) => ({ project, prompt })) }),
		/** Finds the worker that has begun an execution. */
		findWorker(executionId: string): N8nWorker {
			const worker = n8n.workers.find((each) => each.listStarted().includes(executionId));
			if (!worker) throw new Error(`No worker has begun execution ${executionId}`);
			return worker;
		},
		async waitForExecutions(ids: Iterable<string>): Promise<Execution[]> {
			const executions: Execution[] = [];
			for (const id of ids) {
				executions.push(await n8n.main.client.waitForExecution(id, EXECUTION_TIMEOUT_MS));
			}
			return executions;
		},
		/** Returns whose video each item was given. */
		listGiven(executions: Execution[], node = 'Generate') {
			return executions
				.flatMap((execution) => readItems(execution, node))
				.map(({ json }) => {
					if (!json.video) return 'none';
					const { charges } = held.sandbox;
					const own = charges.find(({ queueId }) => queueId === json.queueId);
					return (json.video as { id: string }).id === own?.videoId ? 'own' : 'another';
				});
		},
		countRequests: (operation: Operation): number =>
			held.sandbox.requests.filter((request) => request.operation === operation).length,
	});
}
