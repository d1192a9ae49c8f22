import { mkdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import getPort, { portNumbers } from 'get-port';
import { lock } from 'proper-lockfile';
import manifest from '../../package.json' with { type: 'json' };
import { startServer, whileServersLive } from '../support/processes.mjs';
import { step } from '../support/steps.mjs';
import { buildN8nEnvironment } from './environment.js';
import { placeExamples } from './examples.js';
import type { N8nInstallation } from './install.mjs';
import { N8nClient, OWNER } from './N8nClient.js';
import type { Workflow } from './n8nTypes.js';

const N8N_PORT = 5678;
const SANDBOX_PORT = 4010;
/** The first start also creates the database. */
const N8N_TIMEOUT_MS = 180_000;

export interface Ports {
	n8n: number;
	/** The port of n8n's own task runner. */
	broker: number;
	sandbox: number;
}

export interface N8nOptions {
	installation: N8nInstallation;
	/** Holds all data of n8n, and the logs. */
	userFolder: string;
	ports: Pick<Ports, 'n8n' | 'broker'>;
	env?: Record<string, string>;
}

/** Ports that the system does not give to outgoing connections, since n8n listens only seconds later. */
const BROKER_PORTS = portNumbers(5_680, 5_779);

/** Returns the requested ports or the usual ones. A usual port in use is replaced by a free one. */
export async function choosePorts(asked: { port?: number; sandboxPort?: number }): Promise<Ports> {
	const n8n = await choosePort('n8n', asked.port, N8N_PORT, []);
	const sandbox = await choosePort('the video service', asked.sandboxPort, SANDBOX_PORT, [n8n]);
	const exclude = [n8n, sandbox];
	const broker = await getPort({ host: '127.0.0.1', port: BROKER_PORTS, exclude });
	return { n8n, sandbox, broker };
}

async function choosePort(
	name: string,
	asked: number | undefined,
	usual: number,
	exclude: number[],
): Promise<number> {
	const port = await getPort({ host: '127.0.0.1', port: asked ?? usual, exclude });
	if (port === (asked ?? usual)) return port;
	if (asked !== undefined) {
		throw new Error(
			`Port ${asked} is in use or not allowed. Stop what uses it, or choose another port for ${name}.`,
		);
	}
	console.log(`  Port ${usual} is in use, so ${name} uses port ${port}.`);
	return port;
}

/** Locks a folder for this process until it ends, and for 5 seconds more after a crash. */
export async function claimFolder(folder: string): Promise<void> {
	mkdirSync(folder, { recursive: true });
	const options = { lockfilePath: join(folder, 'running.lock'), onCompromised: () => undefined };
	await lock(folder, { ...options, stale: 5_000 }).catch(() => {
		const path = relative(process.cwd(), folder);
		throw new Error(
			`This is already running in this project: it uses ${path}. Stop it first. After a crash, wait 5 seconds.`,
		);
	});
}

/** Starts n8n, waits until it responds, and logs in its owner. */
export async function startN8n({
	installation: { node, script },
	userFolder,
	ports,
	env = {},
}: N8nOptions): Promise<N8nClient> {
	const logFile = resolve(userFolder, 'logs', 'n8n.log');
	const client = new N8nClient(`http://127.0.0.1:${ports.n8n}`);
	const settings = { userFolder, node, script, port: ports.n8n, brokerPort: ports.broker };
	await step('Starting n8n', async () => {
		startServer(node, [script, 'start'], {
			name: 'n8n',
			// n8n reads the .env file in the folder where it starts, so that is not the user's folder.
			cwd: userFolder,
			env: { ...buildN8nEnvironment(settings), ...env },
			logFile,
		});
		await whileServersLive(client.waitUntilReady(N8N_TIMEOUT_MS)).catch((error: unknown) => {
			const path = relative(process.cwd(), logFile);
			throw new Error(`${(error as Error).message} See n8n's log: ${path}`);
		});
		await client.setUpOwner(OWNER);
	});
	return client;
}

/**
 * Saves the credential, the examples and the workflows of the demo in n8n. @returns the workflows by
 * file name
 */
export async function furnishN8n(
	client: N8nClient,
	{ apiKey, url }: { apiKey: string; url: string },
): Promise<Map<string, Workflow>> {
	return await step('Setting up the credential and the example workflows', async () => {
		const content = {
			name: 'Local video service',
			type: 'videoGenerationApi',
			data: { apiKey, baseUrl: url },
		};
		const credential = await client.saveCredential(content);
		const test = await client.testCredential(credential.id, content);
		if (test.status !== 'OK') {
			throw new Error(`n8n's test of the credential failed: ${test.message}`);
		}
		const place = async (folder: string) =>
			await placeExamples(client, folder, credential, manifest.name);
		return new Map([...(await place('examples')), ...(await place(join('scripts', 'demo')))]);
	});
}
