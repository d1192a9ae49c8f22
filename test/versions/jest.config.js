const base = require('../../jest.config.js');

/**
 * The engine tests on another version of n8n.
 * @type {import('jest').Config}
 */
module.exports = {
	...base,
	rootDir: '../..',
	roots: ['<rootDir>/test/promises', '<rootDir>/test/laws', '<rootDir>/test/versions'],
	testPathIgnorePatterns: [],
	resolver: '<rootDir>/test/support/versions/resolveEngine.js',
};
