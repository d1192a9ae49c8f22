/**
 * Stryker's own runner of jest runs all tests in one process, and loads every test file for each mutant:
 * n8n's engine takes a second in each. So this runs jest's command, which
 * `test/mutants/jest.config.js` limits to the files that reach a mutant.
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
	testRunner: 'command',
	commandRunner: { command: 'jest --config test/mutants/jest.config.js' },
	plugins: ['./scripts/mutants/sample.mjs'],
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
