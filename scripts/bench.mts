import { build } from './build.mjs';
import { provideN8n } from './test.mjs';
import { runVisibly } from './support/processes.mjs';

const BENCHMARKS = [
	...['poll', 'wait', 'loop', 'download', 'makeAndDownload', 'packages'],
	...['items', 'scale', 'hostile'],
];

/**
 * `npm run bench`: measures the built package, in n8n's engine without its messages. Arguments choose some
 * of the benchmarks; "report" writes docs/performance.md out of what they have measured last.
 */
export default async function bench(args: string[]): Promise<number> {
	const unknown = args.find((name) => ![...BENCHMARKS, 'report'].includes(name));
	if (unknown) {
		throw new Error(
			`There is no benchmark "${unknown}", only ${BENCHMARKS.join(', ')} and report.`,
		);
	}
	await build();
	const names = args.length > 0 ? args : BENCHMARKS;
	const env = { ...process.env, ...(names.includes('items') ? await provideN8n() : {}) };
	for (const name of names) {
		const file = `test/bench/${name}.ts`;
		const exitCode = await runVisibly(process.execPath, ['--import', 'tsx', file], {
			env: { ...env, N8N_LOG_LEVEL: 'silent' },
		});
		if (exitCode !== 0) return exitCode;
	}
	return 0;
}
