import { build } from './build.mjs';
import { installN8n } from './n8n/install.mjs';
import { provideN8n } from './test.mjs';
import { runVisibly } from './support/processes.mjs';

const BENCHMARKS = ['poll', 'wait', 'batch', 'download', 'items', 'compare'];

/** The benchmarks that run in a real n8n. */
const IN_N8N = ['items', 'compare'];

/**
 * `npm run bench`: measures the built package in n8n's engine, with its log silenced, and in n8n's
 * Node.js. The arguments select benchmarks.
 */
export default async function bench(args: string[]): Promise<number> {
	const unknown = args.find((name) => !BENCHMARKS.includes(name));
	if (unknown) {
		throw new Error(`There is no benchmark "${unknown}", only ${BENCHMARKS.join(', ')}.`);
	}
	await build();
	const names = args.length > 0 ? args : BENCHMARKS;
	const { node } = await installN8n();
	const env = {
		...process.env,
		...(names.some((name) => IN_N8N.includes(name)) ? await provideN8n() : {}),
	};
	for (const name of names) {
		// A batch takes seconds with jest's clock; the others are measured in real time.
		const exitCode =
			name === 'batch'
				? await runVisibly('jest', ['test/bench/batch.test', '--testPathIgnorePatterns=/e2e/'])
				: await runVisibly(node, ['--expose-gc', '--import', 'tsx', `test/bench/${name}.ts`], {
						env: { ...env, N8N_LOG_LEVEL: 'silent' },
					});
		if (exitCode !== 0) return exitCode;
	}
	return 0;
}
