import { readFileSync } from 'node:fs';

const KILOBYTES_A_MEGABYTE = 1024;

/** What memory a process holds, and the most it has held so far, where the system tells. */
export function readMemory(pid: number): string {
	if (process.platform !== 'linux') return 'unknown';
	const status = readFileSync(`/proc/${pid}/status`, 'utf8');
	const read = (field: string) => {
		const [, kilobytes = ''] = new RegExp(`${field}:\\s+(\\d+) kB`).exec(status) ?? [];
		return Math.round(Number(kilobytes) / KILOBYTES_A_MEGABYTE);
	};
	return `${read('VmRSS')} MiB, at most ${read('VmHWM')} MiB`;
}
