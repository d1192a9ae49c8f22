import { readFileSync } from 'node:fs';

const KILOBYTES_A_MEGABYTE = 1024;

/** Returns the current and the peak memory of a process, if the system provides them. */
export function readMemory(pid: number): string {
	if (process.platform !== 'linux') return 'unknown';
	const status = readFileSync(`/proc/${pid}/status`, 'utf8');
	const read = (field: string) => {
		const [, kilobytes = ''] = new RegExp(`${field}:\\s+(\\d+) kB`).exec(status) ?? [];
		return Math.round(Number(kilobytes) / KILOBYTES_A_MEGABYTE);
	};
	return `${read('VmRSS')} MiB, at most ${read('VmHWM')} MiB`;
}
