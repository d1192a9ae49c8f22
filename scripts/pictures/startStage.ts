import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findCacheFolder } from '../cache/findCacheFolder';
import { installCommunityPackage } from '../n8n/installCommunityPackage';
import { installN8n } from '../n8n/installN8n';
import type { N8nClient } from '../n8n/N8nClient';
import { packPackage } from '../n8n/packPackage';
import { provideNode } from '../n8n/provideNode';
import type { ProcessSet } from '../processes/ProcessSet';
import { ReadableError } from '../ReadableError';
import { listenBriefly } from '../start/listenBriefly';
import { OWNER } from '../start/OWNER';
import { startN8n } from '../start/startN8n';
import { showStep } from '../steps/showStep';

/** Starts an n8n with the packed package and nothing else in it, with its owner logged in. */
export async function startStage(folder: string, processes: ProcessSet): Promise<N8nClient> {
	const logFolder = join(folder, 'logs');
	mkdirSync(logFolder, { recursive: true });
	const cacheFolder = findCacheFolder();
	const node = await provideNode(cacheFolder, processes);
	const n8nFolder = await installN8n(cacheFolder, node, processes);
	const { name } = JSON.parse(readFileSync('package.json', 'utf8')) as { name: string };
	return await showStep('Starting a fresh n8n with the package', async () => {
		const tarball = await packPackage(join(folder, 'package'), processes);
		await installCommunityPackage(tarball, name, folder, processes);
		const [port, brokerPort] = [await listenBriefly(0), await listenBriefly(0)];
		if (port === undefined || brokerPort === undefined) {
			throw new ReadableError('No free port was found.');
		}
		const settings = { userFolder: folder, node: node.binary, port, brokerPort };
		const client = await startN8n(n8nFolder, settings, logFolder, processes);
		await client.setUpOwner(OWNER);
		return client;
	});
}
