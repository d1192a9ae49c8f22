import { ProcessSet } from '../processes/ProcessSet';
import { ReadableError } from '../ReadableError';
import { readStartOptions } from './readStartOptions';
import { runUntilStopped } from './runUntilStopped';

/** `npm start` once the development dependencies are there. */
async function main(args: string[]): Promise<number> {
	try {
		return await runUntilStopped(readStartOptions(args), new ProcessSet());
	} catch (error) {
		if (!(error instanceof ReadableError)) throw error;
		console.error(error.message);
		return 1;
	}
}

void main(process.argv.slice(2)).then((exitCode) => process.exit(exitCode));
