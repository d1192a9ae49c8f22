import { formatDuration } from './formatDuration';

export interface StepOutput {
	isTTY?: boolean;
	write(text: string): unknown;
}

const TERMINAL_TICK_MS = 1_000;
const LOG_TICK_MS = 30_000;
const CLEAR_LINE = '\r\u001b[2K';

/**
 * Says what is being done, while it is being done how long it takes, and afterwards how long it
 * took. On a terminal the time runs on one line; in a log there is a new line now and then.
 * @param hint what to expect of a long step, e.g. "about 5 minutes, once"
 */
export async function showStep<Result>(
	title: string,
	work: () => Promise<Result>,
	{ hint, output = process.stdout }: { hint?: string; output?: StepOutput } = {},
): Promise<Result> {
	output.write(`• ${title}${hint ? ` (${hint})` : ''} …\n`);
	const startedAt = Date.now();
	const elapsed = () => formatDuration(Date.now() - startedAt);
	const isTerminal = output.isTTY === true;
	const ticker = setInterval(
		() =>
			output.write(isTerminal ? `${CLEAR_LINE}  ${elapsed()}` : `  still at it, ${elapsed()}\n`),
		isTerminal ? TERMINAL_TICK_MS : LOG_TICK_MS,
	);
	try {
		const result = await work();
		output.write(`${isTerminal ? CLEAR_LINE : ''}  done in ${elapsed()}\n`);
		return result;
	} catch (error) {
		output.write(`${isTerminal ? CLEAR_LINE : ''}  failed after ${elapsed()}\n`);
		throw error;
	} finally {
		clearInterval(ticker);
	}
}
