import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';

// Started from wherever: all paths are those of the project.
process.chdir(resolve(dirname(fileURLToPath(import.meta.url)), '..'));

try {
	await build();
	const { tsImport } = await import('tsx/esm/api');
	await tsImport('./pictures/main.ts', import.meta.url);
} catch (error) {
	console.error(error.message);
	process.exitCode = 1;
}
