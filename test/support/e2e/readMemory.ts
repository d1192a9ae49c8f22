import { readFileSync } from 'node:fs';

const KILOBYTES_A_MEGABYTE = 1024;

/** What memory a process holds, and the most it has held so far; undefined where the system does not tell. */
export function readMemory(pid: number | undefined): string | undefined {
	if (pid === undefined || process.platform !== 'linux') return undefined;
	const status = readFileSync(`/proc/${pid}/status`, 'utf8');
	const read = (field: string) => {
		const [, kilobytes = ''] = new RegExp(`${field}:\\s+(\\d+) kB`).exec(status) ?? [];
		return Math.round(Number(kilobytes) / KILOBYTES_A_MEGABYTE);
	};
	return `${read('VmRSS')} MiB (most since its start: ${read('VmHWM')} MiB)`;
}
