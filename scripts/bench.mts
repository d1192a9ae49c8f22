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

/** The benchmarks that count requests, bytes or a clock that skips all waits: they run beside each other. */
const COUNTED = ['batch', 'video', 'calls', 'memory'];

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
	const runInJest = async (files: string[]) => {
		const args = files.map((name) => `test/bench/${name}.test`);
		const options = ['--testPathIgnorePatterns=/e2e/'];
		if ((await runVisibly('jest', [...args, ...options], { env })) !== 0) failed.push(...files);
	};
	for (const name of names.filter((each) => !COUNTED.includes(each))) {
		if (name === 'worker') {
			await runInJest([name]);
			continue;
		}
		const args = [...(FLAGS[name] ?? []), '--import', 'tsx', `test/bench/${name}.ts`];
		const quiet = { env: { ...env, N8N_LOG_LEVEL: 'silent' } };
		if ((await runVisibly(node, args, quiet)) !== 0) failed.push(name);
	}
	const counted = names.filter((each) => COUNTED.includes(each));
	if (counted.length > 0) await runInJest(counted);
	if (failed.length > 0) console.error(`\nFailed, or over a limit: ${failed.join(', ')}.`);
	return failed.length > 0 ? 1 : 0;
}
