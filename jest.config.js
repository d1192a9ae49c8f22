// Not UTC, so that a time which is taken in this machine's zone shows.
process.env.TZ = 'America/New_York';

/** @type {import('jest').Config} */
module.exports = {
	testEnvironment: 'node',
	// Many times what a test takes: on a busy machine, none fails for its slowness.
	testTimeout: 30_000,
	// One for each processor: jest would leave one idle.
	maxWorkers: '100%',
	roots: ['<rootDir>/test'],
	testMatch: ['**/*.test.ts'],
	// Without the project's own path, in which a bracket would mean something else.
	testPathIgnorePatterns: ['/test/e2e/', '/test/bench/', '/test/versions/'],
	setupFiles: ['<rootDir>/test/support/silenceN8n.js'],
	// get-port is made of ES modules, which jest loads as little as TypeScript.
	transform: {
		'^.+\\.ts$|/node_modules/get-port/.+\\.js$': [
			'@swc/jest',
			{ jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, sourceMaps: 'inline' },
		],
	},
	transformIgnorePatterns: ['/node_modules/(?!get-port/)'],
	// V8's own coverage follows the source maps of dist/, so the engine tests, which run the built
	// package, and the unit tests, which run the sources, count towards the same lines.
	coverageProvider: 'v8',
	collectCoverageFrom: ['{nodes,credentials,sandbox}/**/*.ts', 'dist/**/*.js'],
	coverageReporters: ['text', 'lcov'],
};
