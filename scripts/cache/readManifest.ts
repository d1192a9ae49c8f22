import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files in a folder that say what npm is to install there, by name. */
export function readManifest(folder: string): Record<string, string> {
	const names = ['package.json', 'package-lock.json', '.npmrc'];
	return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}
