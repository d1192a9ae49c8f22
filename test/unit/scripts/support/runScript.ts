import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { waitFor } from '../../../../scripts/waitFor';

const TIMEOUT_MS = 20_000;
const PROBE = '../test/unit/scripts/support/probe';

export interface Run {
	child: ChildProcess;
	getOutput: () => string;
	waitForOutput: (text: string) => Promise<void>;
	/** Settles with the exit code. */
	ended: Promise<number | null>;
}

/** A command as `npm run` calls it, without the npm around it. */
export function runScript(args: string[], env: Record<string, string> = {}): Run {
	return watch(
		spawn(process.execPath, ['scripts/run.mjs', ...args], { env: { ...process.env, ...env } }),
	);
}

/** One of the functions in `probe.mts`, as a command. */
export function runProbe(name: string, args: string[] = [], env: Record<string, string> = {}): Run {
	return runScript([PROBE, name, ...args], env);
}

/** A probe whose parent is a process of its own, as npm is. */
export function runProbeBelowParent(name: string, args: string[]): Run {
	const script = `
		const { spawn } = require('node:child_process');
		spawn(process.execPath, ${JSON.stringify(['scripts/run.mjs', PROBE, name, ...args])}, { stdio: 'inherit' });
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
