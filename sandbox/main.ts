import { describeSandbox, HELP, parseCommandLine } from './commandLine';
import { startSandbox } from './startSandbox';

async function main(args: string[]): Promise<void> {
	const options = parseCommandLine(args);
	if (options === null) {
		console.log(HELP);
		return;
	}
	const sandbox = await startSandbox(options);
	for (const signal of ['SIGINT', 'SIGTERM'] as const) {
		process.once(signal, () => {
			void sandbox.close().finally(() => process.exit(0));
		});
	}
	console.log(describeSandbox(sandbox));
}

function explain(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	if ('code' in error && error.code === 'EADDRINUSE' && 'port' in error) {
		return `Port ${String(error.port)} is in use. Stop what uses it, or choose another one with --port.`;
	}
	return `${error.message}\nSee npm run sandbox -- --help.`;
}

main(process.argv.slice(2)).catch((error: unknown) => {
	console.error(explain(error));
	process.exitCode = 1;
});
