import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { listProcesses } from './listProcesses';

const SHELL = /^(\S*\/)?(ba|da|z|k|a)?sh\0?\s?-c\b/;

/**
 * The processes between us and npm, npm included, when `npm start` runs us. npm passes a SIGTERM on to
 * its shell only, and a SIGKILL to nobody, so these have to be watched to see that they are gone.
 */
export function findNpm(): number[] {
	if (process.env.npm_lifecycle_event === undefined) return [];
	const parent = process.ppid;
	// Not every shell replaces itself by the command it is to run.
	if (process.platform === 'win32' || !SHELL.test(readCommand(parent))) return [parent];
	const shell = listProcesses().find(({ pid }) => pid === parent);
	return shell ? [parent, shell.parentPid] : [parent];
}

function readCommand(pid: number): string {
	try {
		return process.platform === 'linux'
			? readFileSync(`/proc/${pid}/cmdline`, 'utf8')
			: execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
	} catch {
		return ''; // It is gone already.
	}
}
