import type { IDataObject } from 'n8n-workflow';
import type { Charge } from '../../../sandbox/domain/model';
import type { Plan, Workflow } from './Plan';
import { generates, getListingDelayMs, getWaitOptions, isAdd, isUsable, stops } from './Plan';
import { isStopped, type Item, type Law, LIST_MS, type Output, type Records } from './records';
import type { Played } from './Session';

/** An entry that is listed this long before an add may be new to the run that sends it. */
const APART_MS = 90_000;

/** The maximum time from the end of an item to the look that finds it, where nothing goes wrong. */
const LOOK_MS = 6_000;

/** Whether nothing went wrong in the reads of an execution. */
export const isCalm = ({ execution: { faults, failing, outage, changesKey } }: Played) =>
	faults.every(({ operation }) => operation === 'queue.add') &&
	failing.credential.length === 0 &&
	outage === undefined &&
	!changesKey;

/** The same of an execution and its retries, up to an execution, and of all other workflows. */
const isReadCalmly = (records: Records, until: Played) =>
	records.played
		.filter((each) => each.workflow !== until.workflow || records.isUpTo(until, each))
		.every(isCalm);

/** How many videos of a project are made at the same time at most: one, unless the service tells them apart. */
function getMostAtOnce({ service }: Plan, workflow: Workflow): number {
	const { entriesNameQueueId = false, videoUrlInDetails = false } = service;
	const isSilent = entriesNameQueueId === false && videoUrlInDetails === false;
	return Number(getWaitOptions(workflow).videosAtOnce ?? (isSilent ? 1 : 10));
}

const isIn = (project: string, { rows }: Workflow) => rows.some((row) => row.project === project);

/** Whether videos of a project are made that this process does not make in turns. */
const hasStrangers = ({ strangers, workflows }: Plan, project: string) =>
	(strangers.length > 0 && project === 'p0-0') ||
	workflows.some((each) => !generates(each) && isIn(project, each));

/** Whether a workflow may have left a video that nobody waits for. */
function leavesVideos(records: Records, workflow: Workflow): boolean {
	const isLeft = ({ charge, endsAt, isLost, leavesBy, played }: Item) => {
		if (isLost || charge === undefined || endsAt === Infinity) return isLost;
		const isAbandoned = isStopped(played) && leavesBy > played.endedAt;
		return isAbandoned || !records.isInTime(workflow, charge, charge.at);
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
const isUndisturbed = (records: Records, project: string) =>
	records.played.every(isCalm) &&
	!isCached(records) &&
	!hasStrangers(records.plan, project) &&
	records.plan.workflows
		.filter((each) => isIn(project, each))
		.every((each) => getMostAtOnce(records.plan, each) === 1 && !leavesVideos(records, each));

/** Whether no other video of the project can be taken for an item's own. */
function isApart(records: Records, charge: Charge, listedAt: number, output: Output): boolean {
	const { played, row } = output;
	const { workflow } = played;
	const delayMs = getListingDelayMs(workflow);
	// The other videos of the project; those of the account, where no project is given.
	const isAny = (workflow.parameters.projectId as IDataObject).value === '';
	const ids = records.session.sandbox.charges
		.filter(({ accountId }) => accountId === charge.accountId)
		.filter((each) => isAny || each.projectId === charge.projectId)
		.map(({ videoId }) => videoId);
	const others = records.session.videos
		.filter(({ id }) => ids.includes(id) && id !== charge.videoId)
		.map(({ createdAt }) => Date.parse(createdAt));
	const isFree = (from: number, to: number) => !others.some((at) => at >= from && at <= to);
	if (generates(workflow)) {
		const isOwnRun = records.findAdd(row, played)?.played === played;
		const to = isOwnRun ? listedAt + 2 * delayMs + APART_MS : played.endedAt;
		return isFree(charge.at - APART_MS - 2 * delayMs, to);
	}
	if (workflow.parameters.queuedAt !== '') return isFree(charge.at - 2 * delayMs, played.endedAt);
	// Without a date, only what is listed after it was found running can be its own.
	const isRunning = listedAt > played.startedAt + 2 * delayMs + 15_000;
	return isRunning && isFree(played.startedAt, played.endedAt);
}

/** Whether a list that leads may have shown a video to this process before a look found its item finished. */
const isShownEarly = ({ plan, session }: Records, listedAt: number) => {
	const endsAt = listedAt - (plan.service.durations?.logDelayMs ?? 0);
	return session.sandbox.requests.some(
		({ at, operation }) =>
			operation === 'video.getAll' && listedAt < endsAt && at >= listedAt && at <= endsAt + LOOK_MS,
	);
};

/** Whether entries name an item. A shorter queue ID may stand in one by chance. */
const isNamed = ({ plan }: Records, { queueId }: Charge) =>
	Boolean(plan.service.entriesNameQueueId) && queueId.length >= 16;

/** Whether an item can be told its video, by what the documents say of the service. */
function isTellable(records: Records, charge: Charge, output: Output): boolean {
	const { plan, session } = records;
	const { played, row } = output;
	const { workflow } = played;
	const listedAt = records.findListedAt(charge);
	const { endedItemsLeaveAfterMs, videoUrlInDetails } = plan.service;
	if (listedAt === undefined || (isCached(records) && videoUrlInDetails !== true)) return false;
	const leaves = endedItemsLeaveAfterMs !== null;
	// Queue > Wait may find it neither running nor finished.
	if (!generates(workflow) && leaves) return false;
	if (session.cleared.has(charge.queueId) || !isReadCalmly(records, played)) return false;
	// An add of unknown fate is never waited for.
	if (records.isUnknown(row, played)) return false;
	const isCertain = videoUrlInDetails === true || isNamed(records, charge);
	// While a project may be owed a video, an item that has left the queue is given only what is certain, and
	// another one no older entry that was shown before its end.
	const isOwed =
		(leaves || isShownEarly(records, listedAt)) &&
		plan.workflows.some((each) => leavesVideos(records, each));
	return (
		(isCertain && (!leaves || plan.service.finishedItemsStay === true)) ||
		(generates(workflow) && isUndisturbed(records, charge.projectId)) ||
		(!isOwed && isApart(records, charge, listedAt, output))
	);
}

/**
 * Whether an item was cleared, or failed in a service that takes it out of its queue then: that looks as if it
 * was finished, and a video that somebody else makes meanwhile as if it was its own.
 */
const hasLeftWithoutVideo = (records: Records, charge: Charge) =>
	records.findListedAt(charge) === undefined &&
	(records.session.cleared.has(charge.queueId) ||
		records.plan.service.endedItemsLeaveAfterMs !== null);

/** Whether a list may show videos long after Listing Delay. */
const isCached = ({ plan }: Records) => (plan.service.listCacheMs ?? 0) > 0;

/** Whether an item may be given what somebody else makes, as the documents say. */
const canBeWrong = (records: Records, charge: Charge) =>
	(isCached(records) || hasLeftWithoutVideo(records, charge)) &&
	hasStrangers(records.plan, charge.projectId);

/**
 * The items of undisturbed projects that were made in turns, with the times when they asked for their places,
 * where these are known: they are not after a failed try. The calls of an agent that n8n makes as steps follow
 * each other.
 */
const listAsking = (records: Records) =>
	records.items.flatMap((item) => {
		const { workflow, played, project, row } = item;
		const { model, rows } = workflow;
		const before = records.items.filter(
			(each) => each.played.chain === played.chain && each.row < row,
		);
		const isUneven =
			[...before, item].some(({ hasFailed }) => hasFailed) ||
			rows.some((each) => each.isAway === true || !isUsable(workflow, each));
		const isLimited = records.plan.service.rateLimit !== false;
		const isJudged = !isLimited && isUndisturbed(records, project);
		if (!isJudged || (stops(workflow) && isUneven)) return [];
		const times = before.flatMap((each) => {
			if (model?.way === 'steps') return [each.leavesBy];
			return !model && each.project === project ? [each.firstAt] : [];
		});
		return [{ item, askedAt: Math.max(played.startedAt, ...times) }];
	});

const name = ({ row, played }: Item) => `row ${row} of execution ${played.chain}`;

export const VIDEO_LAWS: Record<string, Law> = {
	'No item is given the video of another one': (records) =>
		records.outputs.flatMap(({ fields: { queueId, video, videoUrl }, json }) => {
			const charge = records.findCharge(queueId);
			if (!charge || canBeWrong(records, charge)) return [];
			const isOther =
				((video ?? null) !== null && (video as IDataObject).id !== charge.videoId) ||
				((videoUrl ?? null) !== null && !(videoUrl as string).includes(charge.videoId));
			return isOther ? [`${charge.videoId}: ${JSON.stringify(json)}`] : [];
		}),

	'An item that can be told its video is told it': (records) =>
		records.outputs.flatMap((output) => {
			const { fields, isFailed, json, played, queueId } = output;
			const { workflow } = played;
			const waits = generates(workflow) || !isAdd(workflow);
			const charge = records.findCharge(queueId);
			if (!waits || !charge || isStopped(played)) return [];
			const since = generates(workflow) ? charge.at : played.startedAt;
			if (!records.isInTime(workflow, charge, since)) return [];
			const isTold =
				typeof fields.videoUrl === 'string' && fields.videoUrl.includes(charge.videoId);
			if ((isTold && !isFailed) || !isTellable(records, charge, output)) return [];
			return [`${charge.videoId}: ${JSON.stringify(json)}`];
		}),

	'Only so many videos of a project are in the making as are wanted at once, whoever makes them': (
		records,
	) =>
		records.items.flatMap((item) => {
			const others = records.items.filter((each) => {
				const { charge, endsAt, isLost, played, project, row, workflow } = each;
				if (each === item || project !== item.project || !charge || isLost) return false;
				const isIncluded = records.outputs.some(
					(output) => output.played === played && output.row === row && !output.isFailed,
				);
				if (endsAt === Infinity || (!isIncluded && leavesVideos(records, workflow))) return false;
				const { timeout = 1_800 } = getWaitOptions(workflow);
				// Of adds that are sent together, it is not known which one took its place first.
				const from = charge.at + (played === item.played ? 0 : LIST_MS);
				// One whose wait is over leaves its place, and one that a list names is finished.
				const namedAt = isNamed(records, charge) ? records.findListedAt(charge) : undefined;
				const to = Math.min(endsAt, namedAt ?? Infinity, charge.at + Number(timeout) * 1_000);
				return from < item.lastAt && item.lastAt < to;
			});
			if (others.length < getMostAtOnce(records.plan, item.workflow)) return [];
			return [`${name(item)} beside ${others.map(name).join()}`];
		}),

	'Nobody waits for a place while it is free': (records) =>
		listAsking(records).flatMap(({ item, askedAt }) => {
			const freeAt = records.items
				.filter((each) => each !== item && each.project === item.project)
				.filter(({ firstAt }) => firstAt < item.firstAt)
				.map(({ leavesBy }) => leavesBy);
			const waitedMs = item.firstAt - Math.max(askedAt, ...freeAt);
			// The list is read, and another add of the run may be under way.
			return waitedMs > 10_000 ? [`${name(item)}: ${waitedMs} ms`] : [];
		}),

	'Executions of a project take turns': (records) =>
		listAsking(records).flatMap(({ item, askedAt }) =>
			records.plan.workflows.flatMap((workflow) => {
				const between = records.items.filter(
					(each) =>
						each.workflow === workflow &&
						each.project === item.project &&
						each.firstAt > askedAt + LIST_MS &&
						each.firstAt < item.firstAt,
				);
				if (workflow.model || workflow === item.workflow || between.length < 2) return [];
				return [`${name(item)} after ${between.map(name).join()}`];
			}),
		),

	'The list is read at most once a minute and at the end of each item': (records) =>
		records.played.flatMap((played) => {
			const { endedAt, requests, startedAt } = played;
			const reads = requests.filter(({ operation }) => operation === 'video.getAll');
			const minutes = (endedAt - startedAt) / 60_000;
			const perItem = records.played
				.filter((each) => each.startedAt <= endedAt && each.endedAt >= startedAt)
				.map(({ workflow }) => 2 * (2 + workflow.rows.length) * workflow.settings.maxTries);
			const max = 2 * minutes + perItem.reduce((sum, each) => sum + each, 0);
			const isLimited = records.plan.service.rateLimit !== false;
			if (isLimited || !isReadCalmly(records, played) || reads.length <= max) return [];
			return [`${reads.length} in ${minutes} minutes`];
		}),
};
