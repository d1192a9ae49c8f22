import type { IDataObject } from 'n8n-workflow';
import type { Charge } from '../../../sandbox/domain/model';
import type { Plan, Workflow } from './Plan';
import {
	generates,
	getListingDelayMs,
	getSlowMs,
	getWaitOptions,
	isAdd,
	isMistaken,
	isPause,
	isUsable,
	listServices,
	stops,
} from './Plan';
import { isStopped, type Item, type Law, LIST_MS, type Output, type Records } from './records';
import { askSecondOracle } from './secondOracle';
import { getAccount, type Played } from './Session';

/** An entry that is listed this long before an add may be new to the run that sends it. */
const APART_MS = 90_000;

/** The maximum time from the end of an item to the look that finds it, where nothing goes wrong. */
const LOOK_MS = 6_000;

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

/** Whether no other video of the project can be taken for an item's own. */
function isApart(records: Records, charge: Charge, listedAt: number, output: Output): boolean {
	const { played, row } = output;
	const { workflow } = played;
	const delayMs = getListingDelayMs(workflow) + 4 * getSlowMs(records.plan);
	// The other videos of the project; those of the account, where no project is given.
	const isAny = (workflow.parameters.projectId as IDataObject).value === '';
	const { endedItemsLeaveAfterMs, numberByAccount } = records.plan.service;
	// An item that has left is given nothing that one of a project with the same ID can own, which this process has added.
	const isOfAll = numberByAccount === true && endedItemsLeaveAfterMs !== null;
	const isOther = (each: { accountId: string; projectId: string }, id: string) =>
		(isOfAll || each.accountId === charge.accountId) &&
		id !== charge.videoId &&
		(isAny || each.projectId === charge.projectId);
	const others = [
		...records.session.videos
			.filter((each) => isOther(each, each.id))
			.map(({ createdAt }) => [Date.parse(createdAt), Date.parse(createdAt)] as const),
		...records.session.sandbox.charges
			// It could have had one at any time, for all that its wait has seen.
			.filter((each) => isOther(each, each.videoId) && hasLeftWithoutVideo(records, each))
			.map(({ at }) => [at, Infinity] as const),
	];
	const isFree = (from: number, to: number) =>
		!others.some(([since, until]) => until >= from && since <= to);
	if (generates(workflow)) {
		const isOwnRun = records.findAdd(row, played)?.played === played;
		const to = isOwnRun ? listedAt + 2 * delayMs + APART_MS : played.endedAt;
		return isFree(charge.at - APART_MS - 2 * delayMs, to);
	}
	if (workflow.parameters.queuedAt !== '') return isFree(charge.at - 2 * delayMs, played.endedAt);
	// Without a date, only what is listed after it was found running can be its own. A later round may begin after its end.
	const isRunning =
		workflow.perRound === undefined && listedAt > played.startedAt + 2 * delayMs + 15_000;
	return isRunning && isFree(played.startedAt, played.endedAt);
}

/** Whether a list that leads may have shown a video to this process before a look found its item finished. */
const isShownEarly = ({ plan, session }: Records, listedAt: number) => {
	const endsAt = listedAt - (plan.service.durations?.logDelayMs ?? 0);
	return session.sandbox.requests.some(
		({ at, operation }) =>
			operation === 'video.getAll' &&
			listedAt < endsAt &&
			at >= listedAt &&
			at <= endsAt + LOOK_MS + 2 * getSlowMs(plan),
	);
};

/** Whether entries name an item. A shorter queue ID may stand in one by chance. */
const isNamed = ({ plan }: Records, { queueId }: Charge) =>
	listServices(plan).every(({ entriesNameQueueId }) => Boolean(entriesNameQueueId)) &&
	queueId.length >= 16;

/** Why an item may come out without its video, by what the documents say of the service; undefined if it may not. */
function findExcuse(records: Records, charge: Charge, output: Output): string | undefined {
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
	const excuses: [reason: string, isExcused: boolean][] = [
		['it was stopped', isStopped(played)],
		['its account waits with mistakes', hasMistakes(plan, charge)],
		['it was not listed in time', !records.isInTime(workflow, charge, since)],
		['the list is cached', isCached(records) && !isAddressTold],
		['its queue ID came again', hasComeAgain(records, charge, played)],
		// Queue > Wait may find it neither running nor finished.
		['it may have left the queue', !generates(workflow) && leaves],
		// An item that is told such an address leaves its entry to the others.
		['an address that is told is listed otherwise', isToldOtherwise(plan)],
		['it was listed before its order was merged', (listedAt ?? Infinity) <= (add?.at ?? -Infinity)],
		['it was cleared', session.cleared.has(charge)],
		['another account has a project with its ID', leaves && isNumberedAlike(plan, charge)],
		['reads have failed', !isReadCalmly(records, played)],
		// It is never waited for.
		['the fate of its add is unknown', records.isUnknown(row, played)],
	];
	const reason = excuses.find(([, isExcused]) => isExcused)?.[0];
	if (reason !== undefined || listedAt === undefined) return reason ?? 'it was not listed';
	const isCertain = isAddressTold || isNamed(records, charge);
	if (isCertain && (!leaves || plan.service.finishedItemsStay === true)) return undefined;
	if (generates(workflow) && isUndisturbed(records, charge)) return undefined;
	// While a project may be owed a video, an item that has left the queue is given only what is certain, and
	// another one no older entry that was shown before its end.
	const isOwed =
		(leaves || isShownEarly(records, listedAt)) &&
		plan.workflows.some((each) => leavesVideos(records, each));
	if (isOwed) return 'a video may be owed';
	return isApart(records, charge, listedAt, output) ? undefined : 'another video is near';
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

/** Whether the account itself waits with wrong words or projects: what it takes by mistake is missing elsewhere. */
export const hasMistakes = ({ workflows }: Plan, { accountId }: Charge) =>
	workflows.some(
		(each) => isMistaken(each) && each.rows.some((row) => getAccount(row) === accountId),
	);

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

/**
 * The items of undisturbed projects that were made in turns, with the times when they asked for their places,
 * where these are known: they are not after a failed try. The calls of an agent that n8n makes as steps follow
 * each other.
 */
const listAsking = (records: Records) =>
	records.inLanes.flatMap((item) => {
		const { workflow, played, project, row } = item;
		const { model, rows } = workflow;
		const before = records.inLanes.filter(
			(each) => each.played.chain === played.chain && each.row < row,
		);
		const isUneven =
			[...before, item].some(({ hasFailed }) => hasFailed) ||
			rows.some((each) => each.isAway === true || !isUsable(workflow, each));
		const isLimited = records.plan.service.rateLimit !== false;
		// Guarded adds of an account take turns, and one of them may have been asked to come back in a minute.
		const isGuarded =
			'creditsToKeep' in ((workflow.parameters.options ?? {}) as IDataObject) &&
			records.played.some(({ execution }) =>
				execution.faults.some(({ kind }) => kind === 'tooManyRequests'),
			);
		const isJudged = !isLimited && !isGuarded && isUndisturbed(records, { projectId: project });
		if (!isJudged || (stops(workflow) && isUneven)) return [];
		const times = before.flatMap((each) => {
			if (model?.way === 'steps' || workflow.perRound !== undefined) return [each.leavesBy];
			return !model && each.project === project ? [each.firstAt] : [];
		});
		return [{ item, askedAt: Math.max(played.startedAt, ...times) }];
	});

/** The address of a video; of accounts that number alike, it names the account. */
const isOwnUrl = ({ plan }: Records, { accountId, videoId }: Charge, url: unknown) =>
	String(url).includes(plan.service.numberByAccount ? `of-${accountId}/` : '') &&
	String(url).includes(videoId);

const name = ({ row, played }: Item) => `row ${row} of execution ${played.chain}`;

/** What an item was given, and whether the documents allow it. */
function judgeVideo(records: Records, output: Output) {
	const { charge, fields, isFailed, played } = output;
	if (!charge) return undefined;
	const video = fields.video as IDataObject | null | undefined;
	const url = fields.videoUrl ?? undefined;
	const isOtherEntry = Boolean(video) && video?.id !== charge.videoId;
	const isOther = isOtherEntry || (Boolean(url) && !isOwnUrl(records, charge, url));
	if (isOther) {
		const isAllowed = canBeWrong(records, charge, played);
		return {
			got: "another's",
			isAllowed,
			reason: isAllowed ? 'the documents say so' : 'nothing explains it',
		};
	}
	const excuse = findExcuse(records, charge, output);
	if (url && !isFailed) return { got: 'its own', isAllowed: true, reason: 'it is its own' };
	return {
		got: url ? 'its own' : 'none',
		isAllowed: excuse !== undefined,
		reason: excuse ?? 'nothing excuses it',
	};
}

/** The outputs that the documents do not allow. */
const listWrong = (records: Records, isMeant: (got: string) => boolean) =>
	records.outputs.flatMap((output) => {
		const { charge, json, played } = output;
		const waits = generates(played.workflow) || !isAdd(played.workflow);
		const judged = waits ? judgeVideo(records, output) : undefined;
		if (!judged || judged.isAllowed || !isMeant(judged.got)) return [];
		return [`${charge?.videoId}: ${JSON.stringify(json)}`];
	});

export const VIDEO_LAWS: Record<string, Law> = {
	'No item is given the video of another one': (records) =>
		listWrong(records, (got) => got === "another's"),

	'An item that can be told its video is told it': (records) =>
		listWrong(records, (got) => got !== "another's"),

	'A second oracle agrees on whose video is whose': (records) =>
		askSecondOracle(records.session).flatMap((second) => {
			const { got, isAllowed, played, reason, row } = second;
			const output = records.outputs.find((each) => each.played === played && each.row === row);
			const first = output && judgeVideo(records, output);
			if (!first || (first.got === got && first.isAllowed === isAllowed)) return [];
			const say = (each: { got: string; isAllowed: boolean; reason: string }) =>
				`${each.got}, which is ${each.isAllowed ? '' : 'not '}allowed: ${each.reason}`;
			return [
				`first: ${say(first)}; second: ${say({ got, isAllowed, reason })}: ${JSON.stringify(output.json)}`,
			];
		}),

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

	'Nobody waits for a place while it is free': (records) =>
		listAsking(records).flatMap(({ item, askedAt }) => {
			const freeAt = records.inLanes
				.filter((each) => each !== item && each.project === item.project)
				.filter(({ firstAt }) => firstAt < item.firstAt)
				.map(({ leavesBy }) => leavesBy);
			const waitedMs = item.firstAt - Math.max(askedAt, ...freeAt);
			// The list is read, and another add of the run may be under way.
			return waitedMs > 10_000 + 4 * getSlowMs(records.plan)
				? [`${name(item)}: ${waitedMs} ms`]
				: [];
		}),

	'Executions of a project take turns': (records) =>
		listAsking(records).flatMap(({ item, askedAt }) =>
			records.plan.workflows.flatMap((workflow) => {
				const between = records.inLanes.filter(
					(each) =>
						each.workflow === workflow &&
						each.project === item.project &&
						each.firstAt > askedAt + LIST_MS + 2 * getSlowMs(records.plan) &&
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
