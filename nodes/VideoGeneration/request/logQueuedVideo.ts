import type { IExecuteSingleFunctions } from 'n8n-workflow';

/** Longer ids than this are none. */
const MOST_CHARACTERS = 200;

/**
 * Writes an accepted add into n8n's log. An execution whose process is killed while it waits for the
 * video keeps nothing of it: this line tells which video it had queued.
 */
export function logQueuedVideo(
	context: Pick<IExecuteSingleFunctions, 'logger' | 'getExecutionId'>,
	queueId: string,
	projectId: string,
): void {
	const quote = (text: string) => JSON.stringify(text.slice(0, MOST_CHARACTERS));
	context.logger.info(
		`Queued video ${quote(queueId)} of project ${quote(projectId)} in execution ${context.getExecutionId()}`,
	);
}
