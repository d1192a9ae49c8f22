import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Changes the TypeScript files of a folder by StrykerJS: they contain all mutants, and an environment
 * variable chooses one.
 *
 * Arguments: the folder of StrykerJS's installation, and the folder to change.
 * Prints JSON: the mutants.
 */
const [installation, folder] = process.argv.slice(2);
const require = createRequire(pathToFileURL(resolve(installation, 'package.json')));
const { createInjector } = require('typed-inject');
const instrumenterPath = require.resolve('@stryker-mutator/instrumenter');
const { createInstrumenter } = await import(pathToFileURL(instrumenterPath).href);

const files = readdirSync(folder, { recursive: true })
	.filter((name) => name.endsWith('.ts'))
	.map((name) => join(folder, name))
	.map((name) => ({ name, content: readFileSync(name, 'utf8'), mutate: true }));
const ignore = () => false;
const logger = { debug: ignore, info: ignore, isDebugEnabled: ignore };
const instrumenter = createInjector()
	.provideValue('logger', logger)
	.injectFunction(createInstrumenter);
const settings = { plugins: null, ignorers: [], excludedMutations: [] };
const result = await instrumenter.instrument(files, settings);
for (const { name, content } of result.files) writeFileSync(name, content);
process.stdout.write(JSON.stringify(result.mutants));
