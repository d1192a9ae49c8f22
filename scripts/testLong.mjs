import { build } from './build.mjs';
import { runInherited } from './runInherited.mjs';

// 10,000 random histories of the trigger and 10,000 random executions of the node, others each time. A
// failure prints the seed that repeats it. The executions run the built package, so it is built first.
process.env.HISTORIES ??= '10000';
process.env.LEDGER_EXECUTIONS ??= '10000';
try {
	await build();
	process.exitCode = await runInherited('npx', [
		...['jest', '--maxWorkers=2'],
		...['test/unit/trigger/histories', 'test/engine/ledger/'],
	]);
} catch (error) {
	console.error(error.message);
	process.exitCode = 1;
}
