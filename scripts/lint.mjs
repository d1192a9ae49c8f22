import { ensureInstalled } from './ensureInstalled.mjs';
import { runStep } from './runStep.mjs';

const CHECKS = [
	['Checking types', ['tsc', '-p', 'tsconfig.json']],
	['Checking the rules of n8n and our own', ['eslint', '.', '--max-warnings', '0']],
	['Checking the description of the API', ['redocly', 'lint', 'docs/openapi.yaml']],
	[
		'Checking links between the documents',
		[
			'remark',
			...['--use', 'remark-validate-links=repository:false', '--frail', '--quiet'],
			...['README.md', 'CHANGELOG.md', 'SECURITY.md', 'CODE_OF_CONDUCT.md', 'docs', 'sandbox'],
		],
	],
	['Checking the format', ['prettier', '--check', '.', '--log-level', 'warn']],
];

// A check asks nobody outside.
process.env.REDOCLY_TELEMETRY = 'off';
process.env.REDOCLY_SUPPRESS_UPDATE_NOTICE = 'true';

await ensureInstalled();
let failed = false;
for (const [title, args] of CHECKS) {
	await runStep(title, 'npx', args).catch((error) => {
		failed = true;
		console.error(error.message);
	});
}
if (failed) process.exitCode = 1;
else console.log('No error and no warning.');
