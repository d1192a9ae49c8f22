import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

export interface ProcessEntry {
	pid: number;
	parentPid: number;
	groupId: number;
}

/**
 * All processes of this machine that still run; one that has ended and only waits to be collected
 * by its parent is left out. Linux is read without `ps`, which slim containers do not have.
 */
export function listProcesses(): ProcessEntry[] {
	return existsSync('/proc/self/stat') ? listFromProc() : listFromPs();
}

function listFromProc(): ProcessEntry[] {
	return readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name))
		.flatMap((name) => readStat(name));
}

function readStat(pid: string): ProcessEntry[] {
	let stat: string;
	try {
		stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
	} catch {
		return []; // It ended while the list was being read.
	}
	// The command stands in brackets and may itself hold brackets and spaces.
	const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	return toEntry(state, pid, parent, group);
}

function listFromPs(): ProcessEntry[] {
	return execFileSync('ps', ['-A', '-o', 'stat=,pid=,ppid=,pgid='], { encoding: 'utf8' })
		.split('\n')
		.flatMap((line) => {
			const [state, pid, parent, group] = line.trim().split(/\s+/);
			return toEntry(state, pid, parent, group);
		});
}

function toEntry(state?: string, pid?: string, parent?: string, group?: string): ProcessEntry[] {
	if (!state || state.startsWith('Z') || state.startsWith('X') || !group) return [];
	return [{ pid: Number(pid), parentPid: Number(parent), groupId: Number(group) }];
}
