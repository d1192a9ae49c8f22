import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { installManifest } from './support/cache.mjs';
import { runVisibly } from './support/command.mjs';

/**
 * `npm run test:mutants -- failures`: StrykerJS changes the code of a folder of the node in small ways, one
 * after the other, and lists the changes that no unit or engine test detects. `--sample 300` makes only
 * 300 changes, chosen by a hash, in one to two hours.
 */
export default async function testMutants(args: string[]): Promise<number> {
	const options = { sample: { type: 'string' } } as const;
	const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
	const installation = await installManifest('mutants', 'Installing StrykerJS');
	// The engine tests read the descriptions of files, and icons, from the built package.
	await build();
	const stryker = join(installation, 'node_modules/@stryker-mutator/core/bin/stryker.js');
	const files = join('nodes/VideoGeneration', positionals[0] ?? '', '**/*.ts');
	const selection = ['--mutate', files, ...(values.sample ? ['--checkers', 'sample'] : [])];
	return await runVisibly(
		process.execPath,
		[stryker, 'run', 'scripts/mutants/stryker.config.mjs', ...selection],
		{ env: { ...process.env, MUTANTS_SAMPLE: values.sample } },
	);
}
