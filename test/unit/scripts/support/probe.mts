import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installInCache } from '../../../../scripts/support/cache.mjs';
import { run, serveUntilStopped, startServer } from '../../../../scripts/support/processes.mjs';

/** A server that never wants to end. */
async function serve([logFile = '']: string[]): Promise<void> {
	const family = join(import.meta.dirname, 'family.mjs');
	startServer(process.execPath, [family], { name: 'The family', logFile });
	await serveUntilStopped();
}

/** An installation that takes a while, and fails where `ending` says so. */
async function install([ending]: string[]): Promise<void> {
	const folder = await installInCache('tool', { 'package.json': '{}' }, async (cwd) => {
		console.log('installing');
		await run(process.execPath, ['-e', 'setTimeout(() => undefined, 1500)']);
		if (ending === 'fail') throw new Error('the line is cut');
		writeFileSync(join(cwd, 'result'), 'complete');
	});
	console.log(`folder ${folder}`);
}

const PROBES: Record<string, (args: string[]) => Promise<void>> = {
	...{ serve, install },
};

/** What the tests have `scripts/run.mjs` run, each by its name. */
export default async function probe([name = '', ...args]: string[]): Promise<void> {
	await PROBES[name]?.(args);
}
