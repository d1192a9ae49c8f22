import type { IDataObject } from 'n8n-workflow';
import type { Charge } from '../../sandbox/domain/model';
import type { Plan, Workflow } from './Plan';
import { generates, getSlowMs, getWaitOptions, isAdd, isPause, listServices, stops } from './Plan';
import {
	hasMistakes,
	isStopped,
	type Item,
	type Law,
	LIST_MS,
	type Output,
	type Records,
} from './records';
import { getAccount, type Played } from './Session';
import { findBrokenRules } from './whoseVideo';

/** Whether nothing went wrong in the reads of an execution. */
export const isCalm = ({ execution: { faults, failing, outage, changesKey } }: Played) =>
	faults.every((fault) => fault.operation === 'queue.add' || isPause(fault)) &&
	failing.credential.length === 0 &&
	outage === undefined &&
	!changesKey;

/** A list that asks for a second pause, after two minutes, is given up. */
const hasFewPauses = ({ played }: Records) =>
	played
		.flatMap(({ execution }) => execution.faults)
		.filter((fault) => fault.operation === 'video.getAll' && isPause(fault)).length <= 1;

/** The same of an execution and its retries, up to an execution, and of all other workflows. */
const isReadCalmly = (records: Records, until: Played) =>
	hasFewPauses(records) &&
	records.played
		.filter((each) => each.workflow !== until.workflow || records.isUpTo(until, each))
		.every(isCalm);

/** How many videos of a project are made at the same time at most: one, unless the service tells them apart. */
function getMostAtOnce(plan: Plan, workflow: Workflow): number {
	const isSilent = listServices(plan).every(
		({ entriesNameQueueId, videoUrlInDetails }) =>
			(entriesNameQueueId ?? false) === false && (videoUrlInDetails ?? false) === false,
	);
	return Number(getWaitOptions(workflow).videosAtOnce ?? (isSilent ? 1 : 10));
}

/** A project of an account; of any account, where they number alike and it is not known. */
type Project = Pick<Charge, 'projectId'> & Partial<Pick<Charge, 'accountId'>>;

const isIn = ({ accountId, projectId }: Project, { rows }: Workflow) =>
	rows.some(
		(row) => row.project === projectId && (accountId ?? getAccount(row)) === getAccount(row),
	);

/** Whether videos of a project are made that this process does not make in turns. */
const hasStrangers = ({ strangers, workflows }: Plan, project: Project) =>
	(strangers.length > 0 && project.projectId === 'p0-0' && project.accountId !== 'other') ||
	workflows.some(
		(each) =>
			isIn(project, each) &&
			(!generates(each) || each.executions.some(({ isElsewhere }) => isElsewhere)),
	);

/** Whether a workflow may have left a video that nobody waits for. */
function leavesVideos(records: Records, workflow: Workflow): boolean {
	const isLeft = ({ charge, endsAt, isLost, leavesBy, played }: Item) => {
		if (isLost || charge === undefined) return isLost;
		// One that fails may have been about to finish, for all that its run has seen.
		if (isStopped(played) && leavesBy > played.endedAt) return true;
		return endsAt < Infinity && !records.isInTime(workflow, charge, charge.at);
	};
	if (records.items.some((item) => item.workflow === workflow && isLeft(item))) return true;
	const played = records.played.filter((each) => each.workflow === workflow);
	if (new Set(played.map(({ chain }) => chain)).size > 1) return true;
	// A failed item ends the run, in which videos of other projects and services are made.
	const isEnded = stops(workflow) && played.some(({ result }) => result?.status !== 'success');
	const lanes = workflow.rows.map(({ project, isAway }) => JSON.stringify([project, isAway]));
	return isEnded && (new Set(lanes).size > 1 || getMostAtOnce(records.plan, workflow) > 1);
}

/** Whether the videos of a project are made by Video > Generate alone, one at a time, and are all waited for. */
const isUndisturbed = (records: Records, project: Project) =>
	hasFewPauses(records) &&
	records.played.every(isCalm) &&
	!isCached(records) &&
	!hasStrangers(records.plan, project) &&
	records.plan.workflows
		.filter((each) => isIn(project, each))
		.every((each) => getMostAtOnce(records.plan, each) === 1 && !leavesVideos(records, each));

/** Whether entries name an item. A shorter queue ID may stand in one by chance. */
const isNamed = ({ plan }: Records, { queueId }: Charge) =>
	listServices(plan).every(({ entriesNameQueueId }) => Boolean(entriesNameQueueId)) &&
	queueId.length >= 16;

/** Whether an item may come out without its video, by what the documents say of the service. */
function isExcused(records: Records, charge: Charge, output: Output): boolean {
	const { plan, session } = records;
	const { played, row } = output;
	const { workflow } = played;
	const listedAt = records.findListedAt(charge);
	const isAddressTold = listServices(plan).every(
		({ videoUrlInDetails }) => videoUrlInDetails === true,
	);
	const leaves = plan.service.endedItemsLeaveAfterMs !== null;
	const since = generates(workflow) ? charge.at : played.startedAt;
	const add = generates(workflow) ? records.findAdd(row, played) : undefined;
	const excuses = [
		isStopped(played),
		hasMistakes(plan, charge),
		!records.isInTime(workflow, charge, since),
		isCached(records) && !isAddressTold,
		hasComeAgain(records, charge, played),
		// Queue > Wait may find it neither running nor finished.
		!generates(workflow) && leaves,
		// An item that is told such an address leaves its entry to the others.
		isToldOtherwise(plan),
		// It was listed before its order was merged.
		(listedAt ?? Infinity) <= (add?.at ?? -Infinity),
		session.cleared.has(charge),
		// Another account has a project with its ID.
		leaves && isNumberedAlike(plan, charge),
		!isReadCalmly(records, played),
		// It is never waited for.
		records.isUnknown(row, played),
	];
	const isCertain = isAddressTold || isNamed(records, charge);
	const isTold = isCertain && (!leaves || plan.service.finishedItemsStay === true);
	// What else must be told is for the rules to say.
	const isSure = isTold || (generates(workflow) && isUndisturbed(records, charge));
	return !isSure || excuses.some(Boolean);
}

/**
 * Whether an item was cleared, or failed in a service that takes it out of its queue then: that looks as if it
 * was finished, and a video that somebody else makes meanwhile as if it was its own.
 */
const hasLeftWithoutVideo = (records: Records, charge: Charge) =>
	records.findListedAt(charge) === undefined &&
	(records.session.cleared.has(charge) || records.plan.service.endedItemsLeaveAfterMs !== null);

/** Whether another account makes videos of a project with the same ID: each item may own what the other one has left. */
const isNumberedAlike = ({ service, workflows }: Plan, { accountId, projectId }: Charge) =>
	service.numberByAccount === true &&
	workflows.some(({ rows }) =>
		rows.some((row) => row.project === projectId && getAccount(row) !== accountId),
	);

/** Whether some items are told the addresses of their videos, which lists sign otherwise. */
const isToldOtherwise = (plan: Plan) => {
	const told = listServices(plan).map(({ videoUrlInDetails = false }) => videoUrlInDetails);
	const isSome = told.some((each) => typeof each === 'string') || new Set(told).size > 1;
	return plan.service.signedUrls === true && isSome;
};

/** Whether a list may show videos long after Listing Delay. */
const isCached = ({ plan }: Records) => (plan.service.listCacheMs ?? 0) > 0;

/** Whether an item may be given what somebody else makes, as the documents say. */
const canBeWrong = (records: Records, charge: Charge, played: Played) =>
	hasComeAgain(records, charge, played, false) ||
	hasMistakes(records.plan, charge) ||
	((isCached(records) || hasLeftWithoutVideo(records, charge)) &&
		hasStrangers(records.plan, charge));

/**
 * Whether the queue ID of an item was given to another one before its wait was over. The process may know that: if it
 * has added the other one meanwhile, and knows the date of this one.
 */
export function hasComeAgain(
	{ adds, session }: Records,
	{ accountId, at, queueId, videoId }: Charge,
	{ endedAt, execution, startedAt, workflow }: Played,
	isKnown?: boolean,
) {
	const isDateKnown = isAdd(workflow) || workflow.parameters.queuedAt !== '';
	return session.sandbox.charges
		.filter((other) => other.accountId === accountId && other.queueId === queueId)
		.filter((other) => other.videoId !== videoId && other.at >= at && other.at <= endedAt)
		.some((other) => {
			const { played } = adds.find(({ charge }) => charge === other) ?? {};
			const isOurs = played && generates(played.workflow) && !played.execution.isElsewhere;
			const isMeanwhile = isDateKnown && other.at >= startedAt && !execution.isElsewhere;
			return isKnown === undefined || isKnown === (isOurs === true && isMeanwhile);
		});
}

/** The address of a video; of accounts that number alike, it names the account. */
const isOwnUrl = ({ plan }: Records, { accountId, videoId }: Charge, url: unknown) =>
	String(url).includes(plan.service.numberByAccount ? `of-${accountId}/` : '') &&
	String(url).includes(videoId);

const name = ({ row, played }: Item) => `row ${row} of execution ${played.chain}`;

/** The outputs that show another's video, or none, though nothing in the documents excuses it. */
const listWrong = (records: Records, isOfOthers: boolean) =>
	records.outputs.flatMap((output) => {
		const { charge, fields, isFailed, json, played } = output;
		const waits = generates(played.workflow) || !isAdd(played.workflow);
		if (!charge || !waits) return [];
		const video = fields.video as IDataObject | null | undefined;
		const url = fields.videoUrl ?? undefined;
		const isOtherEntry = Boolean(video) && video?.id !== charge.videoId;
		const isOther = isOtherEntry || (Boolean(url) && !isOwnUrl(records, charge, url));
		if (isOther !== isOfOthers) return [];
		const isAllowed = isOther
			? canBeWrong(records, charge, played)
			: (Boolean(url) && !isFailed) || isExcused(records, charge, output);
		return isAllowed ? [] : [`${charge.videoId}: ${JSON.stringify(json)}`];
	});

export const VIDEO_LAWS: Record<string, Law> = {
	'No item is given the video of another one': (records) => listWrong(records, true),

	'An item whose video is certain, or whose project is undisturbed, is told it': (records) =>
		listWrong(records, false),

	'Each item is given what the rules of the documents give it': findBrokenRules,

	'Only so many videos of a project are in the making as are wanted at once, whoever makes them': (
		records,
	) =>
		records.inLanes.flatMap((item) => {
			const others = records.inLanes.filter((each) => {
				const { charge, endsAt, isLost, played, project, row, workflow } = each;
				if (each === item || project !== item.project || !charge || isLost) return false;
				const isIncluded = records.outputs.some(
					(output) => output.played === played && output.row === row && !output.isFailed,
				);
				if (endsAt === Infinity || (!isIncluded && leavesVideos(records, workflow))) return false;
				const { timeout = 1_800 } = getWaitOptions(workflow);
				// Of adds that are sent together, it is not known which one took its place first.
				const slowMs = getSlowMs(records.plan);
				const from = charge.at + (played === item.played ? 0 : LIST_MS) + slowMs;
				// One whose wait is over leaves its place, and one that a list names is finished.
				const namedAt = isNamed(records, charge) ? records.findListedAt(charge) : undefined;
				const to = Math.min(endsAt, namedAt ?? Infinity, charge.at + Number(timeout) * 1_000);
				return from < item.lastAt && item.lastAt < to;
			});
			if (others.length < getMostAtOnce(records.plan, item.workflow)) return [];
			return [`${name(item)} beside ${others.map(name).join()}`];
		}),
};
