import { readFileSync, mkdirSync, openSync, closeSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { execa, type Options, type ResultPromise } from 'execa';
import { endGroup, guardGroup, isRunning, releaseGroup } from './processGroups.js';
import { StepFailed } from './steps.mjs';

export interface CommandOptions {
	cwd?: string;
	env?: NodeJS.ProcessEnv;
}

export interface ServerOptions extends CommandOptions {
	/** The name that the user knows, e.g. "n8n". */
	name: string;
	/** Receives all output of the server. */
	logFile: string;
	/** Receives each line of that output, too. */
	onLine?: (line: string) => void;
}

/** The default export of a command file in `scripts/`. @returns the exit code; undefined means 0 */
type Command = (args: string[]) => Promise<unknown>;

/** Maximum duration of a command, so that it cannot hang forever. */
const TIMEOUT_MS = 30 * 60_000;
const SHOWN_LINES = 20;
const LOOK_AGAIN_MS = 250;
/** Time that an interrupted command has to remove its half-filled folders. */
const CLEAN_UP_MS = 15_000;
/**
 * Time to wait for a server's exit after an error: a request may fail a moment before the exit is
 * noticed, and the exit explains more.
 */
const DEATH_NOTICE_MS = 500;

const running = new Set<number>();
let state: 'starting' | 'serving' | 'ending' = 'starting';
let reportDeath: (error: Error) => void = () => undefined;
const serverDied = new Promise<never>((_resolve, reject) => (reportDeath = reject));
serverDied.catch(() => undefined);

/**
 * Runs a command to its end; programs of node_modules are found by their name.
 * @returns its standard output
 * @throws Error with the last lines of all its output when it fails
 */
export async function run(
	file: string,
	args: string[] = [],
	options: CommandOptions = {},
): Promise<string> {
	const child = start(file, args, { ...options, stdin: 'ignore', all: true, timeout: TIMEOUT_MS });
	const { failed, shortMessage, stdout, all } = await child;
	await forget(child, failed);
	if (failed) throw new Error(`${shortMessage}\n${getLastLines(String(all))}`);
	return String(stdout);
}

/** Runs a command and shows its output to the user. @returns its exit code */
export async function runVisibly(
	file: string,
	args: string[] = [],
	options: CommandOptions = {},
): Promise<number> {
	const child = start(file, args, {
		...options,
		stdin: 'ignore',
		stdout: 'inherit',
		stderr: 'inherit',
	});
	const { failed, exitCode, shortMessage } = await child;
	await forget(child, failed);
	if (failed && exitCode === undefined) throw new Error(shortMessage);
	return exitCode ?? 0;
}

/**
 * Starts a server that runs to the end of the command. If it exits earlier, everything is ended.
 */
export function startServer(
	file: string,
	args: string[],
	{ name, logFile, onLine, ...options }: ServerOptions,
): void {
	mkdirSync(dirname(logFile), { recursive: true });
	// The output passes through this process only if its lines are wanted.
	const log = onLine ? undefined : openSync(logFile, 'w');
	// execa accepts any file descriptor, although its types do not.
	const output = (log as 1 | undefined) ?? [{ file: logFile }, 'pipe' as const];
	const child = start(file, args, {
		...options,
		stdin: 'ignore',
		stdout: output,
		stderr: output,
		...(onLine ? { all: true } : {}),
		buffer: false,
	});
	if (log !== undefined) closeSync(log);
	if (onLine) void forwardLines(child, onLine);
	// The process id is kept after the exit: its group may still have members.
	void child.then(({ shortMessage, exitCode }) => {
		if (state === 'ending') return;
		const end = shortMessage ?? `exit code ${exitCode ?? 0}`;
		const lines = getLastLines(readFileSync(logFile, 'utf8')) || '(nothing)';
		const path = relative(process.cwd(), logFile);
		reportDeath(
			new Error(
				`${name} stopped unexpectedly (${end}), so everything was stopped.\nIts last lines:\n${lines}\nFull log: ${path}`,
			),
		);
	});
}

/** Waits for work that needs the servers. @throws Error when one of them exits */
export async function whileServersLive<Result>(work: Promise<Result>): Promise<Result> {
	return await Promise.race([work, serverDied]);
}

async function forwardLines(child: ResultPromise, onLine: (line: string) => void): Promise<void> {
	for await (const line of child.iterable({ from: 'all' })) onLine(String(line));
}

function start(file: string, args: string[], options: Options): ResultPromise {
	if (state === 'ending') throw new Error('Stopped.');
	const child = execa(file, args, {
		preferLocal: true,
		extendEnv: false,
		env: process.env,
		reject: false,
		// Each child has its own process group: Ctrl-C in the terminal reaches this process alone,
		// which ends its children in order.
		detached: process.platform !== 'win32',
		cleanup: false,
		...options,
	});
	if (child.pid !== undefined) {
		running.add(child.pid);
		guardGroup(child.pid);
	}
	return child;
}

async function forget({ pid }: ResultPromise, mayHaveLeftSome: boolean): Promise<void> {
	if (pid === undefined) return;
	if (mayHaveLeftSome) await endGroup(pid, 0);
	running.delete(pid);
	releaseGroup(pid);
}

/** Returns the last lines without colours, which mean nothing in a message. */
function getLastLines(output: string): string {
	return stripVTControlCharacters(output).trimEnd().split('\n').slice(-SHOWN_LINES).join('\n');
}

/** Runs until the command is stopped: the last step of a command that serves. */
export async function serveUntilStopped(): Promise<never> {
	state = 'serving';
	console.log('\nPress Ctrl+C to stop.');
	// A pending promise does not keep a process running.
	setInterval(() => undefined, TIMEOUT_MS);
	return await new Promise<never>(() => undefined);
}

/**
 * Runs a whole command and ends this process when the command is done, on Ctrl-C or another signal,
 * when npm has ended, or when a server has exited. Everything that was started is ended first.
 */
export async function runCommand(name: string, args: string[]): Promise<never> {
	const { default: command } = (await import(`../${name}.mts`)) as { default: Command };
	const work = command(args);
	let exitCode = 0;
	try {
		const stop = await Promise.race([work.then(() => undefined), serverDied, waitForStop()]);
		if (stop) {
			console.log(`\n${stop.reason}: stopping.`);
			exitCode = isServing() ? 0 : stop.exitCode;
		} else {
			exitCode = Number((await work) ?? 0);
		}
	} catch (error) {
		const death = await Promise.race([serverDied, delay(DEATH_NOTICE_MS)]).catch(
			(reason: unknown) => reason,
		);
		const description = describe(death ?? error);
		if (description) console.error(`\n${description}`);
		exitCode = 1;
	}
	const wasServing = isServing();
	state = 'ending';
	reportDeath(new Error('Stopped.'));
	const leaders = [...running];
	await Promise.all(leaders.map((leader) => endGroup(leader)));
	if (leaders.length > 0) console.log('Everything is stopped.');
	if (!wasServing) await Promise.race([work.catch(() => undefined), delay(CLEAN_UP_MS)]);
	process.exit(exitCode);
}

/** Keeps TypeScript from narrowing `state`, which other code may have changed in the meantime. */
function isServing(): boolean {
	return state === 'serving';
}

/**
 * Describes an error for the user. A plain `Error` has a message for the user; any other kind is a
 * bug of this project, so its stack is shown.
 */
function describe(error: unknown): string {
	const isShown = error instanceof StepFailed;
	const cause = isShown ? error.cause : error;
	if (!(cause instanceof Error)) return String(cause);
	if (cause.constructor !== Error) return cause.stack ?? cause.message;
	return isShown ? '' : cause.message;
}

async function waitForStop(): Promise<{ reason: string; exitCode: number }> {
	return await new Promise((resolve) => {
		// The listeners stay: a second Ctrl-C must not end this process before its children.
		for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
			process.on(signal, () => {
				resolve({ reason: signal, exitCode: 128 + constants.signals[signal] });
			});
		}
		// npm sends no signal when it is killed outright.
		const parents = process.env.npm_lifecycle_event === undefined ? [] : findParents();
		setInterval(() => {
			if (parents.every(isRunning)) return;
			resolve({ reason: 'npm has ended', exitCode: 128 + constants.signals.SIGTERM });
		}, LOOK_AGAIN_MS).unref();
	});
}

/** Returns the ids of npm and of its shell, unless the shell has replaced itself by the script. */
function findParents(): number[] {
	try {
		const stat = readFileSync(`/proc/${process.ppid}/stat`, 'utf8');
		const [, name = '', grandparent] = /\((.*)\) \S (\d+)/.exec(stat) ?? [];
		if (/^(ba|da|z|k|a)?sh$/.test(name)) return [process.ppid, Number(grandparent)];
	} catch {
		// Only Linux has /proc; elsewhere the shell replaces itself.
	}
	return [process.ppid];
}
