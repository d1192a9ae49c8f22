import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import which from 'which';

/** The versions of Node.js that the package is loaded and used in; the last one is what current n8n needs. */
export const NODE_MAJORS = [20, 22, 24];

/** Programs that the tests in a real n8n need beside n8n, and where Debian has them. */
export const PROGRAMS = {
	chromium: { debianPackage: 'chromium', needs: 'a Chromium browser in the path' },
	'redis-server': { debianPackage: 'redis-server', needs: 'Redis (redis-server) in the path' },
	postgres: { debianPackage: 'postgresql', needs: 'PostgreSQL (postgres, initdb) in the path' },
} as const;

export type Program = keyof typeof PROGRAMS;

/** Debian keeps PostgreSQL's programs here, one folder a version, and out of the path. */
const POSTGRESQL = '/usr/lib/postgresql';

/** @returns the path of a program, or undefined when it is not installed */
export function findProgram(name: string): string | undefined {
	const versions = existsSync(POSTGRESQL) ? readdirSync(POSTGRESQL) : [];
	const newestFirst = versions.sort((a, b) => Number(b) - Number(a));
	const folders = newestFirst.map((version) => join(POSTGRESQL, version, 'bin'));
	const path = [process.env.PATH, ...folders].join(delimiter);
	return which.sync(name, { nothrow: true, path }) ?? undefined;
}
