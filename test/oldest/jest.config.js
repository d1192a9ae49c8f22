const base = require('../../jest.config.js');

/**
 * The engine tests on the oldest n8n that is supported.
 * @type {import('jest').Config}
 */
module.exports = {
	...base,
	rootDir: '../..',
	roots: ['<rootDir>/test/engine', '<rootDir>/test/oldest'],
	testPathIgnorePatterns: [],
	resolver: '<rootDir>/test/support/oldest/resolveFromOldest.js',
};
