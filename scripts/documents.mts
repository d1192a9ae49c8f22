import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { toString } from 'mdast-util-to-string';
import { remark } from 'remark';
import manifest from '../package.json' with { type: 'json' };
import { choosePorts, startN8n } from './n8n/demo.mjs';
import { installN8n, provideNode } from './n8n/install.mjs';
import { buildNpmEnvironment, runNpm } from './support/cache.mjs';
import { run, startServer, step, whileServersLive } from './support/command.mjs';
import { waitFor } from './waitFor.js';

const DEV_TIMEOUT_MS = 300_000;
/** The last line of `npm start` and `npm run dev` once they are ready. */
const READY = 'Press Ctrl+C to stop.';

/**
 * `npm run test:documents`: runs what README > Installation, README > Try it and CONTRIBUTING > Set up say, as it is
 * written there, in a fresh clone of the last commit. Where its folder can link to the packages of this project, they
 * are not installed once more: CI runs in a fresh clone itself. With a version of Node.js, it only builds and packs
 * the package with that one and its npm.
 */
export default async function testDocuments([major]: string[]): Promise<void> {
	const temporary = await mkdtemp(join(tmpdir(), 'documents-'));
	const clone = join(temporary, 'clone');
	try {
		await run('git', ['clone', '--quiet', '.', clone]);
		if (major === undefined) {
			const modules = join(clone, 'node_modules');
			await run('cp', ['-al', 'node_modules', modules]).catch(() =>
				rm(modules, { recursive: true, force: true }),
			);
			await followDocuments(clone, join(temporary, 'home'));
		} else {
			const [build = ''] = await readCommands('README.md', 'Installation');
			const PATH = await provideNode(Number(major));
			await runCommands([build], clone, { ...buildNpmEnvironment(), PATH });
		}
	} finally {
		await rm(temporary, { recursive: true, force: true });
	}
}

async function followDocuments(clone: string, home: string): Promise<void> {
	const installation = await installN8n();
	const commands = await readCommands('README.md', 'Installation');
	const isForDocker = (block: string) => block.startsWith('docker ');
	const here = commands.filter((block) => !isForDocker(block));
	checkDockerCommands(commands.filter(isForDocker).join('\n'), here.at(-1) ?? '');
	await runCommands(here, clone, await moveHome(home));

	const client = await startN8n({ installation, userFolder: home, ports: await choosePorts() });
	const nodeInfos = [{ name: `${manifest.name}.videoGeneration`, version: 1 }];
	const types = await client.request<object[]>('POST', '/node-types', { nodeInfos });
	if (types.length === 0) throw new Error('n8n has not loaded the package that was installed.');

	// It makes a video with the example.
	await runServer(await readCommands('README.md', 'Try it'), clone);
	await runServer(await readCommands('CONTRIBUTING.md', 'Set up'), clone);
}

/** Runs commands, the last of which runs until it is stopped, and stops it once it is ready. */
async function runServer(blocks: string[], clone: string): Promise<void> {
	const setUp = blocks.join('\n').split('\n');
	const server = setUp.pop() ?? '';
	await runCommands([setUp.join('\n')], clone);
	await step(server, async () => {
		const logFile = resolve('.n8n-local', 'documents.log');
		await rm(logFile, { force: true });
		// The command replaces the shell, so that it is what is stopped.
		const args = ['-c', `exec ${server}`];
		const stop = startServer('bash', args, {
			name: server,
			cwd: clone,
			env: buildNpmEnvironment(),
			logFile,
		});
		const isReady = () => existsSync(logFile) && readFileSync(logFile, 'utf8').includes(READY);
		await whileServersLive(waitFor('it to be ready', isReady, DEV_TIMEOUT_MS));
		await stop();
	});
}

/** Returns the blocks of shell commands below a heading of a document. */
async function readCommands(file: string, heading: string): Promise<string[]> {
	const { children } = remark.parse(await readFile(file, 'utf8'));
	const start = children.findIndex((node) => node.type === 'heading' && toString(node) === heading);
	const section = children.slice(start + 1);
	const end = section.findIndex(({ type }) => type === 'heading');
	const blocks = section
		.slice(0, end)
		.flatMap((node) => (node.type === 'code' && node.lang === 'sh' ? [node.value] : []));
	if (start < 0 || blocks.length === 0)
		throw new Error(`${file} has no commands below "${heading}".`);
	return blocks;
}

/** Runs blocks of commands in a folder, as a person does in a terminal. */
async function runCommands(blocks: string[], cwd: string, env = buildNpmEnvironment()) {
	for (const block of blocks) {
		await step(block.replaceAll('\n', '; '), () => run('bash', ['-ec', block], { cwd, env }));
	}
}

/** Returns the environment of a person with an empty home, whose settings and caches stay in use. */
async function moveHome(home: string): Promise<Record<string, string>> {
	await mkdir(home);
	const get = async (name: string) => (await runNpm(['config', 'get', name], home)).trim();
	const [userconfig, cache] = [await get('userconfig'), await get('cache')];
	const settings = {
		npm_config_userconfig: userconfig,
		npm_config_cache: cache,
		npm_config_prefer_offline: 'true',
	};
	return { ...buildNpmEnvironment(), ...settings, HOME: home };
}

/** No Docker runs here: its commands must be the one for a machine, with the container's paths. */
function checkDockerCommands(commands: string, command: string): void {
	const [, file = ''] = /\.\/(\S+\.tgz)/.exec(command) ?? [];
	const folder = '/home/node/.n8n';
	const expected = [
		`docker cp ${file} <container>:${folder}/`,
		`docker exec <container> ${command.replace('~/.n8n', folder).replace('./', `${folder}/`)}`,
		'docker restart <container>',
	].join('\n');
	if (commands !== expected) {
		throw new Error(`The commands for Docker in README.md should be:\n${expected}`);
	}
}
