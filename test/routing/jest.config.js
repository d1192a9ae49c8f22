const base = require('../../jest.config.js');

/**
 * The engine tests once more, with n8n's own routing in the place of the node's `customOperations`: so does
 * an agent that calls its tools itself.
 * @type {import('jest').Config}
 */
module.exports = {
	...base,
	rootDir: '../..',
	roots: ['<rootDir>/test/engine'],
	setupFiles: [...base.setupFiles, '<rootDir>/test/routing/chooseRouting.js'],
};
