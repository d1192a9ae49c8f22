import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';

const STOP_TIMEOUT_MS = 30_000;

export interface ServerCommand {
	file: string;
	args: string[];
	cwd: string;
	env: NodeJS.ProcessEnv;
	/** The file that receives all output; its existing content is kept. */
	logFile: string;
	/** The signal that asks the server to stop; SIGTERM by default. */
	stopSignal?: NodeJS.Signals;
}

/** A server that a test has started. It can be stopped or killed. */
export class ServerProcess {
	private readonly child: ChildProcess;

	constructor(private readonly command: ServerCommand) {
		const { file, args, cwd, env, logFile } = command;
		const log = openSync(logFile, 'a');
		// It stays in the group of these tests, which `npm run test:e2e` kills at its end.
		this.child = spawn(file, args, { cwd, env, stdio: ['ignore', log, log] });
		closeSync(log);
		// A program that cannot be started never responds, and the tests then report that.
		this.child.on('error', () => undefined);
	}

	get pid(): number | undefined {
		return this.child.pid;
	}

	/** Stops the server as a service manager does. */
	async stop(): Promise<void> {
		if (!this.isOver) {
			this.child.kill(this.command.stopSignal ?? 'SIGTERM');
			const timer = setTimeout(() => {
				this.kill();
			}, STOP_TIMEOUT_MS);
			await this.waitForEnd();
			clearTimeout(timer);
		}
	}

	/** Kills the server like a power failure: it writes nothing more. */
	kill(): void {
		this.child.kill('SIGKILL');
	}

	async waitForEnd(): Promise<void> {
		if (!this.isOver) await new Promise((resolve) => this.child.once('exit', resolve));
	}

	private get isOver(): boolean {
		const { pid, exitCode, signalCode } = this.child;
		return pid === undefined || exitCode !== null || signalCode !== null;
	}
}
