import type { Charge } from '../../../sandbox/domain/model';
import type { Execution, ParallelPlan } from './parallelPlans';
import { PROJECTS } from './parallelPlans';
import type { ParallelSession, ReceivedAdd } from './ParallelSession';
import { ADD_FAULTS } from './plans';
import { isFailed, isSubset, readLink } from './records';
import { show } from './videoLaws';

const generates = ({ maker }: Execution) => !['add', 'addAndWait'].includes(maker);

/** The time between two progress checks. */
const INTERVAL_MS = 5_000;

/** The maximum time in which an item counts as one that has left the queue. */
const NOT_FOUND_MS = 20_000;

/** The maximum time in which a list is read: requests for it are at least a second apart. */
const LIST_MS = 3_000;

/** The maximum time from a free place to the add: the list is read, and another add of the run may be under way. */
const ADD_MS = 10_000;

/** An item of Video > Generate whose add was sent. */
interface Item {
	by: Execution;
	execution: number;
	row: number;
	project: string;
	adds: ReceivedAdd[];
	charge: Charge | undefined;
	/** Whether an add was accepted, or may have been, and its execution does not know it. */
	isLost: boolean;
	/** Whether its generation fails. */
	fails: boolean;
	/** When its video was finished; Infinity if it never was. */
	endsAt: number;
	/** When its first and last add was sent. */
	firstAt: number;
	lastAt: number;
	/** When it left its place at the latest, if its execution went on. */
	leavesBy: number;
}

/** What the laws judge. */
export interface Facts {
	plan: ParallelPlan;
	session: ParallelSession;
	items: Item[];
	/** The projects whose videos are made by Video > Generate alone, one at a time, and are all waited for. */
	undisturbed: string[];
}

/** Whether the service tells which video is whose: always, never, or now and then. */
function getTelling({ service }: ParallelPlan): 'always' | 'never' | 'sometimes' {
	const { entriesNameQueueId, numericQueueIds, videoUrlInDetails } = service;
	if (entriesNameQueueId && numericQueueIds === false && service.listCacheMs === 0) return 'always';
	if (videoUrlInDetails === true) return 'always';
	return videoUrlInDetails === false && !entriesNameQueueId ? 'never' : 'sometimes';
}

/** How many videos of a project an execution makes beside each other at most. */
const getMostAtOnce = (plan: ParallelPlan, { videosAtOnce }: Execution) =>
	videosAtOnce ?? (getTelling(plan) === 'never' ? 1 : 10);

/** Whether videos of a project are made that this process does not wait for. */
const hasStrangers = ({ executions, strangers }: ParallelPlan, project: string) =>
	(strangers.length > 0 && project === PROJECTS[0]) ||
	executions.some((each) => !generates(each) && each.projects.some((other) => other === project));

const stopsOnError = ({ maker, settings }: Execution) =>
	maker === 'node' && settings.onError === 'stopWorkflow';

/** Derives from what was recorded what the laws judge. */
export function derive(plan: ParallelPlan, session: ParallelSession): Facts {
	const items = plan.executions.flatMap((by, execution) =>
		generates(by)
			? by.projects.flatMap((project, row) => {
					const adds = session.adds.filter((add) => add.execution === execution && add.row === row);
					return adds.length === 0
						? []
						: [deriveItem(plan, session, { by, execution, row, project, adds })];
				})
			: [],
	);
	const undisturbed = PROJECTS.filter((project) => isUndisturbed(plan, session, items, project));
	return { plan, session, items, undisturbed };
}

function deriveItem(
	plan: ParallelPlan,
	{ adds: all, charges, videos, lastChecks }: ParallelSession,
	item: Pick<Item, 'by' | 'execution' | 'row' | 'project' | 'adds'>,
): Item {
	const { adds, by, execution } = item;
	const ofExecution = all.filter((add) => add.execution === execution);
	const isLost = adds.some((add) => {
		const fault = by.faults.find(({ nth }) => nth === ofExecution.indexOf(add) + 1);
		const known = ADD_FAULTS.find(([spec]) => fault !== undefined && isSubset(spec, fault));
		return known?.[1] === 'unknown';
	});
	const queueId = adds.find((add) => add.queueId !== undefined)?.queueId;
	const charge = charges.find((each) => each.queueId === queueId);
	const fails = charge !== undefined && plan.videos[charges.indexOf(charge)]?.fails === true;
	const listedAt = videos.find(({ id }) => id === charge?.videoId)?.createdAt ?? '';
	const { logDelayMs = 0 } = plan.service.durations ?? {};
	const endsAt = listedAt === '' ? Infinity : Date.parse(listedAt) - logDelayMs;
	const lastAt = adds.at(-1)?.at ?? NaN;
	const checkedAt = lastChecks.get(queueId ?? '') ?? lastAt;
	const isMade = charge !== undefined && !isLost && !fails;
	const endedBy = isMade ? endsAt + INTERVAL_MS : checkedAt;
	const isGone = charge !== undefined && plan.service.endedItemsLeaveAfterMs !== null;
	const settledBy = endedBy + (isMade || isGone ? plan.listingDelay * 1_000 : 0);
	return {
		...{ ...item, charge, isLost, fails, endsAt, lastAt, firstAt: adds[0]?.at ?? NaN },
		leavesBy: settledBy + (isGone ? NOT_FOUND_MS : 0) + LIST_MS,
	};
}

const isStopped = ({ segments }: ParallelSession, execution: number) =>
	segments[execution]?.at(-1)?.status === 'canceled';

/** Whether something went wrong for an item. */
const hasFailed = ({ adds, by, isLost, fails }: Item) =>
	isLost ||
	fails ||
	by.timeout < 1_800 ||
	by.executionTimeout !== undefined ||
	adds.some(({ queueId }) => queueId === undefined);

/** Whether an execution may have left a video that nobody waits for. */
function leavesVideos(
	{ listingDelay }: ParallelPlan,
	session: ParallelSession,
	items: Item[],
	execution: number,
): boolean {
	const own = items.filter((item) => item.execution === execution && item.charge !== undefined);
	const endedAt = session.segments[execution]?.at(-1)?.endedAt ?? 0;
	const isAbandoned = ({ endsAt, fails }: Item) =>
		!fails && endsAt + listingDelay * 1_000 > endedAt;
	if (isStopped(session, execution) && own.some(isAbandoned)) return true;
	if (own.some(({ isLost, by }) => isLost || by.timeout < 1_800)) return true;
	const all = items.filter((item) => item.execution === execution);
	// A failed item ends the run, in which videos of other projects are made.
	const isEnded = all.some((item) => stopsOnError(item.by) && hasFailed(item));
	return isEnded && new Set(all.map(({ project }) => project)).size > 1;
}

function isUndisturbed(
	plan: ParallelPlan,
	session: ParallelSession,
	items: Item[],
	project: string,
): boolean {
	const isHere = ({ projects }: Execution) => projects.some((each) => each === project);
	return (
		plan.faults.length === 0 &&
		plan.service.listCacheMs === 0 &&
		!hasStrangers(plan, project) &&
		plan.executions.every(
			(each, execution) =>
				!isHere(each) ||
				(getMostAtOnce(plan, each) === 1 && !leavesVideos(plan, session, items, execution)),
		)
	);
}

/**
 * When an item's execution asked for its place; undefined if that is not known, as after a failed try. The
 * calls of an agent that n8n makes as steps follow each other.
 */
function findAskedAt({ items, session }: Facts, item: Item): number | undefined {
	const { by, execution, project, row } = item;
	const before = items.filter((each) => each.execution === execution && each.row < row);
	if (stopsOnError(by) && before.concat(item).some(hasFailed)) return undefined;
	const startedAt = session.segments[execution]?.[0]?.startedAt ?? NaN;
	const times = before.flatMap((each) => {
		if (by.maker === 'steps') return [each.leavesBy];
		return by.maker === 'node' && each.project === project ? [each.firstAt] : [];
	});
	return Math.max(startedAt, ...times);
}

const name = ({ execution, row }: Item) => `row ${row} of execution ${execution}`;

export const PARALLEL_LAWS: Record<string, (facts: Facts) => string[]> = {
	// An item that fails and leaves the queue looks as if it was finished: beside strangers, it can be given theirs.
	'No item is given the video of another one': ({ plan, session }) =>
		session.segments.flat().flatMap(({ outputs }) =>
			outputs.flatMap((item) => {
				const { queueId, video, videoUrl } = show(item);
				const index = session.charges.findIndex((each) => each.queueId === queueId);
				const charge = session.charges[index];
				const isGone =
					plan.videos[index]?.fails === true && plan.service.endedItemsLeaveAfterMs !== null;
				if (isGone && hasStrangers(plan, charge?.projectId ?? '')) return [];
				const { id = charge?.videoId } = (video ?? {}) as { id?: string };
				const isOther =
					charge !== undefined &&
					(id !== charge.videoId || !((videoUrl ?? id) as string).includes(charge.videoId));
				return isOther ? [`${charge.videoId}: ${JSON.stringify(item.json)}`] : [];
			}),
		),

	'An add is sent again only after a refusal': ({ items }) =>
		items
			.filter(({ adds, isLost }) => {
				const before = adds.slice(0, -1);
				return before.some(({ queueId }) => queueId !== undefined) || (isLost && adds.length > 3);
			})
			.map(name),

	'Without strangers in its project, every item is given its own video': (facts) =>
		facts.items.flatMap((item) => {
			const { charge, execution, fails, project } = item;
			const { status, outputs = [] } = facts.session.segments[execution]?.at(-1) ?? {};
			const isJudged = facts.undisturbed.includes(project) && status === 'success' && !fails;
			if (!isJudged || charge === undefined) return [];
			const output = outputs.find(({ json }) => json.queueId === charge.queueId);
			const isOwn = JSON.stringify(output?.json.videoUrl ?? null).includes(charge.videoId);
			return isOwn ? [] : [`${name(item)}: ${JSON.stringify(output?.json)}`];
		}),

	'Where the service tells which video is whose, every item is given its own, whoever else is there':
		({ plan, session, items }) =>
			items.flatMap(({ charge, execution, fails, isLost, endsAt, ...item }) => {
				const { outputs = [], endedAt = 0 } = session.segments[execution]?.at(-1) ?? {};
				const output = outputs.find(({ json }) => json.queueId === charge?.queueId);
				const isTold = getTelling(plan) === 'always' && plan.faults.length === 0;
				const isDropped =
					plan.service.endedItemsLeaveAfterMs !== null && plan.service.finishedItemsStay !== true;
				if (!isTold || isDropped || fails || isLost || output === undefined) return [];
				if (charge === undefined || isFailed(output) || endsAt > endedAt) return [];
				const isOwn = JSON.stringify(output.json.videoUrl).includes(charge.videoId);
				return isOwn
					? []
					: [`row ${item.row} of execution ${execution}: ${JSON.stringify(output.json)}`];
			}),

	'An execution for which nothing goes wrong makes all of its videos': ({ plan, session, items }) =>
		plan.executions.flatMap(({ maker, projects }, execution) => {
			const own = items.filter((item) => item.execution === execution);
			const isTimed = plan.executions[execution]?.executionTimeout !== undefined;
			if (maker !== 'node' || isTimed || plan.faults.length > 0) return [];
			if (own.some(hasFailed)) return [];
			const { status, error, outputs = [] } = session.segments[execution]?.at(-1) ?? {};
			if (status === 'canceled') return [];
			const links = outputs.filter((item) => !isFailed(item)).map(readLink);
			const isWhole = links.length === projects.length && new Set(links).size === links.length;
			return isWhole ? [] : [`execution ${execution}: ${status} (${error}), items ${links.join()}`];
		}),

	'Only so many videos of a project are made as are wanted at once, whoever makes them': ({
		plan,
		session,
		items,
	}) =>
		items.flatMap((item) => {
			const others = items.filter(
				(each) =>
					each !== item &&
					each.project === item.project &&
					each.charge !== undefined &&
					!each.fails &&
					!leavesVideos(plan, session, items, each.execution) &&
					// Of adds that are sent together, it is not known which one took its place first.
					each.charge.at + LIST_MS < item.lastAt &&
					item.lastAt < each.endsAt,
			);
			return others.length >= getMostAtOnce(plan, item.by)
				? [`${name(item)} beside ${others.map(name).join()}`]
				: [];
		}),

	'Nobody waits for a place while it is free': (facts) =>
		facts.items.flatMap((item) => {
			const askedAt = findAskedAt(facts, item);
			if (!facts.undisturbed.includes(item.project) || askedAt === undefined) return [];
			const freeAt = facts.items
				.filter((each) => each !== item && each.project === item.project)
				.filter(({ firstAt }) => firstAt < item.firstAt)
				.map(({ leavesBy }) => leavesBy);
			const waitedMs = item.firstAt - Math.max(askedAt, ...freeAt);
			return waitedMs > ADD_MS ? [`${name(item)}: ${waitedMs} ms`] : [];
		}),

	'Executions of a project take turns': (facts) =>
		facts.items.flatMap((item) => {
			const askedAt = findAskedAt(facts, item);
			if (!facts.undisturbed.includes(item.project) || askedAt === undefined) return [];
			return facts.plan.executions.flatMap((by, execution) => {
				if (by.maker !== 'node' || execution === item.execution) return [];
				const between = facts.items.filter(
					(each) =>
						each.execution === execution &&
						each.project === item.project &&
						each.firstAt > askedAt + LIST_MS &&
						each.firstAt < item.firstAt,
				);
				return between.length > 1 ? [`${name(item)} after ${between.map(name).join()}`] : [];
			});
		}),

	'Stop ends an execution within a second, of which nothing is sent any more': ({
		plan,
		session,
	}) =>
		plan.executions.flatMap((each, execution) => {
			const { executionTimeout = Infinity, maker, settings, stopAfterMs = Infinity } = each;
			const [segment] = session.segments[execution] ?? [];
			if (maker !== 'node' || segment?.status !== 'canceled') return [];
			const stoppedAt = segment.startedAt + Math.min(stopAfterMs, executionTimeout * 1_000);
			const isLate = !settings.retryOnFail && segment.endedAt > stoppedAt + 1_000;
			const sent = session.adds.filter((add) => add.execution === execution && add.at > stoppedAt);
			return isLate || sent.length > 0 ? [`execution ${execution}, ${sent.length} sent`] : [];
		}),

	'Nothing is left: a later execution begins at once': ({ plan, session }) => {
		const execution = plan.executions.length;
		const startedAt = session.segments[execution]?.[0]?.startedAt ?? NaN;
		const adds = session.adds.filter((add) => add.execution === execution);
		const isAtOnce = adds.every(({ at }) => at - startedAt < LIST_MS);
		const isLeft = session.timers > 0 || adds.length !== PROJECTS.length || !isAtOnce;
		const times = adds.map(({ at }) => at - startedAt).join();
		return isLeft ? [`${session.timers} timers, adds after ${times} ms`] : [];
	},
};
