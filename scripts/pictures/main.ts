import { ProcessSet } from '../processes/ProcessSet';
import { ReadableError } from '../ReadableError';
import { makePictures } from './makePictures';

/** `npm run pictures` once the package is built. */
async function main(): Promise<number> {
	const processes = new ProcessSet();
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
		process.on(signal, () => void processes.endAll());
	}
	try {
		await makePictures(processes, process.argv.slice(2));
		return 0;
	} catch (error) {
		if (!(error instanceof ReadableError)) throw error;
		console.error(error.message);
		return 1;
	} finally {
		await processes.endAll();
	}
}

void main().then((exitCode) => process.exit(exitCode));
