import type { FailureText } from './FailureText';
import type { FailureFacts } from './requestFailure';

/** Of a queue item that the service has ended without a video. */
export function describeFailedGeneration(facts: FailureFacts): FailureText {
	return {
		message: `The video could not be generated: its status is "${facts.lastStatus ?? ''}"`,
		description: `The service has ended this queue item without a video. Check the project and the prompt before you queue it again. Which words mean a failure is set in "Failed Statuses" under Wait Options.`,
	};
}

/** Of a wait that was given up, while the video is still being made. */
export function describeTimeOut({
	waitedSeconds = 0,
	lastStatus = 'unknown',
	serviceMessage,
}: FailureFacts): FailureText {
	const problem = serviceMessage === undefined ? '' : ` The last look failed: ${serviceMessage}.`;
	return {
		message: `The video was not finished within ${waitedSeconds} seconds`,
		description: `It is still being made, and nothing is lost: its last status is "${lastStatus}".${problem} Go on with Queue > Wait and this Queue ID, set a longer "Timeout" under Wait Options, or let the Video Generation Trigger start a workflow when it is finished.`,
	};
}
