const base = require('../../jest.config.js');

/**
 * The tests that judge mutants, in a copy of the project. The engine tests load the sources, which
 * contain the mutants, in place of the built package.
 * @type {import('jest').Config}
 */
module.exports = {
	...base,
	rootDir: '../..',
	roots: ['<rootDir>/test/unit', '<rootDir>/test/engine'],
	testPathIgnorePatterns: ['/unit/sandbox/', '/unit/scripts/'],
	setupFilesAfterEnv: ['<rootDir>/test/mutants/setUp.js'],
	testSequencer: '<rootDir>/test/mutants/QuickestFirst.js',
	reporters: [],
	// Code with mutants is slower.
	testTimeout: 120_000,
	moduleNameMapper: { '^.*/dist/((?:nodes|credentials)/.+)\\.js$': '<rootDir>/$1.ts' },
};
