import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { execa, type Options, type ResultPromise } from 'execa';
import { Listr, PRESET_TIMER } from 'listr2';

/** The default export of a command file in `scripts/`. @returns the exit code; undefined means 0 */
type Command = (args: string[]) => Promise<unknown>;

type CommandOptions = Pick<Options, 'cwd' | 'env'>;

interface RunOptions extends CommandOptions {
	/** How many of the last lines of its output the error of a failure shows. */
	shownLines?: number;
}

interface ServerOptions extends CommandOptions {
	/** The name that the user knows, e.g. "n8n". */
	name: string;
	/** Receives all output of the server. */
	logFile: string;
}

/** The failure of a step; its message has already been shown. */
class StepFailed extends Error {}

/** The reason to stop when the user or the system asks for it. */
class Interrupted extends Error {}

/** Time that an interrupted command has to remove its half-filled folders. */
const GRACE_MS = 5_000;
const SHOWN_LINES = 20;
const CHECK_PARENT_MS = 250;

/** listr2's options: this file handles the signals. */
export const STEP_OPTIONS = {
	registerSignalListeners: false,
	rendererOptions: { timer: PRESET_TIMER },
	fallbackRendererOptions: { timer: PRESET_TIMER },
};

const children: ResultPromise[] = [];
/** Ends all children. The reason is an `Interrupted`, or the error of a server that has exited. */
const stopping = new AbortController();
const stopped = once(stopping.signal, 'abort').then(() => {
	throw stopping.signal.reason as Error;
});
stopped.catch(() => undefined);

/** Runs a step and shows its title, its duration, and its error if it fails. */
export async function step<Result>(title: string, work: () => Promise<Result>): Promise<Result> {
	const task = async (context: { result: Result }) => {
		context.result = await work();
	};
	const list = new Listr<{ result: Result }>([{ title, task }], STEP_OPTIONS);
	return await list.run().then(
		({ result }) => result,
		(cause: unknown) => Promise.reject(new StepFailed(title, { cause })),
	);
}

/**
 * Runs a command to its end; programs of node_modules are found by their name.
 * @returns its standard output
 * @throws Error with the last lines of all its output when it fails
 */
export async function run(
	file: string,
	args: string[],
	{ shownLines, ...options }: RunOptions = {},
) {
	const result = await start(file, args, { ...options, all: true });
	stopping.signal.throwIfAborted();
	const { failed, shortMessage, stdout, all } = result;
	if (failed) throw new Error(`${shortMessage}\n${getLastLines(String(all), shownLines)}`);
	return String(stdout);
}

/** Runs a command and shows its output to the user. @returns its exit code */
export async function runVisibly(file: string, args: string[], options: CommandOptions = {}) {
	const shown = { ...options, stdout: 'inherit', stderr: 'inherit' } as const;
	const { exitCode, shortMessage } = await start(file, args, shown);
	stopping.signal.throwIfAborted();
	if (exitCode === undefined) throw new Error(shortMessage);
	return exitCode;
}

/**
 * Starts a server that runs to the end of the command. If it exits earlier, everything is ended.
 * @returns a function that stops it
 */
export function startServer(
	file: string,
	args: string[],
	options: ServerOptions,
): () => Promise<void> {
	const { name, logFile, ...others } = options;
	mkdirSync(dirname(logFile), { recursive: true });
	const output = { stdout: { file: logFile }, stderr: { file: logFile }, buffer: false };
	let isWanted = true;
	const child = start(file, args, { ...others, ...output });
	void child.then(({ shortMessage = 'exit code 0' }) => {
		if (!isWanted) return;
		const lines = getLastLines(readFileSync(logFile, 'utf8')) || '(nothing)';
		const path = relative(process.cwd(), logFile);
		stopping.abort(
			new Error(
				`${name} stopped unexpectedly (${shortMessage}), so everything was stopped.\nIts last lines:\n${lines}\nFull log: ${path}`,
			),
		);
	});
	return async () => {
		isWanted = false;
		// As Ctrl+C in a terminal does: npm ends at SIGTERM before what it has started has ended its own servers.
		process.kill(-Number(child.pid), 'SIGINT');
		await child;
	};
}

/** Waits for work that needs the servers. @throws Error when one of them exits */
export async function whileServersLive<Result>(work: Promise<Result>): Promise<Result> {
	return await Promise.race([work, stopped]);
}

/** Runs until the command is stopped: the last step of a command that serves. */
export async function serveUntilStopped(): Promise<void> {
	console.log('\nPress Ctrl+C to stop.');
	await stopped.catch((reason: unknown) => {
		if (!(reason instanceof Interrupted)) throw reason;
	});
}

/**
 * Runs a whole command and ends this process when the command is done, on Ctrl-C or another signal,
 * when npm has ended, or when a server has exited. Everything that was started is ended first.
 */
export async function runCommand(name: string, args: string[]): Promise<never> {
	const { default: command } = (await import(`../${name}.mts`)) as { default: Command };
	listenForStop();
	const expired = stopped.finally(() => delay(GRACE_MS));
	const exitCode = await Promise.race([command(args), expired]).catch(describe);
	stopping.abort();
	await Promise.all(children);
	process.exit(Number(exitCode ?? 0));
}

function listenForStop(): void {
	const stop = (reason: string) => {
		if (!stopping.signal.aborted) console.log(`\n${reason}: stopping.`);
		stopping.abort(new Interrupted(reason));
	};
	// The listeners stay: a second Ctrl-C must not end this process before its children.
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
	// npm sends no signal when it is killed outright.
	const parent = process.ppid;
	setInterval(() => {
		if (process.ppid !== parent) stop('npm has ended');
	}, CHECK_PARENT_MS);
}

/**
 * Shows an error to the user, unless its step has done so. A plain `Error`, and one of Node.js, such as an
 * unknown option, has a message for the user; any other kind is a bug of this project, so its stack is shown.
 * @returns the exit code
 */
function describe(error: unknown): number {
	const cause = error instanceof StepFailed ? error.cause : error;
	const isPlain = cause instanceof Error && (cause.constructor === Error || 'code' in cause);
	if (isPlain && cause === error) console.error(`\n${cause.message}`);
	if (!isPlain && !(cause instanceof Interrupted)) console.error(cause);
	return 1;
}

function start(file: string, args: string[], options: Options): ResultPromise {
	const child = execa(file, args, {
		preferLocal: true,
		extendEnv: false,
		env: process.env,
		reject: false,
		stdin: 'ignore',
		cancelSignal: stopping.signal,
		// Each child has its own process group: Ctrl-C in the terminal reaches this process alone,
		// which ends its children and what they have started.
		detached: true,
		...options,
	});
	child.once('exit', () => {
		try {
			// execa ends the child alone.
			process.kill(-Number(child.pid), 'SIGKILL');
		} catch {
			// It has started nothing, or nothing of it runs.
		}
	});
	children.push(child);
	return child;
}

function getLastLines(output: string, count = SHOWN_LINES): string {
	return output.trimEnd().split('\n').slice(-count).join('\n');
}
