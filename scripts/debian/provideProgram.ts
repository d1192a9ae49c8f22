import { existsSync } from 'node:fs';
import { ReadableError } from '../ReadableError';
import type { ProcessSet } from '../processes/ProcessSet';
import { showStep } from '../steps/showStep';
import { findProgram } from './findProgram';
import { PROGRAMS, type Program } from './PROGRAMS';

/** Asks nothing, and starts no server of its own accord. */
const QUIET = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };

/**
 * Installs a program where it is missing: on Debian, as root. Elsewhere it stays missing, which is
 * an error only in continuous integration (`CI` is set), for there no test may be left out.
 */
export async function provideProgram(name: Program, processes: ProcessSet): Promise<void> {
	if (findProgram(name)) return;
	const { debianPackage, needs } = PROGRAMS[name];
	if (existsSync('/etc/debian_version') && process.getuid?.() === 0) {
		await installDebianPackage(debianPackage, processes);
	}
	if (!findProgram(name) && process.env.CI) {
		throw new ReadableError(`These tests need ${needs}: install it and start again.`);
	}
}

async function installDebianPackage(name: string, processes: ProcessSet): Promise<void> {
	const options = { cwd: process.cwd(), env: { ...process.env, ...QUIET } };
	const install = ['install', '--yes', '--no-install-recommends', name];
	await showStep(`Installing ${name} with apt-get`, async () => {
		await processes.run('apt-get', ['update'], options);
		await processes.run('apt-get', install, options);
	});
}
