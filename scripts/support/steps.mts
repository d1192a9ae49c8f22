import { Listr, PRESET_TIMER } from 'listr2';

/** processes.mts handles the signals, not listr2. */
const OPTIONS = {
	registerSignalListeners: false,
	rendererOptions: { timer: PRESET_TIMER },
	fallbackRendererOptions: { timer: PRESET_TIMER },
};

/** The failure of a step; its message has already been shown. */
export class StepFailed extends Error {}

/** Runs a step and shows its title, its duration, and its error if it fails. */
export async function step<Result>(title: string, work: () => Promise<Result>): Promise<Result> {
	const context = {} as { value: Result };
	const task = async () => {
		context.value = await work();
	};
	await new Listr([{ title, task }], OPTIONS).run().catch((error: unknown) => {
		throw new StepFailed(title, { cause: error });
	});
	return context.value;
}

/** Runs independent steps, two at a time. @returns whether all of them succeeded */
export async function stepsAtOnce(
	steps: { title: string; task: () => Promise<unknown> }[],
): Promise<boolean> {
	const options = { ...OPTIONS, concurrent: 2, exitOnError: false };
	const list = new Listr(steps, { ...options, collectErrors: 'minimal' });
	await list.run();
	return list.errors.length === 0;
}
