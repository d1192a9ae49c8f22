import { readFileSync, writeFileSync } from 'node:fs';

/** What the system counts as the most memory that a process has held, from a moment on. Linux only. */
export class PeakMemory {
	constructor(private readonly pid: number) {}

	/** From now on. */
	reset(): void {
		try {
			writeFileSync(`/proc/${this.pid}/clear_refs`, '5');
		} catch {
			// Another system: the figure is left out.
		}
	}

	/** In MiB; undefined where the system does not tell. */
	read(): number | undefined {
		try {
			const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
			return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024);
		} catch {
			return undefined;
		}
	}
}
