import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { installManifest } from './support/cache.mjs';
import { runVisibly } from './support/processes.mjs';

const SOURCES = 'nodes/VideoGeneration';
const FOLDER = '.n8n-local/mutants';

/**
 * `npm run test:mutants -- failures`: changes the code of a folder of the node in small ways, one
 * after the other, and lists the changes that no test detects. `--sample 200` changes only 200 lines,
 * always the same ones. `--engine` also runs the engine tests, which takes ten times as long.
 */
export default async function testMutants(args: string[]): Promise<number> {
	const { values, positionals } = parseArgs({
		args,
		allowPositionals: true,
		options: { sample: { type: 'string' }, engine: { type: 'boolean', default: false } },
	});
	const folder = join(SOURCES, positionals[0] ?? '');
	if (!existsSync(folder)) throw new Error(`There is no folder ${folder}.`);
	const installation = await installManifest('mutants', 'Installing StrykerJS');
	// The engine tests read the descriptions of files, and icons, from the built package.
	await build();
	const config = join(FOLDER, 'config.json');
	mkdirSync(FOLDER, { recursive: true });
	writeFileSync(config, JSON.stringify(createConfig(installation, folder, values.sample)));
	const stryker = join(installation, 'node_modules/@stryker-mutator/core/bin/stryker.js');
	const env = { ...process.env, ...(values.engine && { MUTANTS_IN_ENGINE: 'true' }) };
	return await runVisibly(process.execPath, [stryker, 'run', config], { env });
}

function createConfig(installation: string, folder: string, sample?: string): object {
	return {
		mutate: sample === undefined ? [`${folder}/**/*.ts`] : sampleLines(folder, Number(sample)),
		testRunner: 'jest',
		plugins: [join(installation, 'node_modules/@stryker-mutator/jest-runner/dist/src/index.js')],
		// The engine tests load the sources by the path of the built package.
		jest: { configFile: 'test/mutants/jest.config.js', enableFindRelatedTests: false },
		coverageAnalysis: 'perTest',
		// A mutant of what runs once, when a module is loaded, would need all tests.
		ignoreStatic: true,
		concurrency: 1,
		reporters: ['progress-append-only', 'clear-text', 'json'],
		clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
		jsonReporter: { fileName: join(FOLDER, 'report.json') },
		tempDirName: join(FOLDER, 'sandbox'),
		ignorePatterns: ['.n8n-local', 'coverage'],
		// Types are not checked: the compiler would only say what a test says as well.
		disableTypeChecks: true,
		tsconfigFile: 'none',
	};
}

/** Chooses lines of code by a hash, so that a run can be compared with an earlier one. */
function sampleLines(folder: string, count: number): string[] {
	const lines = readdirSync(folder, { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith('.ts'))
		.flatMap((name) => {
			const file = join(folder, name);
			return readFileSync(file, 'utf8')
				.split('\n')
				.map((text, index) => ({ text: text.trim(), range: `${file}:${index + 1}-${index + 1}` }))
				.filter(({ text }) => /\w/.test(text) && !/^(\/?\*|\/\/|import )/.test(text));
		})
		.map(({ text, range }) => ({
			range,
			rank: createHash('sha256')
				.update(`${range.split(':')[0] ?? ''} ${text}`)
				.digest('hex'),
		}));
	lines.sort((a, b) => (a.rank < b.rank ? -1 : 1));
	return lines.slice(0, count).map(({ range }) => range);
}
