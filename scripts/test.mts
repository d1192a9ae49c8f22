import { cp, mkdir, rm } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { build } from './build.mjs';
import { buildN8nEnvironment } from './n8n/environment.js';
import { installN8n, installPackage, type N8nInstallation } from './n8n/install.mjs';
import { OLDEST_N8N } from './requirements.js';
import { installInCache, installManifest } from './support/cache.mjs';
import { run, runVisibly, step } from './support/command.mjs';

type Environment = Record<string, string>;

interface Suite {
	/** Arguments of jest, before those of the user: none that ends with a list, to which jest would add a file. */
	args: string[];
	/**
	 * Installs everything that the tests need, and takes its own arguments from those of the user.
	 * @returns environment variables for the tests
	 */
	prepare?: (args: string[]) => Environment | Promise<Environment>;
}

const E2E_FOLDER = '.n8n-local/e2e';
const E2E = ['--config', 'test/e2e/jest.config.js'];
const ENGINE = ['--config', 'test/versions/jest.config.js'];
/**
 * With each change, what stands on differences between the versions runs on the oldest one: agents' tools, the editor,
 * errors, the trigger, keys, files and Stop. All tests of the engine run on it in `.github/workflows/versions.yml`.
 */
const NOT_IN_OLDEST = [
	'/laws/',
	'/(connections|faults|hostileInput|items|lanes|operations|paidOnce|requests|spendingGuards|wait|whoseVideo|workers)\\.test',
];

const SUITES: Record<string, Suite> = {
	unit: {
		args: [
			'--reporters=<rootDir>/test/support/ShortReporter.js',
			'--reporters=summary',
			'--config=jest.config.js',
		],
	},
	oldest: {
		args: [...NOT_IN_OLDEST.map((files) => `--testPathIgnorePatterns=${files}`), ...ENGINE],
		prepare: () => provideEngine(OLDEST_N8N),
	},
	engine: { args: ENGINE, prepare: (args) => provideEngine(args.shift() ?? '') },
	e2e: { args: ['--testPathIgnorePatterns=/weekly/', ...E2E], prepare: () => provideN8n() },
	// Takes ten minutes.
	workers: { args: [...E2E, 'e2e/weekly/'], prepare: () => provideN8n() },
};

/** `npm test` and its siblings: the first argument is the suite, the others go to jest. */
export default async function test([name = '', ...args]: string[]): Promise<number> {
	const suite = SUITES[name];
	if (!suite) throw new Error(`The suites are ${Object.keys(SUITES).join(', ')}.`);
	await build();
	const env = { ...(await suite.prepare?.(args)), ...process.env };
	return await runVisibly('jest', [...suite.args, ...args], { env });
}

/**
 * Provides the engine of n8n.
 * @param n8n one of the versions in `scripts/versions`, or the folder of any other n8n
 * @returns environment variables for the tests in it
 */
async function provideEngine(n8n: string): Promise<Environment> {
	if (isAbsolute(n8n)) return { VIDEO_GENERATION_ENGINE: n8n };
	const title = `Installing the engine of n8n ${n8n}: 240 MB`;
	return { VIDEO_GENERATION_ENGINE: await installManifest(`versions/${n8n}`, title) };
}

/** Installs all that the tests in a real n8n need. @returns environment variables for them */
export async function provideN8n(): Promise<Environment> {
	const { node, script } = await installN8n();
	const template = resolve(E2E_FOLDER, 'template');
	await rm(template, { recursive: true, force: true });
	await cp(await provideDatabase({ node, script }), template, { recursive: true });
	await step('Packing the package and installing it into n8n', () =>
		installPackage(template, `${E2E_FOLDER}/package`),
	);
	return { VIDEO_GENERATION_E2E: JSON.stringify({ node, n8n: script, template }) };
}

/** Returns a user folder with an empty database: it takes n8n seconds to create it. */
async function provideDatabase({ node, script }: N8nInstallation): Promise<string> {
	const create = async (userFolder: string) => {
		await mkdir(userFolder);
		const settings = { userFolder, node, script, port: 0, brokerPort: 0 };
		// Any command creates it.
		const options = { cwd: userFolder, env: buildN8nEnvironment(settings) };
		await run(node, [script, 'list:workflow'], options);
		// This file holds a key that n8n generated: each n8n generates its own, or is given one.
		await rm(join(userFolder, '.n8n', 'config'));
	};
	return await installInCache('database', "Creating n8n's database", { script }, create);
}
