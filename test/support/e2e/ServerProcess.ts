import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { guardGroup, releaseGroup } from '../../../scripts/support/processGroups';

const STOP_TIMEOUT_MS = 30_000;

export interface ServerCommand {
	file: string;
	args: string[];
	cwd: string;
	env: NodeJS.ProcessEnv;
	/** Gets all that it prints; what is there already is kept. */
	logFile: string;
	/** What asks it to end; SIGTERM by default. */
	stopSignal?: NodeJS.Signals;
}

/** One server that a test has started: it can be asked to end, and be killed outright. */
export class ServerProcess {
	private readonly child: ChildProcess;

	constructor(private readonly command: ServerCommand) {
		const { file, args, cwd, env, logFile } = command;
		const log = openSync(logFile, 'a');
		// A group of its own, so that what it starts itself is killed with it.
		this.child = spawn(file, args, { cwd, env, stdio: ['ignore', log, log], detached: true });
		closeSync(log);
		// A program that cannot be started never answers, which is what the tests then say.
		this.child.on('error', () => undefined);
		if (this.child.pid !== undefined) guardGroup(this.child.pid);
	}

	get pid(): number | undefined {
		return this.child.pid;
	}

	/** As a service manager stops it. */
	async stop(): Promise<void> {
		if (!this.isOver) {
			this.child.kill(this.command.stopSignal ?? 'SIGTERM');
			const timer = setTimeout(() => {
				this.kill();
			}, STOP_TIMEOUT_MS);
			await this.waitForEnd();
			clearTimeout(timer);
		}
		this.forget();
	}

	/** As a power failure ends it: nothing more is written. */
	kill(): void {
		if (this.child.pid !== undefined && !this.isOver) process.kill(-this.child.pid, 'SIGKILL');
	}

	async waitForEnd(): Promise<void> {
		if (!this.isOver) await new Promise((resolve) => this.child.once('exit', resolve));
		this.forget();
	}

	private get isOver(): boolean {
		const { pid, exitCode, signalCode } = this.child;
		return pid === undefined || exitCode !== null || signalCode !== null;
	}

	private forget(): void {
		if (this.child.pid !== undefined) releaseGroup(this.child.pid);
	}
}
