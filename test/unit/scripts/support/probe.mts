import { join } from 'node:path';
import { serveUntilStopped, startServer } from '../../../../scripts/support/processes.mjs';

/** A command that the tests have `scripts/run.mjs` run: a server that never wants to end. */
export default async function probe([logFile = '']: string[]): Promise<void> {
	const family = join(import.meta.dirname, 'family.mjs');
	startServer(process.execPath, [family], { name: 'The family', logFile });
	await serveUntilStopped();
}
