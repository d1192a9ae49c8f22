import {
	copyFile,
	mkdir,
	mkdtemp,
	readdir,
	readFile,
	rm,
	symlink,
	writeFile,
} from 'node:fs/promises';
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
 * finds n8n-workflow and nothing else. In the oldest and the newest one, npm checks the lock file, and in the newest
 * one, the package is built again, in another folder and with another umask: it has the same bytes.
 */
export default async function testNodeVersions(): Promise<void> {
	await build();
	const temporary = await mkdtemp(join(tmpdir(), 'node-versions-'));
	try {
		const folder = join(temporary, 'package');
		const packed = join(temporary, 'packed');
		await unpackPackage(packed, folder);
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
			// The others have the npm of one of these.
			if (![NODE_MAJORS[0], NODE_MAJORS.at(-1)].includes(major)) continue;
			const PATH = await provideNode(major);
			await step(`Checking the lock file with the npm of Node.js ${major}`, () =>
				runNpm(['ci', '--dry-run', '--offline'], project, { PATH }),
			);
			if (major === NODE_MAJORS[0]) continue;
			await step(`Building the same package in Node.js ${major}`, async () => {
				const again = join(temporary, `built in ${major}`);
				await buildElsewhere(again, node, PATH);
				const [one, other] = [await readTarball(packed), await readTarball(again)];
				if (!one.equals(other))
					throw new Error('The packages differ. Compare their contents and modes.');
			});
		}
	} finally {
		await rm(temporary, { recursive: true, force: true });
	}
}

/** Builds and packs what git knows in another folder, of which other users may read nothing. */
async function buildElsewhere(folder: string, node: string, PATH: string): Promise<void> {
	const umask = process.umask(0o077);
	try {
		for (const file of (await run('git', ['ls-files', '-z'])).split('\0').filter(Boolean)) {
			await mkdir(dirname(join(folder, file)), { recursive: true });
			// A copy would keep the modes.
			await writeFile(join(folder, file), await readFile(file));
		}
		await symlink(resolve('node_modules'), join(folder, 'node_modules'), 'junction');
		const env = { ...process.env, PATH };
		await run(node, ['scripts/run.mjs', 'build'], { cwd: folder, env });
		await runNpm(['pack', '--ignore-scripts'], folder, { PATH });
	} finally {
		process.umask(umask);
	}
}

async function readTarball(folder: string): Promise<Buffer> {
	const file = (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? '';
	return await readFile(join(folder, file));
}
