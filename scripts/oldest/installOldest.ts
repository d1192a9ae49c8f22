import { buildNpmEnvironment } from '../cache/buildNpmEnvironment';
import { installInCache } from '../cache/installInCache';
import { readManifest } from '../cache/readManifest';
import type { ProcessSet } from '../processes/ProcessSet';
import { showStep } from '../steps/showStep';

/** The folder in the cache with the engine of the oldest n8n, installed now if it is not there yet. */
export async function installOldest(cacheFolder: string, processes: ProcessSet): Promise<string> {
	return await installInCache(cacheFolder, {
		name: 'oldest-n8n',
		files: readManifest(__dirname),
		install: async (cwd) => {
			await showStep(
				`Installing the oldest n8n that is supported into ${cacheFolder}`,
				() => processes.run('npm', ['install'], { cwd, env: buildNpmEnvironment() }),
				{ hint: 'once; 240 MB' },
			);
		},
	});
}
