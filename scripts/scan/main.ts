import { ProcessSet } from '../processes/ProcessSet';
import { ReadableError } from '../ReadableError';
import { scanPackage } from './scanPackage';

/** `npm run scan` once the package is built. */
async function main(): Promise<number> {
	const processes = new ProcessSet();
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
		process.on(signal, () => void processes.endAll());
	}
	try {
		const isClean = await scanPackage(processes);
		console.log(isClean ? 'No error and no warning.' : 'n8n would not verify this package.');
		return isClean ? 0 : 1;
	} catch (error) {
		if (!(error instanceof ReadableError)) throw error;
		console.error(error.message);
		return 1;
	}
}

void main().then((exitCode) => process.exit(exitCode));
