import type { ChildProcess } from 'node:child_process';
import { ReadableError } from '../ReadableError';

/** How a process ended: `exit code 0`, or the name of the signal. */
export async function waitForEnd(child: ChildProcess, command: string): Promise<string> {
	return await new Promise((resolve, reject) => {
		child.once('error', (error) => {
			reject(new ReadableError(`"${command}" could not be started: ${error.message}`));
		});
		child.once('close', (code, signal) => {
			resolve(signal ?? `exit code ${code ?? 'unknown'}`);
		});
	});
}
