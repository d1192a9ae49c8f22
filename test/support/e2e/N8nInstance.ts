import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findPort } from './findPort';
import { buildN8nEnvironment } from '../../../scripts/n8n/environment';
import { E2E_FOLDER } from './PLACES';
import { readProvided } from './provided';
import { ServerProcess } from './ServerProcess';

const QUEUED = /Queued video "(.+?)" of project "(.+?)"(?: at ".+?")? in execution (\d+)/g;

export interface N8nInstanceOptions {
	/** Name of the folder for n8n's data, which is emptied first. */
	name: string;
	/** Environment variables that are added to the usual ones, or override them. */
	environment?: Record<string, string>;
	/** n8n's command and its options. */
	command: string[];
}

/**
 * A real n8n with the packed package in its own folder. It can be stopped, killed and restarted.
 */
export abstract class N8nInstance {
	readonly userFolder: string;

	private server: ServerProcess | undefined;

	protected constructor(private readonly options: N8nInstanceOptions) {
		this.userFolder = join(E2E_FOLDER, options.name);
		rmSync(this.userFolder, { recursive: true, force: true });
		mkdirSync(this.userFolder, { recursive: true });
		cpSync(readProvided().template, this.userFolder, { recursive: true });
	}

	/** The file that receives all output of n8n. */
	get logFile(): string {
		return join(this.userFolder, 'n8n.log');
	}

	get pid(): number | undefined {
		return this.server?.pid;
	}

	/** Returns all output of n8n since its first start. */
	readLog(): string {
		return readFileSync(this.logFile, 'utf8');
	}

	/** Returns the videos of which n8n's log says that they were queued, by the execution. */
	listQueuedVideos(): Map<string, { queueId: string; projectId: string }> {
		const lines = [...this.readLog().matchAll(QUEUED)];
		return new Map(
			lines.map(([, queueId = '', projectId = '', execution = '']) => [
				execution,
				{ queueId, projectId },
			]),
		);
	}

	async start(): Promise<void> {
		const [port, brokerPort] = [await findPort(), await findPort()];
		const { node, n8n } = readProvided();
		const { userFolder, logFile, options } = this;
		this.server = new ServerProcess({
			file: node,
			args: [n8n, ...options.command],
			cwd: userFolder,
			env: {
				...buildN8nEnvironment({ userFolder, node, script: n8n, port, brokerPort }),
				...this.getPortEnvironment(port),
				...options.environment,
			},
			logFile,
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
		await this.server?.waitForEnd();
	}

	/** Returns the environment variables that set the port of this kind of instance. */
	protected abstract getPortEnvironment(port: number): Record<string, string>;

	protected abstract waitUntilReady(address: string): Promise<void>;
}
