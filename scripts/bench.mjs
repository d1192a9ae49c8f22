import { build } from './build.mjs';
import { runInherited } from './runInherited.mjs';

// The benchmark measures the built package, in n8n's engine without its messages.
try {
	await build();
	process.env.N8N_LOG_LEVEL = 'silent';
	for (const name of ['poll', 'wait', 'download']) {
		process.exitCode ||= await runInherited('npx', ['tsx', `test/bench/${name}.ts`]);
	}
} catch (error) {
	console.error(error.message);
	process.exitCode = 1;
}
