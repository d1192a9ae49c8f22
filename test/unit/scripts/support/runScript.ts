import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { waitFor } from '../../../../scripts/waitFor';

const TIMEOUT_MS = 60_000;
const PROBE = '../test/unit/scripts/support/probe';

export interface Run {
	child: ChildProcess;
	getOutput: () => string;
	waitForOutput: (text: string) => Promise<void>;
	/** Settles with the exit code. */
	ended: Promise<number | null>;
}

/** Runs a command as `npm run` does, without the npm around it. */
export function runScript(args: string[], env: Record<string, string> = {}): Run {
	return watch(
		spawn(process.execPath, ['scripts/run.mjs', ...args], { env: { ...process.env, ...env } }),
	);
}

/** Runs one of the functions in `probe.mts` as a command. */
export function runProbe(name: string, args: string[] = [], env: Record<string, string> = {}): Run {
	return runScript([PROBE, name, ...args], env);
}

/** Runs a probe in a shell below another process, as npm runs a script. */
export function runProbeBelowParent(name: string, args: string[]): Run {
	const command = [process.execPath, 'scripts/run.mjs', PROBE, name, ...args];
	const quoted = command.map((part) => `'${part}'`).join(' ');
	const script = `
		require('node:child_process').spawn('sh', ['-c', ${JSON.stringify(`${quoted}; true`)}], { stdio: 'inherit' });
		setInterval(() => undefined, 1000);`;
	return watch(
		spawn(process.execPath, ['-e', script], {
			env: { ...process.env, npm_lifecycle_event: 'start' },
		}),
	);
}

function watch(child: ChildProcess): Run {
	let output = '';
	child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
	child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
	const ended = once(child, 'close').then(([code]) => code as number | null);
	return {
		child,
		getOutput: () => output,
		waitForOutput: async (text) => {
			await waitFor(`"${text}"`, () => output.includes(text), TIMEOUT_MS);
		},
		ended,
	};
}
