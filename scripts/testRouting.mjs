import { build } from './build.mjs';
import { runInherited } from './runInherited.mjs';

// The built package with its operations carried out by n8n's own routing. Arguments go to jest.
try {
	await build();
	const args = ['jest', '--config', 'test/routing/jest.config.js', ...process.argv.slice(2)];
	process.exitCode = await runInherited('npx', args);
} catch (error) {
	console.error(error.message);
	process.exitCode = 1;
}
