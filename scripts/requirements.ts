import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Versions of Node.js in which the package is loaded and used. n8n 2.41 needs 24, and n8n Cloud runs it in 26. */
export const NODE_MAJORS = [20, 22, 24, 26];

/** The oldest n8n that is supported: its engine is in `scripts/versions`. */
export const OLDEST_N8N = '2.20.12';

/** The programs that a real n8n is tested with: their names in the path, the best first, and what to install. */
export const PROGRAMS = {
	// The Chromium of GitHub's machines plays no H.264; their Chrome does.
	browser: {
		names: ['google-chrome', 'chromium'],
		install: 'Google Chrome or Chromium (google-chrome or chromium in the path)',
	},
	redis: { names: ['redis-server'], install: 'Redis (redis-server in the path)' },
	postgresql: { names: ['postgres'], install: 'PostgreSQL (postgres and initdb in the path)' },
} as const;

export type Program = keyof typeof PROGRAMS;

/** Debian's folder of PostgreSQL programs: it has a subfolder for each version, not in the path. */
const POSTGRESQL = '/usr/lib/postgresql';

/** @returns the path of the first of these programs that is installed, or undefined */
export function findProgram(...names: readonly string[]): string | undefined {
	const versions = existsSync(POSTGRESQL) ? readdirSync(POSTGRESQL) : [];
	const newestFirst = versions.sort((a, b) => Number(b) - Number(a));
	const inPath = process.env.PATH?.split(delimiter) ?? [];
	const folders = [...inPath, ...newestFirst.map((version) => join(POSTGRESQL, version, 'bin'))];
	return names
		.flatMap((name) => folders.map((folder) => join(folder, name)))
		.find((file) => existsSync(file));
}
