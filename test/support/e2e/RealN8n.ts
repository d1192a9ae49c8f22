import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import axios from 'axios';
import type { INodeExecutionData } from 'n8n-workflow';
import { buildN8nEnvironment } from '../../../scripts/n8n/environment';
import { N8nClient } from '../../../scripts/n8n/N8nClient';
import type { Credential, Execution, WorkflowContent } from '../../../scripts/n8n/n8nTypes';
import { provideOwner } from '../../../scripts/n8n/owner';
import { waitFor } from '../../../scripts/waitFor';
import { START } from './buildWorkflow';
import { E2E_FOLDER, readInstallation } from './PLACES';
import { findPort, ServerProcess } from './ServerProcess';

const START_TIMEOUT_MS = 180_000;
const RUN_TIMEOUT_MS = 300_000;

/** Turns off the task runner, which executes code: a fifth of n8n's start. */
export const WITHOUT_CODE = {
	N8N_RUNNERS_MODE: 'external',
	N8N_RUNNERS_AUTH_TOKEN: 'nobody has it',
};

/** Turns off the editor, too: n8n prepares its files at every start, which takes a third of it. */
export const WITHOUT_EDITOR = { ...WITHOUT_CODE, N8N_DISABLE_UI: 'true' };

/** The default from n8n 2.45 on. The tests of queue mode kill n8n without. */
export const DURABLE_CURSORS = {
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true',
	N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
};

/** A process of a real n8n with the packed package. It can be stopped, killed and started again. */
abstract class N8nProcess {
	readonly userFolder: string;
	private server: ServerProcess | undefined;

	/**
	 * @param name name of the folder for n8n's data, which is emptied first
	 * @param environment variables beside the usual ones, or instead of them
	 */
	constructor(
		name: string,
		private readonly environment: Record<string, string>,
		private readonly command: string[],
	) {
		this.userFolder = join(E2E_FOLDER, name);
		rmSync(this.userFolder, { recursive: true, force: true });
		mkdirSync(this.userFolder, { recursive: true });
		cpSync(readInstallation().template, this.userFolder, { recursive: true });
	}

	get pid(): number | undefined {
		return this.server?.child.pid;
	}

	/** Returns all output of n8n since its first start. */
	readLog(): string {
		return readFileSync(join(this.userFolder, 'n8n.log'), 'utf8');
	}

	/** Returns the videos of which n8n's log says that they were queued, by the execution. */
	listQueuedVideos(): Map<string, { queueId: string; projectId: string }> {
		const line = /Queued video "(.+?)" of project "(.+?)" at ".+?" in execution (\d+)/g;
		return new Map(
			[...this.readLog().matchAll(line)].map(([, queueId = '', projectId = '', execution = '']) => [
				execution,
				{ queueId, projectId },
			]),
		);
	}

	async start(): Promise<void> {
		const [port, brokerPort] = [await findPort(), await findPort()];
		const { node, n8n } = readInstallation();
		const { userFolder } = this;
		this.server = new ServerProcess({
			file: node,
			args: [n8n, ...this.command],
			cwd: userFolder,
			env: {
				...buildN8nEnvironment({ userFolder, node, script: n8n, port, brokerPort }),
				// The port of a worker is that of its health check.
				QUEUE_HEALTH_CHECK_PORT: String(port),
				...this.environment,
			},
			logFile: join(userFolder, 'n8n.log'),
		});
		await this.waitUntilReady(`http://127.0.0.1:${port}`);
	}

	/** Stops n8n as a service manager does: with SIGTERM. */
	async stop(): Promise<void> {
		await this.server?.stop();
	}

	/** Kills n8n like a power failure: it writes nothing more. */
	kill(): void {
		this.server?.kill();
	}

	async waitForEnd(): Promise<void> {
		await this.server?.end;
	}

	protected abstract waitUntilReady(address: string): Promise<void>;
}

/** A whole n8n: editor, REST API, triggers, and the executions unless it has workers. */
export class RealN8n extends N8nProcess {
	/** A started n8n has one, and a restarted one another. */
	client!: N8nClient;

	constructor(name: string, environment: Record<string, string> = {}) {
		super(name, environment, ['start']);
	}

	/** Saves the credential of an account of a service. */
	async connect(
		{ url, apiKey }: { url: string; apiKey: string },
		name = 'Sandbox',
	): Promise<Credential> {
		const data = { apiKey, baseUrl: url };
		return await this.client.saveCredential({ name, type: 'videoGenerationApi', data });
	}

	/** Runs a new workflow from its START as a user does by hand, and waits for its end. */
	async run(content: WorkflowContent): Promise<Execution> {
		const { id } = await this.client.createWorkflow(content);
		const execution = await this.client.runWorkflow(id, START.name);
		return await this.client.waitForExecution(execution, RUN_TIMEOUT_MS);
	}

	/** Lists all executions of a workflow with any status, oldest first. */
	async listExecutions(workflowId: string): Promise<Execution[]> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const { results } = await this.client.request<{ results: { id: string }[] }>(
			'GET',
			`/executions?filter=${filter}&limit=100`,
		);
		const ids = results.map(({ id }) => id).sort((a, b) => Number(a) - Number(b));
		return await Promise.all(ids.map(async (id) => await this.client.getExecution(id)));
	}

	async waitForStatus(executionId: string, status: string): Promise<void> {
		const has = async () => (await this.client.getExecution(executionId)).status === status;
		await waitFor(`execution ${executionId} to be ${status}`, has, START_TIMEOUT_MS);
	}

	/**
	 * Opens a link of n8n in a browser: n8n takes no answer from the previews of chats and mail programs.
	 * @returns the status of the response
	 */
	async openLink(link: string): Promise<number> {
		// A restarted n8n has another port.
		const { pathname, search } = new URL(link);
		const response = await axios.get(`${this.client.address}${pathname}${search}`, {
			headers: { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' },
			proxy: false,
			validateStatus: () => true,
		});
		return response.status;
	}

	/** @returns the ID of the execution that it starts */
	async callWebhook(path: string, body: object = {}): Promise<string> {
		return await callWebhook(this.client.address, path, body);
	}

	protected override async waitUntilReady(address: string): Promise<void> {
		this.client = new N8nClient(address, provideOwner(this.userFolder));
		await this.client.waitUntilReady(START_TIMEOUT_MS);
		await this.client.setUpOwner();
	}
}

/** A worker of n8n's queue mode: it takes executions from Redis and only runs them. */
export class N8nWorker extends N8nProcess {
	/** @param concurrency maximum number of executions that it runs at the same time */
	constructor(name: string, environment: Record<string, string>, concurrency: number) {
		const health = { QUEUE_HEALTH_CHECK_ACTIVE: 'true', N8N_WORKER_SERVER_ADDRESS: '127.0.0.1' };
		super(name, { ...environment, ...health }, ['worker', `--concurrency=${concurrency}`]);
	}

	/** Returns the ids of the executions that the worker has started, according to its log. */
	listStarted(): string[] {
		return this.listLogged(/Worker started execution (\d+) /g);
	}

	/** Returns the ids of the started executions that the worker has not finished. */
	listRunning(): string[] {
		const finished = this.listLogged(/Worker finished execution (\d+) /g);
		return this.listStarted().filter((id) => !finished.includes(id));
	}

	private listLogged(line: RegExp): string[] {
		return [...this.readLog().matchAll(line)].map(([, id = '']) => id);
	}

	protected override async waitUntilReady(address: string): Promise<void> {
		await waitUntilReady('the worker', address);
	}
}

/** A webhook processor of n8n's queue mode: it takes calls of webhooks, and hands their executions to the workers. */
export class N8nWebhookProcessor extends N8nProcess {
	private address = '';

	constructor(name: string, environment: Record<string, string>) {
		super(name, environment, ['webhook']);
	}

	/** @returns the ID of the execution that it starts */
	async callWebhook(path: string, body: object = {}): Promise<string> {
		return await callWebhook(this.address, path, body);
	}

	protected override async waitUntilReady(address: string): Promise<void> {
		this.address = address;
		await waitUntilReady('the webhook processor', address);
	}
}

/** Calls a webhook, which n8n registers some time after the publication. */
async function callWebhook(address: string, path: string, body: object): Promise<string> {
	return await waitFor(`the webhook "${path}"`, async () => {
		const { status, data } = await axios.post<unknown>(`${address}/webhook/${path}`, body, {
			proxy: false,
			validateStatus: (code) => code === 200 || code === 404,
		});
		return status === 200 && String(data);
	});
}

async function waitUntilReady(name: string, address: string): Promise<void> {
	const request = { proxy: false, timeout: 1_000 } as const;
	const ask = async () =>
		await axios.get(`${address}/healthz/readiness`, request).catch(() => false as const);
	await waitFor(`${name} to be ready`, ask, START_TIMEOUT_MS);
}

/** Returns the output items of a node's last run; `output` 1 is its error output. */
export function readItems({ data }: Execution, node: string, output = 0): INodeExecutionData[] {
	return data.resultData.runData[node]?.at(-1)?.data?.main?.[output] ?? [];
}
