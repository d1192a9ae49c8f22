const base = require('../../jest.config.js');

/**
 * The tests that judge mutants of the package's code. The engine tests load the sources in place of
 * the built package, which StrykerJS does not change.
 * @type {import('jest').Config}
 */
module.exports = {
	...base,
	rootDir: '../..',
	roots: process.env.MUTANTS_IN_ENGINE
		? ['<rootDir>/test/unit', '<rootDir>/test/engine']
		: ['<rootDir>/test/unit'],
	testPathIgnorePatterns: ['/unit/sandbox/', '/unit/scripts/', '/engine/random/'],
	// Mutants make the code slower, and StrykerJS records what each test runs.
	testTimeout: 120_000,
	moduleNameMapper: { '^.*/dist/((?:nodes|credentials)/.+)\\.js$': '<rootDir>/$1.ts' },
};
