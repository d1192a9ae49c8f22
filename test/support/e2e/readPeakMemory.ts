import { readFileSync } from 'node:fs';

/** The most memory that a process has held so far, in MiB; undefined where the system does not tell. */
export function readPeakMemory(pid: number | undefined): number | undefined {
	if (pid === undefined || process.platform !== 'linux') return undefined;
	const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
	return kilobytes === undefined ? undefined : Math.round(Number(kilobytes) / 1024);
}
