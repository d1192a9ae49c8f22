import { build } from './build.mjs';
import { runInherited } from './runInherited.mjs';

// The engine tests run the built package, so a test run always builds first. Arguments go to jest.
try {
	await build();
	process.exitCode = await runInherited('npx', ['jest', ...process.argv.slice(2)]);
} catch (error) {
	console.error(error.message);
	process.exitCode = 1;
}
