import { join } from 'node:path';
import type { ProcessSet } from '../processes/ProcessSet';
import { packPackage } from './packPackage';

/**
 * Packs the built package as it would be published, and unpacks it below a folder.
 * @returns the folder with what the tarball holds
 */
export async function packAndUnpack(folder: string, processes: ProcessSet): Promise<string> {
	const tarball = await packPackage(join(folder, 'packed'), processes);
	await processes.run('tar', ['-xzf', tarball, '-C', folder], {
		cwd: process.cwd(),
		env: process.env,
	});
	// The folder that every npm tarball holds.
	return join(folder, 'package');
}
