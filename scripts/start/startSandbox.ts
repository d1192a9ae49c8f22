import axios from 'axios';
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { buildLocalEnvironment } from '../n8n/buildLocalEnvironment';
import type { ProcessSet } from '../processes/ProcessSet';
import { ReadableError } from '../ReadableError';

const TIMEOUT_MS = 30_000;
const LOOK_AGAIN_MS = 100;

/**
 * Starts the local video service and waits until it answers.
 * @returns its address
 */
export async function startSandbox(
	port: number,
	logFolder: string,
	processes: ProcessSet,
): Promise<string> {
	const entry = join('sandbox', 'main.ts');
	const logFile = join(logFolder, 'sandbox.log');
	processes.startPart(process.execPath, ['--import', 'tsx', entry, '--port', String(port)], {
		name: 'The sandbox',
		cwd: process.cwd(),
		env: buildLocalEnvironment({}),
		logFile,
	});
	const address = `http://127.0.0.1:${port}`;
	const deadline = Date.now() + TIMEOUT_MS;
	while (!(await answers(address))) {
		if (Date.now() >= deadline) {
			throw new ReadableError(
				`The sandbox did not answer at ${address} within ${TIMEOUT_MS / 1000} s. All of its output is in ${relative(process.cwd(), logFile)}.`,
			);
		}
		await delay(LOOK_AGAIN_MS);
	}
	return address;
}

/** Any answer will do: without a key the service refuses, which shows that it is there. */
async function answers(address: string): Promise<boolean> {
	return await axios
		.get(`${address}/v1/user/account`, { validateStatus: () => true, proxy: false, timeout: 1_000 })
		.then(
			() => true,
			() => false,
		);
}
