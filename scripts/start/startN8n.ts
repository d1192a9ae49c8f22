import { join, relative } from 'node:path';
import { N8nClient } from '../n8n/N8nClient';
import { buildN8nEnvironment, type N8nSettings } from '../n8n/buildN8nEnvironment';
import { findN8nBinary } from '../n8n/findN8nBinary';
import type { ProcessSet } from '../processes/ProcessSet';
import { ReadableError } from '../ReadableError';

/** The first start also creates the database. */
const TIMEOUT_MS = 180_000;

/** Starts n8n and waits until it answers. */
export async function startN8n(
	n8nFolder: string,
	settings: N8nSettings,
	logFolder: string,
	processes: ProcessSet,
): Promise<N8nClient> {
	const logFile = join(logFolder, 'n8n.log');
	processes.startPart(settings.node, [findN8nBinary(n8nFolder), 'start'], {
		name: 'n8n',
		// Not the user's folder: n8n reads the .env file where it is started.
		cwd: settings.userFolder,
		env: buildN8nEnvironment(settings),
		logFile,
	});
	const client = new N8nClient(`http://127.0.0.1:${settings.port}`);
	await client.waitUntilReady(TIMEOUT_MS).catch((error: unknown) => {
		const path = relative(process.cwd(), logFile);
		throw new ReadableError(`${(error as Error).message} All of its output is in ${path}.`);
	});
	return client;
}
