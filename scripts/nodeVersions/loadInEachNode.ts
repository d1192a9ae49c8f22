import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { findCacheFolder } from '../cache/findCacheFolder';
import { packAndUnpack } from '../n8n/packAndUnpack';
import { provideNode } from '../n8n/provideNode';
import type { ProcessSet } from '../processes/ProcessSet';
import { showStep } from '../steps/showStep';
import { NODE_MAJORS } from './NODE_MAJORS';

/**
 * Loads and uses the packed package in each version of Node.js, in an empty folder that has
 * n8n-workflow and nothing else for it to find.
 */
export async function loadInEachNode(processes: ProcessSet): Promise<void> {
	const temporary = await mkdtemp(join(tmpdir(), 'node-versions-'));
	try {
		const folder = await packAndUnpack(temporary, processes);
		const peer = join(temporary, 'node_modules', 'n8n-workflow');
		await mkdir(dirname(peer));
		await symlink(resolve('node_modules', 'n8n-workflow'), peer, 'junction');
		for (const major of NODE_MAJORS) {
			const { binary } = await provideNode(findCacheFolder(), processes, major);
			const args = ['--import', 'tsx', join('test', 'load', 'main.ts'), String(major)];
			const said = await showStep(`Loading the packed package in Node ${major}`, () =>
				processes.run(binary, args, {
					cwd: process.cwd(),
					env: { ...process.env, VIDEO_GENERATION_PACKAGE: folder, N8N_LOG_LEVEL: 'silent' },
				}),
			);
			console.log(`  ${said.trim()}`);
		}
	} finally {
		await rm(temporary, { recursive: true, force: true });
	}
}
