import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildNpmEnvironment } from '../cache/buildNpmEnvironment';
import type { ProcessSet } from '../processes/ProcessSet';

/**
 * Packs the built package as it would be published.
 * @param folder holds the tarball and nothing else afterwards
 * @returns the path of the tarball
 */
export async function packPackage(folder: string, processes: ProcessSet): Promise<string> {
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder, { recursive: true });
	await processes.run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], {
		cwd: process.cwd(),
		env: buildNpmEnvironment(),
	});
	const [tarball = ''] = await readdir(folder);
	return join(folder, tarball);
}
