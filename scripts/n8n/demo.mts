import { mkdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import axios from 'axios';
import getPort, { portNumbers } from 'get-port';
import { lock } from 'proper-lockfile';
import manifest from '../../package.json' with { type: 'json' };
import { SEED_ACCOUNTS } from '../../sandbox/domain/SEED_ACCOUNTS.js';
import { startServer, whileServersLive } from '../support/processes.mjs';
import { step } from '../support/steps.mjs';
import { waitFor } from '../waitFor.js';
import { buildLocalEnvironment, buildN8nEnvironment } from './environment.js';
import { placeExamples } from './examples.js';
import type { N8nInstallation } from './install.mjs';
import { N8nClient, OWNER } from './N8nClient.js';
import type { Workflow } from './n8nTypes.js';

const N8N_PORT = 5678;
const SANDBOX_PORT = 4010;
const HIGHEST_PORT = 65_535;
const SANDBOX_TIMEOUT_MS = 30_000;
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
	/** Receives each line of n8n's log. */
	onLine?: (line: string) => void;
}

/** Parses the options of a command that starts n8n and the sandbox, e.g. `--once --port 6000`. */
export function parseOptions(args: string[]) {
	try {
		const { values } = parseArgs({
			args,
			options: {
				once: { type: 'boolean', default: false },
				port: { type: 'string' },
				'sandbox-port': { type: 'string' },
			},
		});
		return {
			once: values.once,
			port: parsePort('--port', values.port),
			sandboxPort: parsePort('--sandbox-port', values['sandbox-port']),
		};
	} catch (error) {
		throw new Error(`${(error as Error).message}\nAdd --help to list the options.`);
	}
}

function parsePort(option: string, text: string | undefined): number | undefined {
	if (text === undefined) return undefined;
	const port = Number(text);
	if (/^\d+$/.test(text) && port >= 1 && port <= HIGHEST_PORT) return port;
	throw new Error(`${option} needs a number from 1 to ${HIGHEST_PORT}, not "${text}".`);
}

/** Ports that the system does not give to outgoing connections, since n8n listens only seconds later. */
const BROKER_PORTS = portNumbers(5_680, 5_779);

/** Returns the requested ports or the usual ones. A usual port in use is replaced by a free one. */
export async function choosePorts({
	port,
	sandboxPort,
}: Pick<ReturnType<typeof parseOptions>, 'port' | 'sandboxPort'>): Promise<Ports> {
	const n8n = await choosePort('n8n', '--port', port, N8N_PORT, []);
	const sandbox = await choosePort(
		'the local video service',
		'--sandbox-port',
		sandboxPort,
		SANDBOX_PORT,
		[n8n],
	);
	const exclude = [n8n, sandbox];
	const broker = await getPort({ host: '127.0.0.1', port: BROKER_PORTS, exclude });
	return { n8n, sandbox, broker };
}

async function choosePort(
	name: string,
	option: string,
	asked: number | undefined,
	usual: number,
	exclude: number[],
): Promise<number> {
	const wanted = asked ?? usual;
	const port = await getPort({ host: '127.0.0.1', port: wanted, exclude });
	if (port === wanted) return port;
	if (asked !== undefined) {
		throw new Error(
			`Port ${asked} (${option}) is in use or not allowed. Stop what uses it, or choose another port for ${name}.`,
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

/** Starts the local video service and waits until it responds. @returns its address */
export async function startSandbox(port: number, logFolder: string): Promise<string> {
	const args = ['--import', 'tsx', join('sandbox', 'main.ts'), '--port', String(port)];
	const logFile = join(logFolder, 'sandbox.log');
	const address = `http://127.0.0.1:${port}`;
	// Any response will do: without a key the service refuses, which shows that it runs.
	const options = { validateStatus: () => true, proxy: false, timeout: 1_000 } as const;
	const answers = async () =>
		await axios.get(`${address}/v1/user/account`, options).then(
			() => true,
			() => false,
		);
	await step('Starting the local video service', async () => {
		startServer(process.execPath, args, {
			name: 'The local video service',
			env: buildLocalEnvironment(),
			logFile,
		});
		await whileServersLive(
			waitFor(`the local video service at ${address}`, answers, SANDBOX_TIMEOUT_MS),
		);
	});
	return address;
}

/** Starts n8n, waits until it responds, and logs in its owner. */
export async function startN8n({
	installation: { node, script },
	userFolder,
	ports,
	env = {},
	onLine,
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
			...(onLine ? { onLine } : {}),
		});
		await whileServersLive(client.waitUntilReady(N8N_TIMEOUT_MS)).catch((error: unknown) => {
			const path = relative(process.cwd(), logFile);
			throw new Error(`${(error as Error).message} See n8n's log: ${path}`);
		});
		await client.setUpOwner(OWNER);
	});
	return client;
}

/** Saves the sandbox's credential and the examples in n8n. @returns the examples by file name */
export async function furnishN8n(
	client: N8nClient,
	sandboxAddress: string,
): Promise<Map<string, Workflow>> {
	return await step('Setting up the credential and the example workflows', async () => {
		const content = {
			name: 'Local video service',
			type: 'videoGenerationApi',
			data: { apiKey: SEED_ACCOUNTS.main.apiKey, baseUrl: sandboxAddress },
		};
		const credential = await client.saveCredential(content);
		const test = await client.testCredential(credential.id, content);
		if (test.status !== 'OK') {
			throw new Error(`n8n's test of the credential failed: ${test.message}`);
		}
		return await placeExamples(client, 'examples', credential, manifest.name);
	});
}

/** Returns the addresses, login and logs of the running demo, as text for the user. */
export function describeDemo(client: N8nClient, sandboxAddress: string, logFolder: string): string {
	return [
		'',
		`n8n            ${client.address}`,
		`Login          ${OWNER.email}, password ${OWNER.password}`,
		`Video service  ${sandboxAddress}, API key ${SEED_ACCOUNTS.main.apiKey}`,
		`Logs           ${relative(process.cwd(), logFolder)}`,
	].join('\n');
}
