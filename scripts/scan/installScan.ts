import { buildNpmEnvironment } from '../cache/buildNpmEnvironment';
import { installInCache } from '../cache/installInCache';
import { readManifest } from '../cache/readManifest';
import type { ProcessSet } from '../processes/ProcessSet';
import { showStep } from '../steps/showStep';

/** The folder in the cache with n8n's verification scan, installed now if it is not there yet. */
export async function installScan(cacheFolder: string, processes: ProcessSet): Promise<string> {
	return await installInCache(cacheFolder, {
		name: 'scan',
		files: readManifest(__dirname),
		install: async (cwd) => {
			await showStep(`Installing n8n's verification scan into ${cacheFolder}`, () =>
				processes.run('npm', ['install'], { cwd, env: buildNpmEnvironment() }),
			);
		},
	});
}
