const e2e = require('../e2e/jest.config.js');

/**
 * The tests that must pass in the whole of every supported n8n, including the oldest one.
 * @type {import('jest').Config}
 */
module.exports = {
	...e2e,
	testPathIgnorePatterns: [],
	roots: ['<rootDir>/test/versions', '<rootDir>/test/e2e'],
	testMatch: ['whole', 'installing', 'operations', 'payingOnce', 'examples'].map(
		(name) => `**/${name}.test.ts`,
	),
};
