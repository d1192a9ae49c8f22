import type { IDataObject } from 'n8n-workflow';
import type { Charge } from '../../../sandbox/domain/model';
import type { Add, Law } from './records';
import {
	findAdd,
	findCharge,
	findListedAt,
	findQueueId,
	getListingDelayMs,
	getWaitOptions,
	isFailed,
	isInTime,
	isStopped,
	listEnded,
	readLink,
	waits,
} from './records';
import type { Plan, Played, Session } from './Session';
import { listOutputs } from './Session';

/** An entry that is listed this long before an add may be new to the run that sends it. */
const APART_MS = 90_000;

/** A shorter queue ID may stand in an entry by chance. */
const MIN_NAME_LENGTH = 16;

/** Whether nothing went wrong in the reads of an execution and its retries, up to an execution. */
function isReadCalmly({ played: all }: Session, until: Played): boolean {
	return all
		.slice(0, all.indexOf(until) + 1)
		.filter(({ chain }) => chain === until.chain)
		.every(
			({ execution: { faults, failing, outage, changesKey } }) =>
				faults.every(({ operation }) => operation === 'queue.add') &&
				failing.credential.length === 0 &&
				outage === undefined &&
				changesKey !== true,
		);
}

/** When the other videos of a project were listed; those of the account, where no project is given. */
function listOthers({ sandbox, videos }: Session, plan: Plan, charge: Charge): number[] {
	const { projectId } = plan.parameters;
	const isAny = (projectId as IDataObject).value === '';
	const ids = sandbox.charges
		.filter(({ accountId }) => accountId === charge.accountId)
		.filter((each) => isAny || each.projectId === charge.projectId)
		.map(({ videoId }) => videoId);
	return videos
		.filter(({ id }) => ids.includes(id) && id !== charge.videoId)
		.map(({ createdAt }) => Date.parse(createdAt));
}

/** How many videos of a project are made at the same time at most: one, unless the service tells them apart. */
function getMostAtOnce(plan: Plan): number {
	const { entriesNameQueueId = false, videoUrlInDetails = false } = plan.service;
	const isSilent = entriesNameQueueId === false && videoUrlInDetails === false;
	return Number(getWaitOptions(plan).videosAtOnce ?? (isSilent ? 1 : 10));
}

/** An ordinary day: one at a time, nobody else, nothing unknown, no wait that is over before its video. */
function isLaneOfOne(session: Session, plan: Plan, adds: Add[]): boolean {
	return (
		getMostAtOnce(plan) === 1 &&
		plan.strangers.length === 0 &&
		new Set(session.played.map(({ chain }) => chain)).size === 1 &&
		session.played.every((each) => each.result && !isStopped(each)) &&
		adds.every(({ fate }) => fate !== 'unknown') &&
		session.ownCharges.every((charge) => {
			const isMade = findListedAt(session, charge.videoId) !== undefined;
			return !isMade || isInTime(session, plan, charge, charge.at);
		})
	);
}

/** Whether no other video of the project can be taken for an item's own. */
function isApart(
	session: Session,
	plan: Plan,
	adds: Add[],
	[charge, listedAt]: [Charge, number],
	{ played, row }: { played: Played; row: number },
): boolean {
	const delayMs = getListingDelayMs(plan);
	const others = listOthers(session, plan, charge);
	const isFree = (from: number, to: number) => !others.some((at) => at >= from && at <= to);
	if (waits(plan)) {
		const add = findAdd(session, adds, row, played);
		const isOwnRun = add?.played === played;
		const to = isOwnRun ? listedAt + 2 * delayMs + APART_MS : played.endedAt;
		return isFree(charge.at - APART_MS - 2 * delayMs, to);
	}
	if (plan.parameters.queuedAt !== '') return isFree(charge.at - 2 * delayMs, played.endedAt);
	// Without a date, only what is listed after it was found running can be its own.
	const isRunning = listedAt > played.startedAt + 2 * delayMs + 15_000;
	return isRunning && isFree(played.startedAt, played.endedAt);
}

/** Whether an item can be told its video, by what the documents say of the service. */
function isTellable(
	session: Session,
	plan: Plan,
	adds: Add[],
	charge: Charge,
	place: { played: Played; row: number },
): boolean {
	const listedAt = findListedAt(session, charge.videoId);
	const { endedItemsLeaveAfterMs, entriesNameQueueId, videoUrlInDetails } = plan.service;
	const isNamed = Boolean(entriesNameQueueId) && charge.queueId.length >= MIN_NAME_LENGTH;
	// A cached list may show a video long after Listing Delay.
	const isCached = (plan.service.listCacheMs ?? 0) > 0;
	if (listedAt === undefined || (isCached && videoUrlInDetails !== true)) return false;
	// Queue > Wait may find it neither running nor finished.
	if (!waits(plan) && endedItemsLeaveAfterMs !== null) return false;
	if (session.cleared.has(charge.queueId) || !isReadCalmly(session, place.played)) return false;
	// An add of unknown fate is never waited for.
	if (waits(plan) && findAdd(session, adds, place.row, place.played)?.fate === 'unknown')
		return false;
	return (
		videoUrlInDetails === true ||
		isNamed ||
		(waits(plan) && isLaneOfOne(session, plan, adds)) ||
		isApart(session, plan, adds, [charge, listedAt], place)
	);
}

/** The fields of an item, whether it succeeded or failed. */
export const show = ({ json }: { json: IDataObject }): IDataObject => ({
	...json,
	...(json.details as IDataObject | undefined),
});

/**
 * Whether an item was cleared, or failed in a service that takes it out of its queue then: that looks as if it
 * was finished, and a video that somebody else makes meanwhile as if it was its own.
 */
const hasLeftWithoutVideo = (session: Session, plan: Plan, charge: Charge) =>
	findListedAt(session, charge.videoId) === undefined &&
	(session.cleared.has(charge.queueId) || plan.service.endedItemsLeaveAfterMs !== null);

export const VIDEO_LAWS: Record<string, Law> = {
	'No item is given the video of another one': (session, plan) =>
		session.played.flatMap((played) =>
			listOutputs(played).flatMap((item) => {
				const { queueId, video, videoUrl } = show(item);
				const charge = findCharge(session, queueId);
				if (!charge || hasLeftWithoutVideo(session, plan, charge)) return [];
				const isOther =
					((video ?? null) !== null && (video as IDataObject).id !== charge.videoId) ||
					((videoUrl ?? null) !== null && !(videoUrl as string).includes(charge.videoId));
				return isOther ? [`${charge.videoId}: ${JSON.stringify(item.json)}`] : [];
			}),
		),

	'An item that can be told its video is told it': (session, plan, adds) =>
		listEnded(session).flatMap((played) =>
			listOutputs(played).flatMap((item) => {
				const row = readLink(item);
				const charge = findCharge(session, findQueueId(session, plan, adds, row, played));
				if (!charge || !isTellable(session, plan, adds, charge, { played, row })) return [];
				const since = waits(plan) ? charge.at : played.startedAt;
				if (!isInTime(session, plan, charge, since)) return [];
				const { videoUrl } = show(item);
				const isTold = typeof videoUrl === 'string' && videoUrl.includes(charge.videoId);
				return isTold && !isFailed(item) ? [] : [`${charge.videoId}: ${JSON.stringify(item.json)}`];
			}),
		),

	'Only so many videos of a project are in the making as are wanted at once': (
		session,
		plan,
		adds,
	) => {
		const { timeout = 1_800 } = getWaitOptions(plan);
		const isMade = (add: Add, at: number) => {
			const charge = findCharge(session, add.queueId);
			const listedAt = charge && findListedAt(session, charge.videoId);
			const endedAt = (listedAt ?? 0) - (plan.service.durations?.logDelayMs ?? 0);
			// One whose wait is over leaves its place.
			const until = Math.min(endedAt, add.at + Number(timeout) * 1_000);
			return add.fate === 'told' && add.at < at && at < until;
		};
		return adds.flatMap((add) => {
			const others = adds.filter(
				(each) =>
					each.played === add.played &&
					each.authorization === add.authorization &&
					each.body.projectId === add.body.projectId &&
					isMade(each, add.at) &&
					listOutputs(add.played).some((item) => readLink(item) === each.row && !isFailed(item)),
			);
			return others.length >= getMostAtOnce(plan)
				? [`row ${add.row} beside ${others.map(({ row }) => row).join()}`]
				: [];
		});
	},

	'The list is read at most once a minute and at the end of each item': (session, plan) =>
		session.played.flatMap((played) => {
			const reads = played.requests.filter(({ operation }) => operation === 'video.getAll');
			const { maxTries = 1 } = plan.settings;
			const minutes = (played.endedAt - played.startedAt) / 60_000;
			const isUndisturbed = isReadCalmly(session, played) && plan.service.rateLimit === false;
			const max = 2 * minutes + 2 * (2 + plan.rows.length) * maxTries;
			return isUndisturbed && reads.length > max ? [`${reads.length} in ${minutes} minutes`] : [];
		}),
};
