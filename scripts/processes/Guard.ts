import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

/**
 * A process that outlives this one when it is killed outright and so cannot end what it has started:
 * the guard then does. It learns of the end by its input, which the system closes.
 */
export class Guard {
	private child: ChildProcess | undefined;

	constructor(private readonly graceMs: number) {}

	/** From now on this process, the leader of a group, is ended when we are gone. */
	watch(pid: number): void {
		this.child ??= start(this.graceMs);
		this.child.stdin?.write(`+${pid}\n`);
	}

	forget(pid: number): void {
		this.child?.stdin?.write(`-${pid}\n`);
	}

	/** Lets the guard end what is left, and waits for its own end. */
	async dismiss(): Promise<void> {
		const child = this.child;
		// What is watched from now on gets a guard of its own.
		this.child = undefined;
		if (child?.exitCode !== null || child.signalCode !== null) return;
		await new Promise<void>((resolve) => {
			child.once('close', () => {
				resolve();
			});
			child.stdin?.end();
		});
	}
}

function start(graceMs: number): ChildProcess {
	const script = join(__dirname, 'guardProcesses.ts');
	const child = spawn(process.execPath, ['--import', 'tsx', script, String(graceMs)], {
		cwd: process.cwd(),
		stdio: ['pipe', 'ignore', 'ignore'],
		// A Ctrl-C in the terminal is not meant for it.
		detached: true,
	});
	// Without its guard the starter still ends everything itself, short of being killed outright.
	child.on('error', () => undefined);
	child.stdin.on('error', () => undefined);
	return child;
}
