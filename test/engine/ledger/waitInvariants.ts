import type { IDataObject } from 'n8n-workflow';
import type { RecordedRequest } from '../../../sandbox/control/requestLog';
import type { Ledger, Outcome } from './Ledger';
import type { Invariant } from './ledgerQueries';
import {
	canReadLog,
	findGone,
	findLooks,
	findVideo,
	hasSocketTrouble,
	isWaited,
	nameOutcome,
} from './ledgerQueries';
import type { PlayedAttempt, PlayedVideo } from './Scene';
import { isAgent } from './Story';
import type { StoryExecution } from './Story';

/*
 * Whose video: the service's record tells whose each entry is, and the times at which entries appear
 * tell which items can be told apart. Nothing here knows how the node decides.
 */

/** Whether the log shows every video of the executions when the node assumes it to. */
export function isListedAsAssumed({ story, videos }: Ledger): boolean {
	const shortestMs = Math.min(...story.executions.map(getListingDelayMs));
	return videos.every(
		({ plan, endsAt, loggedAt }) =>
			loggedAt === null ||
			(plan.aheadMs === 0 && endsAt !== null && loggedAt <= endsAt + shortestMs),
	);
}

export function getListingDelayMs({ waitOptions }: StoryExecution): number {
	return Number(waitOptions.listingDelay ?? 10) * 1_000;
}

function getPollingIntervalMs({ waitOptions }: StoryExecution): number {
	return Number(waitOptions.pollingInterval ?? 10) * 1_000;
}

/** Lists the outputs that were given a video of another item, or of nobody's. */
export const listOthersVideos: Invariant = (ledger) =>
	ledger.outcomes.flatMap((outcome) => {
		const video = findVideo(ledger, outcome);
		if (!video) return [];
		const ownId = video.charge.videoId;
		const given = outcome.json.video as { id: string } | null | undefined;
		const url = (outcome.json.videoUrl ?? outcome.details?.videoUrl) as string | null | undefined;
		return [
			...(given && given.id !== ownId
				? [`${nameOutcome(outcome)} was given the video ${given.id}, its own is ${ownId}`]
				: []),
			...(url && !url.includes(ownId)
				? [`${nameOutcome(outcome)} was given the address ${url}, its own video is ${ownId}`]
				: []),
		];
	});

/** The video of an output is the item's own, or null, whoever else makes videos. */
const videoIsOwn: Invariant = (ledger) =>
	isListedAsAssumed(ledger) ? listOthersVideos(ledger) : [];

/** A finished item without its video has it among its candidates, once the log could be read. */
const ownVideoIsCandidate: Invariant = (ledger) =>
	ledger.outcomes.flatMap((outcome) => {
		const video = findVideo(ledger, outcome);
		// An item with Download Video fails if its video cannot be told from others.
		const json = outcome.error === undefined ? outcome.json : (outcome.details ?? {});
		const isGiven = outcome.error !== undefined && json.videoCandidates === undefined;
		if (!video || isGiven || json.video || json.videoUrl || !isWaited(ledger, outcome)) return [];
		if (ledger.executions[outcome.execution]?.isStopped) return [];
		if (!isListedAsAssumed(ledger) || !isShown(ledger, outcome, video)) return [];
		if (Number(json.videoCandidateCount ?? 0) > 100) return [];
		const candidates = (json.videoCandidates ?? []) as IDataObject[];
		if (candidates.some(({ id }) => id === video.charge.videoId)) return [];
		return [`${nameOutcome(outcome)} has no video, and its own is not among its candidates`];
	});

/** Whether the log had the video's entry when its item read it for the last time. */
function isShown(ledger: Ledger, outcome: Outcome, video: PlayedVideo): boolean {
	const { loggedAt } = video;
	const execution = ledger.story.executions[outcome.execution];
	if (loggedAt === null || !execution) return false;
	const delayMs = getListingDelayMs(execution);
	const goneAt = findGone(ledger, video);
	if (goneAt !== undefined) return canReadLog(ledger) && loggedAt <= goneAt + delayMs;
	const last = findLooks(ledger, video).at(-1);
	if (last === undefined || last.at < (video.endsAt ?? Infinity)) return false;
	return canReadLog(ledger) || isReadWhole(ledger, video, last.at + delayMs);
}

/** A log that fails is read again until half a minute has passed, the last time after more than this. */
const SURE_MS = 14_000;

/** Whether the log was sent whole to the only execution, so soon after a time that the item still waited for it. */
function isReadWhole(ledger: Ledger, { charge, plan }: PlayedVideo, dueAt: number): boolean {
	const { story, requests } = ledger;
	if (story.executions.length > 1 || story.executions.some(isAgent)) return false;
	// A slow look ends later than it began.
	if (plan.lookTrouble !== null || hasSocketTrouble(story, 'queue.getProgress')) return false;
	if (story.n8nTroubles.length > 0) return false;
	const key = `Bearer ${ledger.keys[charge.accountId === 'main' ? 0 : 1] ?? ''}`;
	const reads = requests.filter(({ operation }) => operation === 'video.getAll');
	return reads.some(
		(request, index) =>
			request.headers.authorization === key &&
			request.at >= dueAt &&
			request.at <= dueAt + SURE_MS &&
			story.service.logTroubles.every(({ nth }) => nth !== index + 1) &&
			isWhole(ledger, request),
	);
}

function isWhole({ begun }: Ledger, { clientPort, status, closed, broken }: RecordedRequest) {
	return (
		status === 200 &&
		closed !== true &&
		broken !== true &&
		begun.every(({ localPort, trouble }) => localPort !== clientPort || trouble === undefined)
	);
}

/** The time that the requests between two looks take. */
const REQUESTS_MS = 2_000;

/**
 * An item is given its video if no other entry of its project appears while it waits, and also if the
 * other entries appear further from its end than the polling interval and the listing delay.
 */
const separateVideoIsGiven: Invariant = (ledger) =>
	ledger.outcomes.flatMap((outcome) => {
		const { error, json, details } = outcome;
		const video = findVideo(ledger, outcome);
		const isAmbiguous = error === undefined || details?.videoCandidates !== undefined;
		if (!video || !isAmbiguous || !isWaited(ledger, outcome) || json.video) return [];
		// A video whose address its progress tells needs no entry.
		if (json.videoUrl || details?.videoUrl) return [];
		if (!isListedAsAssumed(ledger) || !isSeparate(ledger, outcome, video)) return [];
		return [`${nameOutcome(outcome)} has no video, though its own can be told apart`];
	});

function isSeparate(ledger: Ledger, outcome: Outcome, video: PlayedVideo): boolean {
	const { story, executions, begun } = ledger;
	const execution = story.executions[outcome.execution];
	const played = executions[outcome.execution];
	const attempt = played?.attempts.at(-1);
	const { endsAt, loggedAt, charge } = video;
	// The times of a real n8n are not exact enough.
	if (begun.length === 0 || !execution || !attempt || played?.isStopped) return false;
	if (endsAt === null || loggedAt === null || !canReadLog(ledger)) return false;
	if (hasSocketTrouble(story, 'queue.getProgress') || isDisturbed(ledger, video)) return false;
	if (!wasSeenRunning(ledger, outcome, video, attempt)) return false;
	// The first list of a run shows what was there before.
	const from = isAgent(execution) ? charge.at : attempt.startedAt;
	const { etags } = story.service;
	// Between two tries, the list is not read.
	const isReadOften = (etags === 'strong' || etags === 'weak') && execution.tries === 1;
	const beforeMs = getPollingIntervalMs(execution) + REQUESTS_MS;
	const afterMs = beforeMs + getListingDelayMs(execution);
	const isOfAnyProject = execution.waiting === 'wait' && !execution.waitKnowsProject;
	const isRival = (accountId: string, projectId: string) =>
		accountId === charge.accountId &&
		(isOfAnyProject || projectId === '' || projectId === charge.projectId);
	const isOneTry = execution.tries === 1 && played?.attempts.length === 1;
	const knownAt = findKnownTime(ledger, video, isOneTry);
	const isFar = (at: number) =>
		at < from || at > knownAt + afterMs || (isReadOften && at < endsAt - beforeMs);
	return (
		ledger.foreign
			.filter(({ accountId, projectId }) => isRival(accountId, projectId))
			.every(({ at }) => isFar(at)) &&
		ledger.videos
			.filter((other) => other !== video && isRival(other.charge.accountId, other.charge.projectId))
			.every((other) => {
				if (other.loggedAt === null || isFar(other.loggedAt)) return true;
				if (!isFinishedBeside(ledger, outcome, other)) return false;
				const isBefore = endsAt > findKnownTime(ledger, other, isOneTry) + afterMs;
				return isBefore || (other.endsAt ?? endsAt) > knownAt + afterMs;
			})
	);
}

/**
 * When it is known that a video has ended: at its end, as the list shows it. A tag that never changes
 * hides it there until the list is read in full, which the look after its end leads to. A later try does
 * not look before it has sent the adds of the items above.
 */
function findKnownTime(ledger: Ledger, video: PlayedVideo, isOneTry: boolean): number {
	const { etags } = ledger.story.service;
	const { endsAt } = video;
	if (endsAt === null) return Infinity;
	if (isOneTry && etags !== 'constant' && etags !== 'alwaysNotModified') return endsAt;
	const look = findLooks(ledger, video).find(({ at, status }) => status === 200 && at >= endsAt);
	return look?.at ?? Infinity;
}

/**
 * Counts, for a survey, what becomes of the awaited videos: also where the log shows videos later or
 * earlier than the node assumes, which no invariant judges.
 */
export function measureVideos(ledger: Ledger): Record<string, number> {
	const when = isListedAsAssumed(ledger) ? 'listed as assumed' : 'listed late or early';
	const finished = ledger.outcomes.filter(
		(outcome) => isWaited(ledger, outcome) && outcome.json.videoCandidateCount !== undefined,
	);
	const given = ledger.outcomes.filter(({ json }) => json.video);
	const separate = [...finished, ...given].filter((outcome) => {
		const video = findVideo(ledger, outcome);
		return video !== undefined && isSeparate(ledger, outcome, video);
	});
	return {
		[`${when}: stories`]: 1,
		[`${when}: items with a video`]: given.length,
		[`${when}: items with another's video`]: listOthersVideos(ledger).length,
		[`${when}: items with candidates`]: finished.length,
		[`${when}: items that can be told apart`]: separate.length,
		[`${when}: runs whose hint says so`]: countBlames(ledger),
	};
}

/** Whether something beyond its own course happens to a video: then it may be seen late. */
function isDisturbed({ story }: Ledger, { plan }: PlayedVideo): boolean {
	return (
		plan.fails ||
		plan.lookTrouble !== null ||
		plan.clearedAfterMs !== null ||
		plan.calledFailedAt !== null ||
		story.service.endedItemsLeaveAfterMs !== null
	);
}

/** Whether the last attempt saw the item running, and its list was read before. */
function wasSeenRunning(
	ledger: Ledger,
	{ execution }: Outcome,
	video: PlayedVideo,
	attempt: PlayedAttempt,
): boolean {
	const settings = ledger.story.executions[execution];
	// Each try of an agent's call is a run of its own: the video may have ended between two of them.
	if (!settings || (isAgent(settings) && settings.tries > 1)) return false;
	const isAddedHere = video.charge.at >= attempt.startedAt;
	if (isAddedHere && settings.waiting === 'add') return true;
	return findLooks(ledger, video).some(
		({ at, status }) =>
			status === 200 && at >= attempt.startedAt && at < (video.endsAt ?? -Infinity),
	);
}

/** Whether a video is of another item of the same run of the node, which has waited for its end. */
function isFinishedBeside(ledger: Ledger, outcome: Outcome, other: PlayedVideo): boolean {
	const { story, outcomes } = ledger;
	const execution = story.executions[outcome.execution];
	if (!execution || isAgent(execution) || isDisturbed(ledger, other)) return false;
	const attempt = ledger.executions[outcome.execution]?.attempts.at(-1);
	if (!attempt || !wasSeenRunning(ledger, outcome, other, attempt)) return false;
	return outcomes.some(
		(one) =>
			one.execution === outcome.execution &&
			one.node === outcome.node &&
			one.run === outcome.run &&
			findVideo(ledger, one) === other &&
			(one.error === undefined || one.details?.videoCandidates !== undefined),
	);
}

/** Nobody is told to raise Listing Delay where the log is as assumed. */
const listingDelayIsNotBlamed: Invariant = (ledger) => {
	if (!isListedAsAssumed(ledger)) return [];
	return countBlames(ledger) > 0
		? ['a hint says that Listing Delay is too short, and it is not']
		: [];
};

function countBlames({ executions }: Ledger): number {
	const text = JSON.stringify(executions.map(({ run }) => run?.data.resultData.runData));
	return text.split(/later than 'Listing Delay'/).length - 1;
}

/** No execution sends a request after its end, whether or not another one follows. */
const requestsEndWithTheirRun: Invariant = ({ executions, begun, standstill }) => {
	if (standstill !== undefined || executions.some(({ run, killed }) => !run && !killed)) return [];
	const spans = executions.flatMap(({ attempts, killed }) => [
		...attempts.map(({ startedAt, endedAt }) => ({ from: startedAt, to: endedAt })),
		...(killed ? [{ from: killed.startedAt, to: killed.at }] : []),
	]);
	return begun
		.filter(({ at }) => !spans.some(({ from, to }) => at >= from && at <= to))
		.map(({ operation, url }) => `${operation} (${url}) was sent while no execution was running`);
};

export const WAIT_INVARIANTS: Record<string, Invariant> = {
	videoIsOwn,
	ownVideoIsCandidate,
	separateVideoIsGiven,
	listingDelayIsNotBlamed,
	requestsEndWithTheirRun,
};
