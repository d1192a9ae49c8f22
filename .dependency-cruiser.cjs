/** The folders of the nodes that each folder may import, besides itself. */
const BELOW = {
	listSearch: ['item', 'api', 'failures'],
	trigger: ['resources', 'item', 'download', 'api', 'failures'],
	resources: ['adds', 'waiting', 'download', 'item', 'n8n', 'api', 'failures'],
	run: ['adds', 'waiting', 'download', 'item', 'n8n', 'api', 'failures'],
	adds: ['waiting', 'download', 'item', 'n8n', 'api', 'failures'],
	waiting: ['item', 'n8n', 'api', 'failures'],
	download: ['item', 'n8n', 'api', 'failures'],
	item: ['n8n', 'api', 'failures'],
	n8n: ['api', 'failures'],
	api: ['failures'],
	failures: [],
};

/** What each folder of the sandbox may import, besides itself and Node.js. */
const SANDBOX = {
	domain: [],
	files: ['sandbox/domain', 'node_modules/(@napi-rs/canvas|h264-mp4-encoder|mediabunny)'],
	faults: ['sandbox/domain', 'node_modules/ajv'],
	control: ['sandbox/faults', 'sandbox/domain'],
	http: ['sandbox/(control|faults|domain|files)', 'node_modules/(@fastify/.+|fastify)'],
};

const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

module.exports = {
	forbidden: [
		forbid(
			'no-circular',
			'Two modules that need each other are one topic, or share a third one.',
			{},
			{ circular: true },
		),
		forbid(
			'published-code-alone',
			'n8n Cloud allows n8n-workflow and relative imports only.',
			{ path: '^(nodes|credentials)/' },
			{ pathNot: '^(nodes|credentials|node_modules/n8n-workflow)/' },
		),
		forbid(
			'credential-alone',
			'The credential needs nothing of the nodes.',
			{ path: '^credentials/' },
			{ path: '^nodes/' },
		),
		forbid(
			'sandbox-alone',
			'Sandbox and nodes share no code, so that one misreading cannot hide in both.',
			{ path: '^sandbox/' },
			{ path: '^(nodes|credentials|test|scripts)/' },
		),
		forbid(
			'no-import-of-tests',
			'Tests lie around the code, not beneath it.',
			{ path: '^(nodes|credentials|sandbox|scripts)/' },
			{ path: '^test/' },
		),
		...Object.entries(BELOW).map(([room, below]) =>
			forbid(
				`${room}-imports-downwards`,
				'node -> resources, trigger, listSearch -> run -> adds -> waiting, download -> item -> n8n -> api -> failures',
				{ path: `^nodes/VideoGeneration/${room}/` },
				{
					path: '^(nodes|credentials)/',
					pathNot: `^(nodes/VideoGeneration/(${[room, ...below].join('|')})/${room === 'failures' ? '' : '|credentials/'})`,
				},
			),
		),
		...Object.entries(SANDBOX).map(([room, below]) =>
			forbid(
				`sandbox-${room}-imports-downwards`,
				'http -> control -> faults -> domain',
				{ path: `^sandbox/${room}/` },
				{ dependencyTypesNot: ['core'], pathNot: `^(${[`sandbox/${room}`, ...below].join('|')})/` },
			),
		),
	],
	options: {
		doNotFollow: { path: 'node_modules' },
		tsConfig: { fileName: 'tsconfig.json' },
		tsPreCompilationDeps: true,
	},
};
