import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import getPort from 'get-port';
import { buildN8nEnvironment } from '../../../scripts/n8n/environment';
import { E2E_FOLDER } from './PLACES';
import { readProvided } from './provided';
import { ServerProcess } from './ServerProcess';

/** n8n 1 does not start without a module that it does not know, and its defaults are other ones. */
const FOR_OLDER = {
	N8N_DISABLED_MODULES: 'insights',
	// In the newer engine for expressions, `$('Node').item` finds nothing in 1.123.81.
	N8N_EXPRESSION_ENGINE: 'legacy',
	// With one connection, requests at the same time end each other's transactions.
	DB_SQLITE_POOL_SIZE: '4',
};

const isOlder = (n8n: string) => !existsSync(join(n8n, '../../dist/modules/mcp-registry'));

/** What starts one instance of n8n. */
export interface N8nInstanceOptions {
	/** Of the folder that n8n keeps its data in; it is emptied first. */
	name: string;
	/** What this n8n is set to beside the usual. */
	environment?: Record<string, string>;
	/** n8n's command, with its options. */
	command: string[];
}

/**
 * A real n8n with the packed package in a folder of its own, which can be stopped, killed and
 * started again.
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

	/** Gets all that n8n prints. */
	get logFile(): string {
		return join(this.userFolder, 'n8n.log');
	}

	/** All that n8n has printed, since it was started first. */
	readLog(): string {
		return readFileSync(this.logFile, 'utf8');
	}

	/** The process of n8n. */
	get pid(): number {
		if (this.server?.pid === undefined) throw new Error('n8n is not started');
		return this.server.pid;
	}

	async start(): Promise<void> {
		const host = '127.0.0.1';
		const [port, brokerPort] = [await getPort({ host }), await getPort({ host })];
		const { node, n8n } = readProvided();
		const { userFolder, logFile, options } = this;
		this.server = new ServerProcess({
			file: node,
			args: [n8n, ...options.command],
			cwd: userFolder,
			env: {
				...buildN8nEnvironment({ userFolder, node, script: n8n, port, brokerPort }),
				...(isOlder(n8n) && FOR_OLDER),
				...this.getPortEnvironment(port),
				...options.environment,
			},
			logFile,
		});
		await this.waitUntilReady(`http://127.0.0.1:${port}`);
	}

	/** As a service manager stops it. */
	async stop(): Promise<void> {
		await this.server?.stop();
	}

	/** As a power failure ends it: nothing more is written. */
	kill(): void {
		this.server?.kill();
	}

	async waitForEnd(): Promise<void> {
		await this.server?.waitForEnd();
	}

	/** How this kind of instance is told where to listen, beside the usual. */
	protected abstract getPortEnvironment(port: number): Record<string, string>;

	protected abstract waitUntilReady(address: string): Promise<void>;
}
