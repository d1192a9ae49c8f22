import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { choosePorts, claimFolder } from '../../../../scripts/n8n/demo.mjs';
import { installInCache } from '../../../../scripts/support/cache.mjs';
import { run, serveUntilStopped, startServer } from '../../../../scripts/support/processes.mjs';
import { step } from '../../../../scripts/support/steps.mjs';

/** A server that never wants to end. */
async function serve([logFile = '']: string[]): Promise<void> {
	const family = join(import.meta.dirname, 'family.mjs');
	startServer(process.execPath, [family], { name: 'The family', logFile });
	await serveUntilStopped();
}

/** A server that ends by itself. */
async function die([logFile = '']: string[]): Promise<void> {
	const script = 'console.log("out of ink"); process.exit(7)';
	startServer(process.execPath, ['-e', script], { name: 'The printer', logFile });
	await serveUntilStopped();
}

/** A step with a command that fails after many lines. */
async function fail(): Promise<void> {
	const script =
		'for (let i = 1; i <= 100; i++) console.log("line " + i); console.error("no room"); process.exitCode = 3';
	await step('Making room', () => run(process.execPath, ['-e', script]));
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

async function ports([port, sandboxPort]: string[]): Promise<void> {
	const asked = { port: Number(port) || undefined, sandboxPort: Number(sandboxPort) || undefined };
	console.log(JSON.stringify(await choosePorts(asked)));
}

async function claim([folder = '']: string[]): Promise<void> {
	await claimFolder(folder);
	await serveUntilStopped();
}

const PROBES: Record<string, (args: string[]) => Promise<void>> = {
	...{ serve, die, fail, install, ports, claim },
};

/** What the tests have `scripts/run.mjs` run, each by its name. */
export default async function probe([name = '', ...args]: string[]): Promise<void> {
	await PROBES[name]?.(args);
}
