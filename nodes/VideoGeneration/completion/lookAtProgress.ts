import { readFailure } from '../failures/readFailure';
import type { FailureKind } from '../failures/requestFailure';
import { RequestFailure } from '../failures/requestFailure';
import { judgeStatus } from './judgeStatus';
import type { VideoWait } from './VideoWait';

/** The service or the network has a bad moment: the video is being made all the same. */
const PASSING: FailureKind[] = ['rateLimited', 'uncertain', 'unreached'];

/** An answer that makes no sense may be a bad moment, too, but not many times in a row. */
const SENSELESS: FailureKind[] = ['unreadable', 'unsuccessful', 'incomplete'];

/**
 * Reads the progress of a waiting item once, and notes what it says.
 *
 * @param logReads how many times the video log has been read before
 * @param now reads the time in milliseconds since 1970
 */
export async function lookAtProgress(
	wait: VideoWait,
	logReads: number,
	now: () => number,
): Promise<void> {
	const { order } = wait;
	const askedAt = now();
	const outcome = await order.readProgress().then(
		(details) => ({ details }),
		(reason: unknown) => ({ failure: readFailure(reason) }),
	);
	if (!isRunning(wait)) return;
	wait.nextLookAt = Math.max(now(), Math.min(now() + order.intervalMs, wait.deadlineAt));
	if ('failure' in outcome) {
		noteFailure(wait, outcome.failure, now());
	} else {
		wait.details = outcome.details;
		wait.problem = undefined;
		wait.senselessLooks = 0;
		noteStatus(wait, askedAt, logReads);
	}
	if (isRunning(wait) && now() >= wait.deadlineAt) wait.timeOut();
}

function isRunning({ state }: VideoWait): boolean {
	return state === 'running';
}

function noteStatus(wait: VideoWait, askedAt: number, logReads: number): void {
	wait.order.onStatus?.(wait.lastStatus);
	switch (judgeStatus(wait.details, wait.order.words)) {
		case 'finished':
			wait.state = 'finished';
			return;
		case 'failed':
			wait.fail(new RequestFailure('notGenerated'));
			return;
		case 'running':
			wait.noteRunning(askedAt, logReads);
	}
}

function noteFailure(wait: VideoWait, failure: RequestFailure, now: number): void {
	const { kind, facts } = failure;
	const wasSeen = wait.details.status !== undefined;
	wait.problem = failure;
	if (kind === 'rejected' && facts.httpCode === '404' && wasSeen) {
		wait.state = 'left';
		return;
	}
	if (SENSELESS.includes(kind)) wait.senselessLooks += 1;
	const isPassing =
		PASSING.includes(kind) ||
		(SENSELESS.includes(kind) && wait.senselessLooks < wait.order.maxTries);
	if (!isPassing) {
		wait.fail(failure);
		return;
	}
	if (facts.retryAfterMs !== undefined) {
		wait.nextLookAt = Math.min(
			Math.max(wait.nextLookAt, now + facts.retryAfterMs),
			wait.deadlineAt,
		);
	}
}
