import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findCacheFolder } from '../../../scripts/cache/findCacheFolder';
import { buildN8nEnvironment } from '../../../scripts/n8n/buildN8nEnvironment';
import { findN8nBinary } from '../../../scripts/n8n/findN8nBinary';
import { installCommunityPackage } from '../../../scripts/n8n/installCommunityPackage';
import { installN8n } from '../../../scripts/n8n/installN8n';
import { N8nClient } from '../../../scripts/n8n/N8nClient';
import type { Execution } from '../../../scripts/n8n/n8nTypes';
import { packPackage } from '../../../scripts/n8n/packPackage';
import { provideNode } from '../../../scripts/n8n/provideNode';
import { ProcessSet } from '../../../scripts/processes/ProcessSet';
import { listenBriefly } from '../../../scripts/start/listenBriefly';
import { OWNER } from '../../../scripts/start/OWNER';

const PACKAGE = 'n8n-nodes-video-generation';
const START_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 30_000;

/** A real n8n with the packed package in a folder of its own, which can be stopped, killed and started again. */
export class RealN8n {
	private child: ChildProcess | undefined;

	private heldClient: N8nClient | undefined;

	private constructor(
		private readonly node: string,
		private readonly binary: string,
		private readonly userFolder: string,
		private readonly environment: Record<string, string>,
	) {}

	/**
	 * Installs n8n where it is missing, and the package.
	 *
	 * @param name of the folder that n8n keeps its data in; it is emptied first
	 * @param environment what this n8n is set to beside the usual
	 */
	static async create(name: string, environment: Record<string, string> = {}): Promise<RealN8n> {
		const userFolder = resolve('.n8n-local', 'e2e', name);
		rmSync(userFolder, { recursive: true, force: true });
		mkdirSync(userFolder, { recursive: true });
		const processes = new ProcessSet();
		try {
			const cacheFolder = findCacheFolder();
			const node = await provideNode(cacheFolder, processes);
			const n8nFolder = await installN8n(cacheFolder, node, processes);
			const tarball = await packPackage(join(userFolder, 'package'), processes);
			await installCommunityPackage(tarball, PACKAGE, userFolder, processes);
			return new RealN8n(node.binary, findN8nBinary(n8nFolder), userFolder, environment);
		} finally {
			await processes.endAll();
		}
	}

	get client(): N8nClient {
		if (!this.heldClient) throw new Error('n8n is not started');
		return this.heldClient;
	}

	async start(): Promise<void> {
		const [port, brokerPort] = [await listenBriefly(0), await listenBriefly(0)];
		if (port === undefined || brokerPort === undefined) throw new Error('There is no free port');
		const settings = { userFolder: this.userFolder, node: this.node, port, brokerPort };
		const log = openSync(join(this.userFolder, 'n8n.log'), 'a');
		this.child = spawn(this.node, [this.binary, 'start'], {
			cwd: this.userFolder,
			env: { ...buildN8nEnvironment(settings), ...this.environment },
			stdio: ['ignore', log, log],
			// A group of its own, so that its task runner is killed with it.
			detached: true,
		});
		closeSync(log);
		this.heldClient = new N8nClient(`http://127.0.0.1:${port}`);
		await this.heldClient.waitUntilReady(START_TIMEOUT_MS);
		await this.heldClient.setUpOwner(OWNER);
	}

	/** As a service manager stops it. */
	async stop(): Promise<void> {
		const { child } = this;
		if (child?.exitCode !== null || child.signalCode !== null) return;
		const ended = waitForExit(child);
		child.kill('SIGTERM');
		const timer = setTimeout(() => {
			this.kill();
		}, STOP_TIMEOUT_MS);
		await ended;
		clearTimeout(timer);
	}

	/** As a power failure ends it: nothing more is written. */
	kill(): void {
		if (this.child?.pid !== undefined) process.kill(-this.child.pid, 'SIGKILL');
	}

	async waitForEnd(): Promise<void> {
		if (this.child) await waitForExit(this.child);
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
}

async function waitForExit(child: ChildProcess): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	await new Promise((resolve) => child.once('exit', resolve));
}
