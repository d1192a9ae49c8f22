/** Finds circles between modules, also of imports of types alone. */
module.exports = {
	forbidden: [
		{
			name: 'no-circular',
			comment: 'Two modules that need each other are one topic, or share a third one.',
			severity: 'error',
			from: {},
			to: { circular: true },
		},
	],
	options: {
		doNotFollow: { path: 'node_modules' },
		tsConfig: { fileName: 'tsconfig.json' },
		tsPreCompilationDeps: true,
	},
};
