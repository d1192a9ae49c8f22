import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Versions of Node.js in which the package is loaded and used. Current n8n needs the last one. */
export const NODE_MAJORS = [20, 22, 24];

/** The oldest n8n that is supported: its engine is in `scripts/versions`. */
export const OLDEST_N8N = '2.20.12';

/** What to install for programs that the tests in a real n8n need besides n8n. */
export const PROGRAMS = {
	chromium: 'a Chromium browser in the path',
	'redis-server': 'Redis (redis-server) in the path',
	postgres: 'PostgreSQL (postgres, initdb) in the path',
} as const;

export type Program = keyof typeof PROGRAMS;

/** Debian's folder of PostgreSQL programs: it has a subfolder for each version, not in the path. */
const POSTGRESQL = '/usr/lib/postgresql';

/** @returns the path of a program, or undefined when it is not installed */
export function findProgram(name: string): string | undefined {
	const versions = existsSync(POSTGRESQL) ? readdirSync(POSTGRESQL) : [];
	const newestFirst = versions.sort((a, b) => Number(b) - Number(a));
	const inPath = process.env.PATH?.split(delimiter) ?? [];
	return [...inPath, ...newestFirst.map((version) => join(POSTGRESQL, version, 'bin'))]
		.map((folder) => join(folder, name))
		.find((file) => existsSync(file));
}
