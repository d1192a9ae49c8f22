import { build } from './build.mjs';
import { runInherited } from './runInherited.mjs';

const BENCHMARKS = ['poll', 'wait', 'loop', 'download', 'packages', 'items', 'scale', 'hostile'];

// The benchmarks measure the built package, in n8n's engine without its messages. Arguments choose
// some of them; "report" writes docs/performance.md out of what they have measured last.
try {
	const asked = process.argv.slice(2);
	const unknown = asked.find((name) => ![...BENCHMARKS, 'report'].includes(name));
	if (unknown) {
		throw new Error(
			`There is no benchmark "${unknown}", only ${BENCHMARKS.join(', ')} and report.`,
		);
	}
	await build();
	process.env.N8N_LOG_LEVEL = 'silent';
	for (const name of asked.length > 0 ? asked : BENCHMARKS) {
		process.exitCode ||= await runInherited('npx', ['tsx', `test/bench/${name}.ts`]);
	}
} catch (error) {
	console.error(error.message);
	process.exitCode = 1;
}
