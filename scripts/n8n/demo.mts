import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import getPort, { portNumbers } from 'get-port';
import { lock } from 'proper-lockfile';
import manifest from '../../package.json' with { type: 'json' };
import { startServer, whileServersLive, step } from '../support/command.mjs';
import { buildN8nEnvironment } from './environment.js';
import type { N8nInstallation } from './install.mjs';
import { N8nClient } from './N8nClient.js';
import type { Workflow, WorkflowContent } from './n8nTypes.js';
import { getPasswordFile, provideOwner } from './owner.js';

/** The first start also creates the database. */
const N8N_TIMEOUT_MS = 180_000;

/**
 * Maximum length of a workflow ID: n8n silently saves no static data for a workflow with a longer one. In that
 * data, a trigger keeps the videos that it has already emitted.
 */
const MAX_ID_LENGTH = 21;

type Ports = Awaited<ReturnType<typeof choosePorts>>;

interface N8nOptions {
	installation: N8nInstallation;
	/** Holds all data of n8n, and the logs. */
	userFolder: string;
	ports: Ports;
	env?: Record<string, string>;
}

/** Ports that the system does not give to outgoing connections, since n8n listens only seconds later. */
const BROKER_PORTS = portNumbers(5_680, 5_779);

/** Returns the usual ports. One in use is replaced by a free one. `broker` is that of n8n's task runner. */
export async function choosePorts() {
	const choose = (port: number | Iterable<number>) => getPort({ host: '127.0.0.1', port });
	const [n8n, sandbox] = [await choose(5678), await choose(4010)];
	return { n8n, sandbox, broker: await choose(BROKER_PORTS) };
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
	const client = new N8nClient(`http://127.0.0.1:${ports.n8n}`, provideOwner(userFolder));
	const settings = { userFolder, node, script, port: ports.n8n, brokerPort: ports.broker };
	await step('Starting n8n', async () => {
		startServer(node, [script, 'start'], {
			name: 'n8n',
			// n8n reads the .env file in the folder where it starts, so that is not the user's folder.
			cwd: userFolder,
			env: { ...buildN8nEnvironment(settings), ...env },
			logFile: join(userFolder, 'logs', 'n8n.log'),
		});
		await whileServersLive(client.waitUntilReady(N8N_TIMEOUT_MS));
		await client.setUpOwner().catch((error: unknown) => {
			const folder = relative(process.cwd(), userFolder);
			const file = getPasswordFile(folder);
			throw new Error(
				`${(error as Error).message}\nIf ${client.owner.email} has another password than the one in ${file}, write it there, or delete ${folder} to start over.`,
			);
		});
	});
	return client;
}

/**
 * Saves the credential, and the workflows of the folders with it in every node of this package. The ID of each
 * is its file's name, so saving it again resets it to its file.
 * @returns the workflows by their file name without extension
 */
export async function furnishN8n(
	client: N8nClient,
	{ name, apiKey, url }: { name: string; apiKey: string; url: string },
	folders: string[],
): Promise<Map<string, Workflow>> {
	return await step('Setting up the credential and the example workflows', async () => {
		const data = { apiKey, baseUrl: url };
		const type = 'videoGenerationApi';
		const { id } = await client.saveCredential({ name, type, data });
		const credentials = { [type]: { id, name } };
		const workflows = new Map<string, Workflow>();
		for (const path of folders.flatMap(listWorkflowFiles)) {
			const content = JSON.parse(readFileSync(path, 'utf8')) as WorkflowContent;
			const nodes = content.nodes.map((node) =>
				node.type.startsWith(`${manifest.name}.`) ? { ...node, credentials } : node,
			);
			const file = basename(path, '.json');
			const workflowId = file.slice(0, MAX_ID_LENGTH);
			workflows.set(file, await client.saveWorkflow(workflowId, { ...content, nodes }));
		}
		return workflows;
	});
}

function listWorkflowFiles(folder: string): string[] {
	const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
	return files.sort().map((file) => join(folder, file));
}
