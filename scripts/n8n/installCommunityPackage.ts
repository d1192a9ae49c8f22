import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildNpmEnvironment } from '../cache/buildNpmEnvironment';
import type { ProcessSet } from '../processes/ProcessSet';

const STAMP = '.installed-tarball';

/**
 * Installs a packed package where n8n keeps community packages, unless this very tarball is there
 * already. The content decides, not the version: during development that stays the same.
 * @returns whether it had to be installed
 */
export async function installCommunityPackage(
	tarball: string,
	packageName: string,
	userFolder: string,
	processes: ProcessSet,
): Promise<boolean> {
	const nodesFolder = join(userFolder, '.n8n', 'nodes');
	const installed = join(nodesFolder, 'node_modules', packageName);
	const stamp = join(nodesFolder, STAMP);
	const hash = createHash('sha256')
		.update(await readFile(tarball))
		.digest('hex');
	const before = await readFile(stamp, 'utf8').catch(() => '');
	if (before === hash && existsSync(join(installed, 'package.json'))) return false;

	await mkdir(nodesFolder, { recursive: true });
	const manifest = join(nodesFolder, 'package.json');
	if (!existsSync(manifest)) {
		// As n8n writes it itself. Without it npm would take the project around it for its root.
		const content = { name: 'installed-nodes', private: true, dependencies: {} };
		await writeFile(manifest, JSON.stringify(content, null, 2));
	}
	await rm(stamp, { force: true });
	// npm may take a package of the same version for the same package.
	await rm(installed, { recursive: true, force: true });
	await processes.run('npm', ['install', tarball, ...FLAGS], {
		cwd: nodesFolder,
		env: buildNpmEnvironment(),
	});
	await writeFile(stamp, hash);
	return true;
}

/** As n8n installs a community package: nothing but the package and its runtime dependencies. */
const FLAGS = [
	'--ignore-scripts',
	'--omit=dev',
	'--omit=optional',
	'--omit=peer',
	'--package-lock=false',
	'--bin-links=false',
	'--prefer-offline',
	'--no-audit',
	'--no-fund',
];
