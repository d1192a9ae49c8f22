const { readFileSync } = require('node:fs');
const base = require('../../jest.config.js');

/** The mutant that Stryker has chosen; none in its first run, which notes what each test file reaches. */
const mutant = process.env.__STRYKER_ACTIVE_MUTANT__;

function listFilesThatReach(id) {
	const lines = readFileSync('reached.jsonl', 'utf8').trim().split('\n');
	const files = lines.map((line) => JSON.parse(line));
	return files.filter(({ reached }) => reached.includes(id)).map(({ testPath }) => testPath);
}

/**
 * The tests that judge mutants, in Stryker's copy of the project. The engine tests load the sources,
 * which contain the mutants, in place of the built package.
 * @type {import('jest').Config}
 */
module.exports = {
	...base,
	rootDir: '../..',
	roots: ['<rootDir>/test/tables', '<rootDir>/test/promises', '<rootDir>/test/laws'],
	...(mutant && { testMatch: listFilesThatReach(mutant), bail: 1, passWithNoTests: true }),
	testPathIgnorePatterns: ['/tables/sandbox/', '/tables/scripts/'],
	setupFilesAfterEnv: ['<rootDir>/test/mutants/setUp.js'],
	testSequencer: '<rootDir>/test/mutants/QuickestFirst.js',
	reporters: ['<rootDir>/test/support/ShortReporter.js'],
	// Code with mutants is slower.
	testTimeout: 120_000,
	moduleNameMapper: { '^.*/dist/((?:nodes|credentials)/.+)\\.js$': '<rootDir>/$1.ts' },
};
