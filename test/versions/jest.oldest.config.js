const base = require('./jest.config.js');

/**
 * The engine tests on the oldest version of n8n, without the random executions and without decisions
 * in which n8n has no part: those run on the newest version with each change, and on every version
 * in `.github/workflows/versions.yml`.
 * @type {import('jest').Config}
 */
module.exports = {
	...base,
	testPathIgnorePatterns: [
		...[...base.testPathIgnorePatterns, '/random/'],
		'/(faults|lanes|missingValues|outputSchemas|triggerHistories|wait|whoseVideo)\\.test',
	],
};
