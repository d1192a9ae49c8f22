import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessSet } from '../processes/ProcessSet';
import { ReadableError } from '../ReadableError';
import { startDemo } from './startDemo';
import type { StartOptions } from './readStartOptions';
import { waitForStop } from './waitForStop';

const DEATH_NOTICE_MS = 500;
/** An interrupted installation removes its half-filled folder, which takes a moment. */
const CLEAN_UP_MS = 15_000;

/**
 * Runs the demo to its end: after the example with `--once`, else at a Ctrl-C, another signal, or the
 * death of a part. Whatever ends it, all processes are ended before this returns.
 * @returns the exit code
 */
export async function runUntilStopped(
	options: StartOptions,
	processes: ProcessSet,
): Promise<number> {
	const state = { isReady: false };
	const demo = startDemo(options, processes).then(async () => {
		state.isReady = true;
		if (options.once) return 0;
		console.log('\nCtrl-C ends all of it.');
		// A server that only waits to be stopped.
		return await new Promise<never>(() => undefined);
	});
	// Once stopped, what it still wanted to do fails, and nobody has to know.
	demo.catch(() => undefined);
	try {
		const outcome = await Promise.race([demo, processes.partDied, waitForStop(), waitForCrash()]);
		if (typeof outcome === 'number') return outcome;
		console.log(`\n${outcome.reason}: ending everything.`);
		return state.isReady ? 0 : outcome.exitCode;
	} catch (error) {
		console.error(`\n${describe(await findCause(error, processes))}`);
		return 1;
	} finally {
		const hasEnded = await processes.endAll();
		if (!state.isReady) await Promise.race([demo.catch(() => undefined), delay(CLEAN_UP_MS)]);
		if (hasEnded) console.log('All parts are ended.');
	}
}

/** A request that broke off says less than the part that died of something else a moment later. */
async function findCause(error: unknown, processes: ProcessSet): Promise<unknown> {
	return await Promise.race([processes.partDied, delay(DEATH_NOTICE_MS)]).then(
		() => error,
		(death: unknown) => death,
	);
}

async function waitForCrash(): Promise<never> {
	return await new Promise((_resolve, reject) => {
		process.on('uncaughtException', reject);
		process.on('unhandledRejection', reject);
	});
}

function describe(error: unknown): string {
	if (error instanceof ReadableError) return error.message;
	return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
