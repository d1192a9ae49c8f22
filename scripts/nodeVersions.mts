import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { build } from './build.mjs';
import { installNode, unpackPackage } from './n8n/install.mjs';
import { NODE_MAJORS } from './requirements.js';
import { run, step } from './support/command.mjs';

/**
 * `npm run test:node`: loads and uses the packed package in each version of Node.js, in a folder in
 * which it finds n8n-workflow and nothing else.
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
		for (const major of NODE_MAJORS) {
			const node = await installNode(major);
			const args = ['--import', 'tsx', join('test', 'load', 'main.ts'), String(major)];
			const env = { ...process.env, VIDEO_GENERATION_PACKAGE: folder, N8N_LOG_LEVEL: 'silent' };
			const output = await step(`Loading the packed package in Node.js ${major}`, () =>
				run(node, args, { env }),
			);
			console.log(`  ${output.trim()}`);
		}
	} finally {
		await rm(temporary, { recursive: true, force: true });
	}
}
