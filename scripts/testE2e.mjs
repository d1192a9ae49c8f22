import { build } from './build.mjs';
import { runInherited } from './runInherited.mjs';

// The packed package in a real n8n. Arguments go to jest.
try {
	await build();
	const args = ['jest', '--config', 'test/e2e/jest.config.js', ...process.argv.slice(2)];
	process.exitCode = await runInherited('npx', args);
} catch (error) {
	console.error(error.message);
	process.exitCode = 1;
}
