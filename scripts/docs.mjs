import { build } from './build.mjs';
import { runInherited } from './runInherited.mjs';

// Writes docs/operations.md from the built nodes and runs of them; with --check, only says whether it
// is up to date, as "npm test" does. It is made inside the tests, for they have n8n's engine at hand.
const isCheck = process.argv.includes('--check');
try {
	await build();
	if (!isCheck) process.env.WRITE_DOCUMENTS = 'true';
	process.exitCode = await runInherited('npx', ['jest', 'test/engine/operationsDocument']);
} catch (error) {
	console.error(error.message);
	process.exitCode = 1;
}
