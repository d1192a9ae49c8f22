import { join } from 'node:path';
import { serveUntilStopped, startServer } from '../../../../scripts/support/command.mjs';

/**
 * A command that the tests have `scripts/run.mjs` run: a server that never wants to end, or the given
 * code.
 */
export default async function probe([logFile = '', code = '']: string[]): Promise<void> {
	const server = code ? ['-e', code] : [join(import.meta.dirname, 'family.mjs')];
	startServer(process.execPath, server, { name: 'The server', logFile });
	await serveUntilStopped();
}
