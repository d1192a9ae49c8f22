import { build } from './build.mjs';
import { runInherited } from './runInherited.mjs';

// The engine tests and those in a real n8n run the built package, so a test run always builds first.
// The first argument is jest's configuration, the others go to jest.
try {
	await build();
	const [config, ...args] = process.argv.slice(2);
	process.exitCode = await runInherited('npx', ['jest', '--config', config, ...args]);
} catch (error) {
	console.error(error.message);
	process.exitCode = 1;
}
