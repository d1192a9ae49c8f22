import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** How many mutants are tested, chosen by a hash; all of them by default. */
const { SAMPLE } = process.env;

/**
 * Stryker's own runner of jest runs all tests in one process, and loads every test file for each mutant:
 * n8n's engine takes a second in each. So this runs jest's command, which
 * `test/mutants/jest.config.js` limits to the files that reach a mutant.
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
	mutate: ['nodes/VideoGeneration/**/*.ts'],
	testRunner: 'command',
	commandRunner: { command: 'jest --config test/mutants/jest.config.js' },
	plugins: ['./scripts/stryker.config.mjs'],
	checkers: SAMPLE ? ['sample'] : [],
	reporters: ['clear-text', 'progress-append-only'],
	// jest has a worker for each processor.
	concurrency: 1,
	timeoutMS: 120_000,
	dryRunTimeoutMinutes: 30,
	disableTypeChecks: false,
	tsconfigFile: 'none',
	ignorePatterns: ['.n8n-local', 'coverage'],
	tempDirName: '.n8n-local/mutants',
};

/**
 * Stryker's checkers say which mutants are not worth a test. This one leaves a sample, so Stryker's share
 * of detected mutants is that of the sample.
 */
const checker = {
	init: () => Promise.resolve(),
	// One group, so that the check below sees all mutants.
	group: (mutants) => Promise.resolve([mutants.map(({ id }) => id)]),
	check: (mutants) => {
		const ranked = mutants.map((mutant) => [getRank(mutant), mutant.id]).sort();
		const rest = { status: 'compileError', reason: 'Not in the sample' };
		const judge = ([, id], index) => [id, index < Number(SAMPLE) ? { status: 'passed' } : rest];
		return Promise.resolve(Object.fromEntries(ranked.map(judge)));
	},
};

/** Returns a hash that is the same wherever the line of a mutant stands. */
function getRank({ fileName, location: { start }, mutatorName, replacement }) {
	const line = readFileSync(fileName, 'utf8').split('\n')[start.line];
	const parts = [relative('', fileName), line, start.column, mutatorName, replacement];
	return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

export const strykerPlugins = [{ kind: 'Checker', name: 'sample', factory: () => checker }];
