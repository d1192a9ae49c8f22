import { copyFile, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { build } from './build.mjs';
import { installNode, provideNode, unpackPackage } from './n8n/install.mjs';
import { NODE_MAJORS } from './requirements.js';
import { runNpm } from './support/cache.mjs';
import { run, step } from './support/command.mjs';

/** What npm reads before an installation. */
const NPM_FILES = ['package.json', 'package-lock.json', '.npmrc'];

/**
 * `npm run test:node`: in each version of Node.js, loads and uses the packed package in a folder in which it
 * finds n8n-workflow and nothing else, and has its npm check the lock file.
 */
export default async function testNodeVersions(): Promise<void> {
	await build();
	const temporary = await mkdtemp(join(tmpdir(), 'node-versions-'));
	try {
		const folder = join(temporary, 'package');
		await unpackPackage(join(temporary, 'packed'), folder);
		const peer = join(temporary, 'node_modules', 'n8n-workflow');
		await mkdir(dirname(peer));
		await symlink(resolve('node_modules', 'n8n-workflow'), peer, 'junction');
		const project = join(temporary, 'project');
		await mkdir(project);
		for (const file of NPM_FILES) await copyFile(file, join(project, file));
		for (const major of NODE_MAJORS) {
			const node = await installNode(major);
			const args = ['--import', 'tsx', join('test', 'load', 'main.ts'), String(major)];
			const env = { ...process.env, VIDEO_GENERATION_PACKAGE: folder, N8N_LOG_LEVEL: 'silent' };
			const output = await step(`Loading the packed package in Node.js ${major}`, () =>
				run(node, args, { env }),
			);
			console.log(`  ${output.trim()}`);
			const PATH = await provideNode(major);
			await step(`Checking the lock file with the npm of Node.js ${major}`, () =>
				runNpm(['ci', '--dry-run', '--offline'], project, { PATH }),
			);
		}
	} finally {
		await rm(temporary, { recursive: true, force: true });
	}
}
