import { Listr, PRESET_TIMER } from 'listr2';

const TICK_MS = 30_000;

/** A step that has failed; its message is on the screen already. */
export class StepFailed extends Error {}

/**
 * Says what is being done, and how long it took or why it failed. On a terminal the step is one line that
 * lives; in a log, a long step says now and then that it is still at it.
 */
export async function step<Result>(title: string, work: () => Promise<Result>): Promise<Result> {
	let result: { value: Result } | undefined;
	await new Listr(
		[
			{
				title,
				task: async (_context, task) => {
					const ticker = setInterval(() => {
						if (!process.stdout.isTTY) task.output = `still at it: ${title}`;
					}, TICK_MS);
					try {
						result = { value: await work() };
					} finally {
						clearInterval(ticker);
					}
				},
			},
		],
		{
			registerSignalListeners: false,
			rendererOptions: { timer: PRESET_TIMER, collapseErrors: false },
			fallbackRendererOptions: { timer: PRESET_TIMER },
		},
	)
		.run()
		.catch((error: unknown) => {
			throw new StepFailed(title, { cause: error });
		});
	return (result as { value: Result }).value;
}
