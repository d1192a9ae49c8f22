import { ProcessSet } from '../processes/ProcessSet';
import { ReadableError } from '../ReadableError';
import { loadInEachNode } from './loadInEachNode';

/** `npm run test:node` once the package is built. */
async function main(): Promise<number> {
	const processes = new ProcessSet();
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
		process.on(signal, () => void processes.endAll());
	}
	try {
		await loadInEachNode(processes);
		return 0;
	} catch (error) {
		if (!(error instanceof ReadableError)) throw error;
		console.error(error.message);
		return 1;
	}
}

void main().then((exitCode) => process.exit(exitCode));
