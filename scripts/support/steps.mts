import { Listr, PRESET_TIMER } from 'listr2';

const TICK_MS = 30_000;

/** processes.mts handles the signals, not listr2. */
const OPTIONS = {
	registerSignalListeners: false,
	rendererOptions: { timer: PRESET_TIMER },
	fallbackRendererOptions: { timer: PRESET_TIMER },
};

/** The failure of a step; its message has already been shown. */
export class StepFailed extends Error {}

/**
 * Runs a step and shows its title, its duration, and its error if it fails. On a terminal the step
 * is one line that is updated; in a log, a long step reports from time to time that it is still
 * running.
 */
export async function step<Result>(title: string, work: () => Promise<Result>): Promise<Result> {
	let result: { value: Result } | undefined;
	const remember = async () => {
		result = { value: await work() };
	};
	await new Listr([createTask(title, remember)], OPTIONS).run().catch((error: unknown) => {
		throw new StepFailed(title, { cause: error });
	});
	return (result as unknown as { value: Result }).value;
}

/** Runs independent steps, two at a time. @returns whether all of them succeeded */
export async function stepsAtOnce(
	steps: [title: string, work: () => Promise<unknown>][],
): Promise<boolean> {
	const tasks = steps.map(([title, work]) => createTask(title, work));
	const list = new Listr(tasks, {
		...OPTIONS,
		concurrent: 2,
		exitOnError: false,
		collectErrors: 'minimal',
	});
	await list.run();
	return list.errors.length === 0;
}

function createTask(title: string, work: () => Promise<unknown>) {
	return {
		title,
		task: async (_context: unknown, task: { output: string }) => {
			const ticker = setInterval(() => {
				if (!process.stdout.isTTY) task.output = `still running: ${title}`;
			}, TICK_MS);
			try {
				await work();
			} finally {
				clearInterval(ticker);
			}
		},
	};
}
