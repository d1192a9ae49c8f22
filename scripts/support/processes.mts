import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { execa, type Options, type ResultPromise } from 'execa';
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
}

/** The default export of a command file in `scripts/`. @returns the exit code; undefined means 0 */
type Command = (args: string[]) => Promise<unknown>;

/** Maximum duration of a command, so that it cannot hang forever. */
const TIMEOUT_MS = 30 * 60_000;
const SHOWN_LINES = 20;
/** Time that a process has to end its own children before all of them are killed. */
const GRACE_MS = 5_000;
const LOOK_AGAIN_MS = 250;

const running = new Set<number>();
let isServing = false;
let isEnding = false;
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
	const child = start(file, args, { ...options, all: true, timeout: TIMEOUT_MS });
	const { failed, shortMessage, stdout, all } = await child;
	if (failed) throw new Error(`${shortMessage}\n${getLastLines(String(all))}`);
	return String(stdout);
}

/** Runs a command and shows its output to the user. @returns its exit code */
export async function runVisibly(
	file: string,
	args: string[] = [],
	options: CommandOptions = {},
): Promise<number> {
	const child = start(file, args, { ...options, stdout: 'inherit', stderr: 'inherit' });
	const { exitCode, shortMessage } = await child;
	if (exitCode === undefined) throw new Error(shortMessage);
	return exitCode;
}

/**
 * Starts a server that runs to the end of the command. If it exits earlier, everything is ended.
 */
export function startServer(
	file: string,
	args: string[],
	{ name, logFile, ...options }: ServerOptions,
): void {
	mkdirSync(dirname(logFile), { recursive: true });
	const log = openSync(logFile, 'w');
	// execa accepts any file descriptor, although its types do not.
	const output = log as 1;
	const child = start(file, args, { ...options, stdout: output, stderr: output, buffer: false });
	closeSync(log);
	void child.then(({ shortMessage, exitCode }) => {
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

function start(file: string, args: string[], options: Options): ResultPromise {
	if (isEnding) throw new Error('Stopped.');
	const child = execa(file, args, {
		preferLocal: true,
		extendEnv: false,
		env: process.env,
		reject: false,
		stdin: 'ignore',
		// Each child has its own process group: Ctrl-C in the terminal reaches this process alone,
		// which ends its children and what they have started.
		detached: true,
		cleanup: false,
		...options,
	});
	const { pid } = child;
	if (pid !== undefined) {
		running.add(pid);
		void child.then(() => {
			// What it has started may still run.
			send(-pid, 'SIGKILL');
			running.delete(pid);
		});
	}
	return child;
}

/** Asks a child to end, and kills its whole group if it has not done so after a while. */
async function end(pid: number): Promise<void> {
	send(pid, 'SIGTERM');
	const killAt = Date.now() + GRACE_MS;
	while (running.has(pid) && Date.now() < killAt) await delay(LOOK_AGAIN_MS / 5);
	send(-pid, 'SIGKILL');
}

function send(pid: number, signal: NodeJS.Signals): void {
	try {
		process.kill(pid, signal);
	} catch {
		// It has ended already.
	}
}

/** Returns the last lines without colours, which mean nothing in a message. */
function getLastLines(output: string): string {
	return stripVTControlCharacters(output).trimEnd().split('\n').slice(-SHOWN_LINES).join('\n');
}

/** Runs until the command is stopped: the last step of a command that serves. */
export async function serveUntilStopped(): Promise<never> {
	isServing = true;
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
	let exitCode: number;
	try {
		exitCode = Number((await Promise.race([work, serverDied, waitForStop()])) ?? 0);
	} catch (error) {
		const description = describe(error);
		if (description) console.error(`\n${description}`);
		exitCode = 1;
	}
	isEnding = true;
	const leaders = [...running];
	await Promise.all(leaders.map(end));
	if (leaders.length > 0) console.log('Everything is stopped.');
	// An interrupted command removes its half-filled folders.
	if (!isServing) await Promise.race([work.catch(() => undefined), delay(GRACE_MS)]);
	process.exit(exitCode);
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

/** @returns the exit code, once this process is told to stop */
async function waitForStop(): Promise<number> {
	return await new Promise((resolve) => {
		const stop = (reason: string, exitCode: number) => {
			console.log(`\n${reason}: stopping.`);
			resolve(isServing ? 0 : exitCode);
		};
		// The listeners stay: a second Ctrl-C must not end this process before its children.
		for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
			process.on(signal, () => {
				stop(signal, 128 + constants.signals[signal]);
			});
		}
		// npm sends no signal when it is killed outright.
		const parent = process.ppid;
		const watch = setInterval(() => {
			if (process.ppid === parent) return;
			clearInterval(watch);
			stop('npm has ended', 128 + constants.signals.SIGTERM);
		}, LOOK_AGAIN_MS).unref();
	});
}
