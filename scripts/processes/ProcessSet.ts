import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { ReadableError } from '../ReadableError';
import { formatDuration } from '../steps/formatDuration';
import { describeDeath } from './describeDeath';
import { endProcessTree } from './endProcessTree';
import { Guard } from './Guard';
import { readLastLines } from './readLastLines';
import { waitForEnd } from './waitForEnd';

export interface CommandOptions {
	cwd: string;
	env: NodeJS.ProcessEnv;
	/** A command that takes longer is ended: no start may hang for ever. */
	timeoutMs?: number;
}

export interface PartOptions extends CommandOptions {
	/** What the user knows it by, e.g. "n8n". */
	name: string;
	/** Gets all of its output. */
	logFile: string;
}

const GRACE_MS = 5_000;
const TIMEOUT_MS = 30 * 60_000;
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
		const end = await this.waitForCommand(child, command, options);
		if (end === 'exit code 0') return stdout;
		const commandLine = [command, ...args].join(' ');
		throw new ReadableError(
			`"${commandLine}" failed (${end}):\n${readLastLines(all, SHOWN_LINES)}`,
		);
	}

	/** Runs a command to its end whose own output is what the user wants to see. */
	async runVisibly(command: string, args: string[], options: CommandOptions): Promise<void> {
		const child = this.start(command, args, options, ['ignore', 'inherit', 'inherit']);
		const end = await this.waitForCommand(child, command, options);
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
				if (!this.isEnding) this.reportDeath(describeDeath(options.name, options.logFile, end));
			});
	}

	/**
	 * Ends all that still runs, and lets nothing start any more.
	 * @returns whether there was anything to end
	 */
	async endAll(): Promise<boolean> {
		this.isEnding = true;
		const pids = [...this.pids];
		await Promise.all(pids.map((pid) => endProcessTree(pid, this.graceMs)));
		pids.forEach((pid) => {
			this.guard.forget(pid);
		});
		await this.guard.dismiss();
		return pids.length > 0;
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

	private async waitForCommand(
		child: ChildProcess,
		command: string,
		{ timeoutMs = TIMEOUT_MS }: CommandOptions,
	): Promise<string> {
		const { pid } = child;
		if (pid === undefined) return await waitForEnd(child, command);
		const startedAt = Date.now();
		const timer = setTimeout(() => {
			void endProcessTree(pid, this.graceMs);
		}, timeoutMs);
		const end = await waitForEnd(child, command);
		clearTimeout(timer);
		this.pids.delete(pid);
		this.guard.forget(pid);
		const isTooLate = Date.now() - startedAt >= timeoutMs;
		return isTooLate ? `ended after ${formatDuration(timeoutMs)}, which is too long` : end;
	}
}
