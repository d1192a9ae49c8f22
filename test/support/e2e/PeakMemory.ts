import { readFileSync, writeFileSync } from 'node:fs';

/** The peak memory of a process since a reset, as the system counts it. Linux only. */
export class PeakMemory {
	constructor(private readonly pid: number) {}

	/** Sets the peak to the current memory. */
	reset(): void {
		try {
			writeFileSync(`/proc/${this.pid}/clear_refs`, '5');
		} catch {
			// Other systems lack this file, so the figure is left out.
		}
	}

	/** @returns the peak in MiB, or undefined if the system does not provide it */
	read(): number | undefined {
		try {
			const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
			return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024);
		} catch {
			return undefined;
		}
	}
}
