import { Listr, PRESET_TIMER } from 'listr2';

const TICK_MS = 30_000;

/** Stops at signals are ours: see processes.mts. */
const OPTIONS = {
	registerSignalListeners: false,
	rendererOptions: { timer: PRESET_TIMER },
	fallbackRendererOptions: { timer: PRESET_TIMER },
};

/** A step that has failed; its message is on the screen already. */
export class StepFailed extends Error {}

/**
 * Says what is being done, and how long it took or why it failed. On a terminal the step is one line that
 * lives; in a log, a long step says now and then that it is still at it.
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

/** Takes steps that need nothing of each other, two at a time. @returns whether all of them succeeded */
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
