const base = require('../../jest.config.js');

/**
 * Tests in a real n8n. They take minutes: n8n starts, and videos and polls take their time.
 * @type {import('jest').Config}
 */
module.exports = {
	...base,
	rootDir: '../..',
	roots: ['<rootDir>/test/e2e'],
	testPathIgnorePatterns: [],
	testTimeout: 900_000,
	// All files at once: they wait for n8n's polls and for videos most of the time.
	maxWorkers: 5,
};
