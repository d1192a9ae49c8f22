import { constants } from 'node:os';
import { findNpm } from '../processes/findNpm';
import { isRunning } from '../processes/isRunning';

export interface Stop {
	/** What the user reads. */
	reason: string;
	/** The exit code of a process that such a stop interrupts. */
	exitCode: number;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const LOOK_AGAIN_MS = 250;

/**
 * Waits until somebody wants an end: by a signal, or by ending npm, which may tell us nothing. Signals
 * are listened to on and on: a second Ctrl-C must not end the starter before its parts.
 */
export async function waitForStop(): Promise<Stop> {
	const npm = findNpm();
	return await new Promise((resolve) => {
		for (const signal of SIGNALS) {
			process.on(signal, () => {
				resolve({ reason: signal, exitCode: 128 + constants.signals[signal] });
			});
		}
		if (npm.length === 0) return;
		const look = setInterval(() => {
			if (npm.every(isRunning)) return;
			clearInterval(look);
			resolve({ reason: 'npm has ended', exitCode: 128 + constants.signals.SIGTERM });
		}, LOOK_AGAIN_MS);
	});
}
