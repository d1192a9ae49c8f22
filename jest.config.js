// The time zone is not UTC, so that tests detect times in this machine's zone.
process.env.TZ = 'America/New_York';

/** @type {import('jest').Config} */
module.exports = {
	testEnvironment: '<rootDir>/test/support/Environment.js',
	// The timeout is many times the duration of a test: no test fails because the machine is busy.
	testTimeout: 300_000,
	// Uses one worker per processor: the default of jest leaves one processor idle.
	maxWorkers: '100%',
	// Each file loads n8n's engine anew, and the more of them are left, the longer Node.js looks for what it can free.
	workerIdleMemoryLimit: '400MB',
	testEnvironmentOptions: { globalsCleanup: 'on' },
	roots: ['<rootDir>/test'],
	testMatch: ['**/*.test.ts'],
	// The patterns leave out the project's own path, in which a bracket would have a special meaning.
	testPathIgnorePatterns: ['/test/e2e/', '/test/bench/', '/test/versions/'],
	setupFiles: ['<rootDir>/test/support/silenceN8n.js', '<rootDir>/test/support/oneErrorClass.js'],
	// get-port consists of ES modules, which jest cannot load untransformed, like TypeScript.
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
