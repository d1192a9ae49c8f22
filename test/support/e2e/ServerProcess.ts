import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import getPort, { portNumbers } from 'get-port';

const STOP_TIMEOUT_MS = 30_000;

interface ServerCommand {
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
	readonly child: ChildProcess;
	readonly end: Promise<unknown>;

	constructor(private readonly command: ServerCommand) {
		const { file, args, cwd, env, logFile } = command;
		const log = openSync(logFile, 'a');
		// It stays in the group of these tests, which `npm run test:e2e` kills at its end.
		this.child = spawn(file, args, { cwd, env, stdio: ['ignore', log, log] });
		closeSync(log);
		// A program that cannot be started never responds, and the tests then report that.
		this.end = once(this.child, 'exit').catch(() => undefined);
	}

	/** Stops the server as a service manager does. */
	async stop(): Promise<void> {
		this.child.kill(this.command.stopSignal);
		const timer = setTimeout(() => {
			this.kill();
		}, STOP_TIMEOUT_MS);
		await this.end;
		clearTimeout(timer);
	}

	/** Kills the server like a power failure: it writes nothing more. */
	kill(): void {
		this.child.kill('SIGKILL');
	}
}

// The first term tells the runs on one machine apart, the second term the processes of a run.
const block = (process.ppid * 7 + Number(process.env.JEST_WORKER_ID ?? 0)) % 90;
const firstPort = 10_000 + 250 * block;

/**
 * Returns a port for a server that listens only seconds later. It is not one of those that the system
 * gives to outgoing connections (32768 and above on Linux). Two runs of the tests on one machine use
 * different blocks, except by rare coincidence.
 */
export async function findPort(): Promise<number> {
	const port = portNumbers(firstPort, firstPort + 249);
	return await getPort({ host: '127.0.0.1', port, reserve: true });
}
