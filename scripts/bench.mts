import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { installN8n } from './n8n/install.mjs';
import { provideN8n } from './test.mjs';
import { runVisibly } from './support/command.mjs';

/** The benchmarks of `check`: what a change may worsen unseen, in less than four minutes. */
const CHECK = [
	'load',
	'poll',
	'items',
	'responses',
	'decide',
	'batch',
	'video',
	'calls',
	'download',
	'memory',
];

const BENCHMARKS = [...CHECK, 'compare', 'worker'];

/** The benchmarks that jest runs: all but `worker` in a clock that skips all waits. */
const IN_JEST = ['batch', 'video', 'calls', 'memory', 'worker'];

/** The benchmarks that run in a real n8n. */
const IN_N8N = ['items', 'compare', 'worker'];

/** Flags of Node.js. */
const FLAGS: Record<string, string[]> = {
	poll: ['--single-threaded'],
	decide: ['--expose-gc'],
	download: ['--expose-gc'],
};

/**
 * `npm run bench`: measures the built package in n8n's engine, with its log silenced, and in n8n's
 * Node.js. The arguments select benchmarks; `--executions` is for `memory`.
 * @returns 1 if a figure is over its limit
 */
export default async function bench(args: string[]): Promise<number> {
	const { values, positionals } = parseArgs({
		args,
		allowPositionals: true,
		options: { executions: { type: 'string', default: '1000' } },
	});
	const names = positionals.flatMap((name) => (name === 'check' ? CHECK : name));
	if (names.length === 0) names.push(...BENCHMARKS);
	const unknown = names.find((name) => !BENCHMARKS.includes(name));
	if (unknown) {
		throw new Error(`There is no benchmark "${unknown}", only check, ${BENCHMARKS.join(', ')}.`);
	}
	await build();
	const { node } = await installN8n();
	const isInN8n = names.some((name) => IN_N8N.includes(name));
	const env = {
		...process.env,
		EXECUTIONS: values.executions,
		...(isInN8n && (await provideN8n())),
	};
	const failed: string[] = [];
	for (const name of names) {
		const inJest = [`test/bench/${name}.test`, '--testPathIgnorePatterns=/e2e/'];
		const inNode = [...(FLAGS[name] ?? []), '--import', 'tsx', `test/bench/${name}.ts`];
		const exitCode = IN_JEST.includes(name)
			? await runVisibly('jest', inJest, { env })
			: await runVisibly(node, inNode, { env: { ...env, N8N_LOG_LEVEL: 'silent' } });
		if (exitCode !== 0) failed.push(name);
	}
	if (failed.length > 0) console.error(`\nFailed, or over a limit: ${failed.join(', ')}.`);
	return failed.length > 0 ? 1 : 0;
}
