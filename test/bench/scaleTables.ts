const WORKFLOWS = 1_000;
/** n8n polls a trigger once a minute at the most. */
const POLLS_A_DAY = 24 * 60;
const VIDEO_SECONDS = 300;
/** The node's own: a look at the progress every 10 seconds. */
const INTERVAL_SECONDS = 10;

/** One poll of an account with so many video logs. */
export interface PollOfLogs {
	logs: number;
	bytes: number;
	cpuMs: number;
	peakMiB: number;
	stateBytes: number;
}

export interface ScaleTable {
	title: string;
	/** What stands in each column, by its head. */
	rows: Record<string, number>[];
}

/** What long lists cost, as measured, and what many workflows on one key would, calculated from that. */
export function createScaleTables(polls: PollOfLogs[]) {
	return {
		poll: {
			title: 'One poll of the trigger, measured',
			rows: polls.map(({ logs, bytes, cpuMs, peakMiB, stateBytes }) => ({
				'video logs': logs,
				'answer (MB)': round(bytes / 1e6),
				'CPU (ms)': round(cpuMs),
				'most memory of the process (MiB)': Math.round(peakMiB),
				'state (bytes)': stateBytes,
			})),
		},
		manyTriggers: {
			title: `${WORKFLOWS} workflows on one key, each with a trigger of its own, calculated`,
			rows: polls.map(({ logs, bytes, cpuMs, stateBytes }) => ({
				'video logs': logs,
				'requests a minute': WORKFLOWS,
				'GB a minute': round((bytes * WORKFLOWS) / 1e9),
				'busy cores': round((cpuMs * WORKFLOWS) / 60_000),
				'state (MB)': round((stateBytes * WORKFLOWS) / 1e6),
			})),
		},
		oneTrigger: {
			title: 'The same with one trigger for all of them, calculated',
			rows: polls.map(({ logs, bytes, cpuMs, stateBytes }) => ({
				'video logs': logs,
				'requests a minute': 1,
				'GB a day': round((bytes * POLLS_A_DAY) / 1e9),
				'busy cores': round(cpuMs / 60_000),
				'state (MB)': round(stateBytes / 1e6),
			})),
		},
		waits: {
			title: `${WORKFLOWS} executions that each wait for a video of ${VIDEO_SECONDS} s, calculated`,
			rows: polls.map(({ logs, bytes }) => ({
				'video logs': logs,
				'looks at the progress a second': round(WORKFLOWS / INTERVAL_SECONDS),
				'looks in all': (WORKFLOWS * VIDEO_SECONDS) / INTERVAL_SECONDS,
				'reads of the video log': WORKFLOWS,
				'GB read': round((bytes * WORKFLOWS) / 1e9),
			})),
		},
	} satisfies Record<string, ScaleTable>;
}

function round(figure: number): number {
	return Number(figure.toPrecision(2));
}
