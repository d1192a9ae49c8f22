export const WORKFLOWS = 1_000;

/** One poll of an account with this many video logs. */
export interface PollOfLogs {
	logs: number;
	bytes: number;
	/** CPU time of a poll that finds a new video. */
	cpuMs: number;
	/** CPU time of a poll that finds nothing new, of a service without tags. */
	unchangedCpuMs: number;
	peakMiB: number;
}

export interface ScaleTable {
	title: string;
	/** The values of each row, by the head of their column. */
	rows: Record<string, number>[];
}

/**
 * Creates two tables: the measured cost of long lists, and the cost of many workflows with one key,
 * calculated from it.
 */
export function createScaleTables(polls: PollOfLogs[]) {
	return {
		poll: {
			title: 'One poll of the trigger, measured',
			rows: polls.map(({ logs, bytes, cpuMs, unchangedCpuMs, peakMiB }) => ({
				Videos: logs,
				'Response (MB)': round(bytes / 1e6),
				'A new video (ms)': round(cpuMs),
				'Nothing new (ms)': round(unchangedCpuMs),
				'Memory (MiB)': Math.round(peakMiB),
			})),
		},
		manyTriggers: {
			title: `${WORKFLOWS} workflows on one key, each with a trigger of its own, calculated`,
			rows: polls.map(({ logs, bytes, unchangedCpuMs }) => ({
				Videos: logs,
				'GB per minute': round((bytes * WORKFLOWS) / 1e9),
				'busy cores': round((unchangedCpuMs * WORKFLOWS) / 60_000),
			})),
		},
	} satisfies Record<string, ScaleTable>;
}

function round(figure: number): number {
	return Number(figure.toPrecision(2));
}
