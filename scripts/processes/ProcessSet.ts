import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { ReadableError } from '../ReadableError';
import { endProcessTree } from './endProcessTree';
import { Guard } from './Guard';
import { readLastLines } from './readLastLines';

export interface CommandOptions {
	cwd: string;
	env: NodeJS.ProcessEnv;
}

export interface PartOptions extends CommandOptions {
	/** What the user knows it by, e.g. "n8n". */
	name: string;
	/** Gets all of its output. */
	logFile: string;
}

const GRACE_MS = 5_000;
const SHOWN_LINES = 20;

/**
 * Everything that this run has started, so that it can all be ended together. Each process leads a
 * group of its own: a Ctrl-C in the terminal reaches only the starter, which then ends them in order.
 */
export class ProcessSet {
	private readonly pids = new Set<number>();
	private readonly guard: Guard;
	private isEnding = false;
	private reportDeath: (error: ReadableError) => void = () => undefined;

	/** Rejects when a part ends that was to run on: says which, with the last lines of its log. */
	readonly partDied = new Promise<never>((_resolve, reject) => {
		this.reportDeath = reject;
	});

	constructor(private readonly graceMs = GRACE_MS) {
		this.guard = new Guard(graceMs);
		// Whoever starts parts awaits it; without parts nobody has to.
		this.partDied.catch(() => undefined);
	}

	/**
	 * Runs a command to its end.
	 * @returns its standard output; rejects with the last lines of all its output when it fails
	 */
	async run(command: string, args: string[], options: CommandOptions): Promise<string> {
		const child = this.start(command, args, options, ['ignore', 'pipe', 'pipe']);
		let stdout = '';
		let all = '';
		child.stdout?.on('data', (chunk: Buffer) => {
			stdout += chunk.toString();
			all += chunk.toString();
		});
		child.stderr?.on('data', (chunk: Buffer) => (all += chunk.toString()));
		const end = await this.waitForCommand(child, command);
		if (end === 'exit code 0') return stdout;
		const commandLine = [command, ...args].join(' ');
		throw new ReadableError(
			`"${commandLine}" failed (${end}):\n${readLastLines(all, SHOWN_LINES)}`,
		);
	}

	/** Runs a command to its end whose own output is what the user wants to see. */
	async runVisibly(command: string, args: string[], options: CommandOptions): Promise<void> {
		const child = this.start(command, args, options, ['ignore', 'inherit', 'inherit']);
		const end = await this.waitForCommand(child, command);
		if (end !== 'exit code 0') {
			throw new ReadableError(`"${[command, ...args].join(' ')}" failed (${end}), see above.`);
		}
	}

	/** Starts a part that is to run until all of it ends. */
	startPart(command: string, args: string[], options: PartOptions): void {
		mkdirSync(dirname(options.logFile), { recursive: true });
		// A file, not a pipe: a part does not suffer when the starter is gone.
		const log = openSync(options.logFile, 'w');
		const child = this.start(command, args, options, ['ignore', log, log]);
		closeSync(log);
		// Its number is kept after its end: what it started may run on in its group.
		void waitForEnd(child, command)
			.catch((error: unknown) => String(error))
			.then((end) => {
				if (!this.isEnding) this.reportDeath(describeDeath(options, end));
			});
	}

	/** Ends all that still runs, and lets nothing start any more. */
	async endAll(): Promise<void> {
		this.isEnding = true;
		const pids = [...this.pids];
		await Promise.all(pids.map((pid) => endProcessTree(pid, this.graceMs)));
		pids.forEach((pid) => {
			this.guard.forget(pid);
		});
		await this.guard.dismiss();
	}

	private start(
		command: string,
		args: string[],
		{ cwd, env }: CommandOptions,
		stdio: ('ignore' | 'pipe' | 'inherit' | number)[],
	): ChildProcess {
		if (this.isEnding) throw new ReadableError('Stopped.');
		const isWindows = process.platform === 'win32';
		// npm is a batch file on Windows, which only a shell can run.
		const child = spawn(command, args, {
			cwd,
			env,
			stdio,
			detached: !isWindows,
			shell: isWindows && command === 'npm',
		});
		if (child.pid !== undefined) {
			this.pids.add(child.pid);
			this.guard.watch(child.pid);
		}
		return child;
	}

	private async waitForCommand(child: ChildProcess, command: string): Promise<string> {
		const end = await waitForEnd(child, command);
		if (child.pid !== undefined) {
			this.pids.delete(child.pid);
			this.guard.forget(child.pid);
		}
		return end;
	}
}

/** How a process ended: `exit code 0`, or the name of the signal. */
async function waitForEnd(child: ChildProcess, command: string): Promise<string> {
	return await new Promise((resolve, reject) => {
		child.once('error', (error) => {
			reject(new ReadableError(`"${command}" could not be started: ${error.message}`));
		});
		child.once('close', (code, signal) => {
			resolve(signal ?? `exit code ${code ?? 'unknown'}`);
		});
	});
}

function describeDeath({ name, logFile }: PartOptions, end: string): ReadableError {
	const lines = readLastLines(readFileSync(logFile, 'utf8'), SHOWN_LINES);
	const shown = lines === '' ? 'It wrote no output.' : `Its last lines were:\n${lines}`;
	const path = relative(process.cwd(), logFile);
	return new ReadableError(
		`${name} has ended by itself (${end}), so everything is ended.\n${shown}\nAll of its output is in ${path}.`,
	);
}
