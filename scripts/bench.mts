import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { installN8n } from './n8n/install.mjs';
import { provideN8n } from './test.mjs';
import { runVisibly } from './support/command.mjs';

const BENCHMARKS = ['poll', 'decide', 'batch', 'memory', 'download', 'items', 'compare', 'worker'];

/** The benchmarks that jest runs: `batch` and `memory` in a clock that skips all waits. */
const IN_JEST = ['batch', 'memory', 'worker'];

/** The benchmarks that run in a real n8n. */
const IN_N8N = ['items', 'compare', 'worker'];

/**
 * `npm run bench`: measures the built package in n8n's engine, with its log silenced, and in n8n's
 * Node.js. The arguments select benchmarks; `--executions` is for `memory`.
 */
export default async function bench(args: string[]): Promise<number> {
	const { values, positionals } = parseArgs({
		args,
		allowPositionals: true,
		options: { executions: { type: 'string', default: '10000' } },
	});
	const unknown = positionals.find((name) => !BENCHMARKS.includes(name));
	if (unknown) {
		throw new Error(`There is no benchmark "${unknown}", only ${BENCHMARKS.join(', ')}.`);
	}
	await build();
	const names = positionals.length > 0 ? positionals : BENCHMARKS;
	const { node } = await installN8n();
	const isInN8n = names.some((name) => IN_N8N.includes(name));
	const env = {
		...process.env,
		EXECUTIONS: values.executions,
		...(isInN8n && (await provideN8n())),
	};
	for (const name of names) {
		const inJest = [`test/bench/${name}.test`, '--testPathIgnorePatterns=/e2e/'];
		const inNode = ['--expose-gc', '--import', 'tsx', `test/bench/${name}.ts`];
		const exitCode = IN_JEST.includes(name)
			? await runVisibly('jest', inJest, { env })
			: await runVisibly(node, inNode, { env: { ...env, N8N_LOG_LEVEL: 'silent' } });
		if (exitCode !== 0) return exitCode;
	}
	return 0;
}
