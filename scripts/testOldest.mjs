import { build } from './build.mjs';
import { runInherited } from './runInherited.mjs';

// The built package in the engine of the oldest n8n that is supported. Arguments go to jest.
try {
	await build();
	const args = ['jest', '--config', 'test/oldest/jest.config.js', ...process.argv.slice(2)];
	process.exitCode = await runInherited('npx', args);
} catch (error) {
	console.error(error.message);
	process.exitCode = 1;
}
