const e2e = require('../e2e/jest.config.js');

/**
 * What must hold in the whole of every supported n8n, the oldest one included.
 * @type {import('jest').Config}
 */
module.exports = {
	...e2e,
	roots: ['<rootDir>/test/versions'],
	testMatch: ['**/whole.test.ts'],
};
