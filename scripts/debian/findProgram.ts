import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Debian keeps PostgreSQL's programs here, one folder a version, and out of the path. */
const POSTGRESQL = '/usr/lib/postgresql';

/**
 * Where a program is.
 * @returns its path, of the newest version where there are several; undefined when it is not installed
 */
export function findProgram(name: string): string | undefined {
	const folders = [...(process.env.PATH ?? '').split(delimiter), ...listPostgresqlFolders()];
	return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function listPostgresqlFolders(): string[] {
	if (!existsSync(POSTGRESQL)) return [];
	const versions = readdirSync(POSTGRESQL).sort((a, b) => Number(b) - Number(a));
	return versions.map((version) => join(POSTGRESQL, version, 'bin'));
}

function isExecutable(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}
