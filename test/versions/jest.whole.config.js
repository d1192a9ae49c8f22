const e2e = require('../e2e/jest.config.js');

/**
 * What must hold in the whole of every supported n8n, the oldest one included.
 * @type {import('jest').Config}
 */
module.exports = {
	...e2e,
	roots: ['<rootDir>/test/versions', '<rootDir>/test/e2e'],
	testMatch: ['whole', 'operations', 'outputSchemas', 'agent', 'ledger'].map(
		(name) => `**/${name}.test.ts`,
	),
};
