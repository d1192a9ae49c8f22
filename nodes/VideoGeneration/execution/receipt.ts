import type { IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';
import { RequestFailure } from '../failures/failure';
import { TELL_APART } from '../failures/texts';
import { isAssumptionBroken } from '../waiting/accountVideos';
import { isAmbiguous } from './finishVideo';
import type { Job, Outcome } from './job';

/**
 * Tells the person under the output of a run what they should know and cannot see: how many videos may
 * have been queued, and how many could not be identified, each with what to do. Nothing where all went
 * well.
 */
export function addReceipt({ context, run }: Job, jobs: Job[], outcomes: Outcome[]): void {
	const mayBeQueued = jobs.filter(
		({ operation, memory }) => operation.requestKind === 'add' && memory.isFateUnknown(),
	);
	const isUnexpected = isAssumptionBroken(run.owner);
	const counts = outcomes.flatMap(getCandidateCount);
	const ambiguous = counts.filter((count) => count > 0 || isUnexpected);
	const hints = [
		describeMayBeQueued(mayBeQueued.length),
		describeAmbiguous(ambiguous.length, isUnexpected),
		describeUnlisted(counts.length - ambiguous.length),
	].flatMap((message): NodeExecutionHint[] =>
		message === undefined ? [] : [{ message, type: 'warning', location: 'outputPane' }],
	);
	// n8n has no hints where an agent calls its tool itself.
	const panel = context as Partial<Pick<IExecuteFunctions, 'addExecutionHints'>>;
	panel.addExecutionHints?.(...hints);
}

/** @returns the number of videos that may be an item's own; an empty list for an item that has its own */
function getCandidateCount(outcome: Outcome): number[] {
	if ('reason' in outcome) {
		const { reason } = outcome;
		const isUnidentified = reason instanceof RequestFailure && reason.kind === 'ambiguousVideo';
		return isUnidentified ? [reason.facts.candidateCount ?? 0] : [];
	}
	return outcome.output
		.filter(({ json }) => isAmbiguous(json))
		.map(({ json }) => Number(json.videoCandidateCount));
}

function describeMayBeQueued(count: number): string | undefined {
	if (count === 0) return undefined;
	const subject =
		count === 1
			? '1 video may have been queued and paid for, but its queue ID did not arrive'
			: `${count} videos may have been queued and paid for, but their queue IDs did not arrive`;
	return `${subject}. Before you queue ${count === 1 ? 'it' : 'them'} again, check the credits in Account > Get, or look for new videos in Video > Get Many after a few minutes.`;
}

/** @param isUnexpected whether the list of videos has shown no video that an item can have */
function describeAmbiguous(count: number, isUnexpected: boolean): string | undefined {
	if (count === 0) return undefined;
	const subject =
		count === 1
			? '1 video could not be told apart from others of its project'
			: `${count} videos could not be told apart from others of their project`;
	const cause = isUnexpected
		? "A video was missing in the list of videos: raise 'Listing Delay' under 'Wait Options', and check 'Project' and 'Queued At' if you set them."
		: TELL_APART;
	return `${subject}, so 'videoCandidates' lists what it may be. ${cause}`;
}

function describeUnlisted(count: number): string | undefined {
	if (count === 0) return undefined;
	const subject = count === 1 ? '1 video is finished' : `${count} videos are finished`;
	return `${subject}, but the list of videos did not show ${count === 1 ? 'it' : 'them'}, or could not be read. Look for ${count === 1 ? 'it' : 'them'} in Video > Get Many in a few minutes.`;
}
