import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, cpSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildN8nEnvironment } from '../../../scripts/n8n/buildN8nEnvironment';
import { N8nClient } from '../../../scripts/n8n/N8nClient';
import type { Execution } from '../../../scripts/n8n/n8nTypes';
import { Guard } from '../../../scripts/processes/Guard';
import { listenBriefly } from '../../../scripts/start/listenBriefly';
import { OWNER } from '../../../scripts/start/OWNER';
import { E2E_FOLDER, TEMPLATE_FOLDER } from './PLACES';
import { readProvided } from './provided';

const START_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 30_000;
const GRACE_MS = 5_000;

/** A real n8n with the packed package in a folder of its own, which can be stopped, killed and started again. */
export class RealN8n {
	private child: ChildProcess | undefined;

	private heldClient: N8nClient | undefined;

	/** Ends n8n when the tests are killed outright. */
	private readonly guard = new Guard(GRACE_MS);

	private constructor(
		readonly userFolder: string,
		private readonly environment: Record<string, string>,
	) {}

	/**
	 * @param name of the folder that n8n keeps its data in; it is emptied first
	 * @param environment what this n8n is set to beside the usual
	 */
	static create(name: string, environment: Record<string, string> = {}): RealN8n {
		const userFolder = join(E2E_FOLDER, name);
		rmSync(userFolder, { recursive: true, force: true });
		mkdirSync(userFolder, { recursive: true });
		cpSync(TEMPLATE_FOLDER, userFolder, { recursive: true });
		return new RealN8n(userFolder, environment);
	}

	get client(): N8nClient {
		if (!this.heldClient) throw new Error('n8n is not started');
		return this.heldClient;
	}

	/** The process of n8n. */
	get pid(): number {
		if (this.child?.pid === undefined) throw new Error('n8n is not started');
		return this.child.pid;
	}

	/** Gets all that n8n prints. */
	get logFile(): string {
		return join(this.userFolder, 'n8n.log');
	}

	async start(): Promise<void> {
		const [port, brokerPort] = [await listenBriefly(0), await listenBriefly(0)];
		if (port === undefined || brokerPort === undefined) throw new Error('There is no free port');
		const { node, n8n } = readProvided();
		const settings = { userFolder: this.userFolder, node, port, brokerPort };
		const log = openSync(this.logFile, 'a');
		this.child = spawn(node, [n8n, 'start'], {
			cwd: this.userFolder,
			env: { ...buildN8nEnvironment(settings), ...this.environment },
			stdio: ['ignore', log, log],
			// A group of its own, so that its task runner is killed with it.
			detached: true,
		});
		closeSync(log);
		if (this.child.pid !== undefined) this.guard.watch(this.child.pid);
		this.heldClient = new N8nClient(`http://127.0.0.1:${port}`);
		await this.heldClient.waitUntilReady(START_TIMEOUT_MS);
		await this.heldClient.setUpOwner(OWNER);
	}

	/** As a service manager stops it. */
	async stop(): Promise<void> {
		const { child } = this;
		if (child?.exitCode === null && child.signalCode === null) {
			const ended = waitForExit(child);
			child.kill('SIGTERM');
			const timer = setTimeout(() => {
				this.kill();
			}, STOP_TIMEOUT_MS);
			await ended;
			clearTimeout(timer);
		}
		this.forget();
		await this.guard.dismiss();
	}

	/** As a power failure ends it: nothing more is written. */
	kill(): void {
		if (this.child?.pid !== undefined) process.kill(-this.child.pid, 'SIGKILL');
	}

	async waitForEnd(): Promise<void> {
		if (this.child) await waitForExit(this.child);
		this.forget();
	}

	/** All executions of a workflow, the first one first, whatever has become of them. */
	async listExecutions(workflowId: string): Promise<Execution[]> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const { results } = await this.client.request<{ results: { id: string }[] }>(
			'GET',
			`/executions?filter=${filter}&limit=100`,
		);
		const ids = results.map(({ id }) => id).sort((a, b) => Number(a) - Number(b));
		return await Promise.all(ids.map(async (id) => await this.client.getExecution(id)));
	}

	private forget(): void {
		if (this.child?.pid !== undefined) this.guard.forget(this.child.pid);
	}
}

async function waitForExit(child: ChildProcess): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	await new Promise((resolve) => child.once('exit', resolve));
}
