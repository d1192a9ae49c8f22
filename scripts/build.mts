import { rm } from 'node:fs/promises';
import { run } from './support/processes.mjs';
import { step } from './support/steps.mjs';

/** `npm run build`: makes `dist/` anew, the compiled nodes and credentials and the assets beside them. */
export async function build(): Promise<void> {
	await rm('dist', { recursive: true, force: true });
	await step('Building the package', async () => {
		await run('tsc', ['-p', 'tsconfig.build.json']);
		await run('gulp', ['build:assets', '--silent']);
	});
}

export default build;
