import type { FaultSpec } from '../../../sandbox/faults/FaultSpec';
import type { DataText, Ledger, Order, OrderGroup, Outcome } from './Ledger';
import { ADD_NODE, TOOL_NAME, WAIT_NODE } from './parameters';
import { isAgent } from './Story';
import {
	canReadLog,
	findGone,
	findGroup,
	findLooks,
	findSingleOrder,
	findVideo,
	hasSocketTrouble,
	isOfUnknownFate,
	isWaited,
	name,
	nameOutcome,
	readQueueId,
} from './ledgerQueries';
import type { Invariant } from './ledgerQueries';
import { CLEAR_INVARIANTS } from './clearInvariants';
import { KEY_INVARIANTS } from './keyInvariants';
import { getListingDelayMs, WAIT_INVARIANTS } from './waitInvariants';
import type { PlayedAdd, PlayedVideo } from './Scene';
import { RETRY_INVARIANTS } from './retryInvariants';
import type { StoryExecution } from './Story';
import { getDurationMs, READ_TROUBLES } from './troubles';

/** An item of a run is charged at most once, regardless of its tries. */
const oneChargeAnItem: Invariant = ({ groups, story }) =>
	[...groups.values()].flatMap(({ orders, videos }) =>
		orders.length === 0 ||
		videos.length <= orders.length ||
		orders.some((order) => changesItsPrompt(story.executions, order))
			? []
			: [`${name(orders)} paid ${videos.length} times: ${listIds(videos)}`],
	);

/**
 * An add that was accepted, or may have been, is not sent again, even if nothing was queued for it.
 */
const nothingIsSentAgain: Invariant = ({ groups, story }) =>
	[...groups.values()].flatMap(({ orders, adds }) => {
		const sent = adds.filter(({ fate }) => fate !== 'unsent' && fate !== 'refused');
		return orders.length === 0 ||
			sent.length <= orders.length ||
			orders.some((order) => changesItsPrompt(story.executions, order))
			? []
			: [`${name(orders)} sent ${sent.length} times without being refused`];
	});

/** A node set to stop sends nothing for any item if one of them cannot be sent. */
const unusableItemStopsAll: Invariant = ({ story, groups, orders }) =>
	story.executions.flatMap(({ way, onError }, index) => {
		const own = orders.filter(({ execution }) => execution === index);
		if (way !== 'items' || onError !== 'stopWorkflow' || own.every((each) => each.isComplete)) {
			return [];
		}
		return [...groups.values()]
			.filter((group) => group.orders.length > 0 && group.adds.length > 0)
			.filter((group) => group.orders.every(({ execution }) => execution === index))
			.map((group) => `${name(group.orders)} was sent beside an item that cannot be`);
	});

/** Every order is paid for if nothing goes wrong: identical ones as often as they are ordered. */
const everyOrderIsPaid: Invariant = ({ story, executions, orders, groups }) => {
	const { addTroubles, credits } = story.service;
	const isSmooth =
		addTroubles.length === 0 &&
		!hasSocketTrouble(story, 'queue.add') &&
		story.n8nTroubles.length === 0 &&
		credits === null &&
		executions.every(({ isStopped }) => !isStopped) &&
		executions.every(({ killed }) => killed === undefined) &&
		story.executions.every(
			({ waiting, creditsToKeep, uniqueKey }) =>
				waiting === 'none' && creditsToKeep === null && uniqueKey === null,
		) &&
		orders.every(({ isComplete, isReachable }) => isComplete && isReachable);
	if (!isSmooth) return [];
	return [...groups.values()]
		.filter((group) => group.videos.length < group.orders.length)
		.map((group) => `${name(group.orders)} paid ${group.videos.length} times`);
};

/**
 * The service receives exactly the order of an item: its project, its prompt as text, its switch,
 * and its account.
 */
const nothingElseIsSent: Invariant = ({ groups }) =>
	[...groups].flatMap(([signature, { orders }]) => {
		if (orders.length === 0) return [`nobody ordered what was sent: ${signature}`];
		if (orders.every(({ isComplete }) => !isComplete)) {
			const { adds } = groups.get(signature) ?? { adds: [] };
			return adds.length > 0 ? [`${name(orders)} lacks a prompt and was sent all the same`] : [];
		}
		return [];
	});

/**
 * Every queue id that a response delivered is shown by the execution and by all its retries, or after
 * Stop at least in n8n's log.
 */
const everyIdStands: Invariant = ({ groups, shown, executions, logLines, story }) =>
	[...groups.values()].flatMap(({ adds, orders }) =>
		adds.flatMap(({ fate, charge, at }) => {
			if (fate !== 'told' || !charge) return [];
			const { queueId } = charge;
			const isIn = (texts: DataText[]) => texts.some(({ text }) => text.includes(queueId));
			const places = [...new Set(orders.map(({ execution }) => execution))];
			if (places.some((execution) => executions[execution]?.killed)) return [];
			const isStopped = places.some((execution) => executions[execution]?.isStopped);
			// n8n saves a stopped execution before the node can return its output.
			const isLogged =
				logLines.some((line) => line.includes(queueId)) ||
				story.n8nTroubles.some(({ part }) => part === 'log');
			if (isStopped && isLogged) return [];
			const isInAll = places.some((execution) => {
				const attempts = executions[execution]?.attempts ?? [];
				const listShown = (isAfter: (endedAt: number) => boolean) =>
					(shown[execution] ?? []).filter((_, attempt) =>
						isAfter(attempts[attempt]?.endedAt ?? -Infinity),
					);
				// An attempt that failed in the same moment can be the one before the add's.
				const isInOne = listShown((endedAt) => at <= endedAt).some(isIn);
				return isInOne && listShown((endedAt) => at < endedAt).every(isIn);
			});
			return isInAll
				? []
				: [`${name(orders)} was told the queue id ${queueId}, and it is not shown`];
		}),
	);

/**
 * `details.mayBeQueued` is true exactly when the add may have been accepted and no response had its
 * id.
 */
const mayBeQueuedIsRight: Invariant = (ledger) =>
	ledger.outcomes.flatMap((outcome) => {
		const group = findSingleOrder(ledger, outcome);
		if (!group || outcome.error === undefined || outcome.node === WAIT_NODE) return [];
		// An agent receives the error alone, unless the node is set to continue.
		if (outcome.node === TOOL_NAME && outcome.details === undefined) return [];
		if (group.adds.some(({ fate }) => fate === 'unreadable')) return [];
		const isUnknown = isOfUnknownFate(group);
		const isSaid = outcome.details?.mayBeQueued === true;
		// An add in flight when Stop is pressed has no fate yet.
		const isStopped = ledger.executions[outcome.execution]?.isStopped === true;
		const isOnItsWay = ({ fate, isDelayed }: PlayedAdd) => fate === 'told' || isDelayed;
		// n8n keeps the output of the previous try if Stop is pressed during a later one.
		const isOfEarlierTry = group.adds.length > 1;
		if (isStopped && (isSaid || isOfEarlierTry) && group.adds.some(isOnItsWay)) return [];
		return isSaid === isUnknown
			? []
			: [
					`${name(group.orders)} has mayBeQueued ${isSaid}, but ${isUnknown ? 'its fate is unknown' : 'it is not so'}`,
				];
	});

/** An error says that a video may have been queued exactly when that is so. */
const unknownFateIsSaid: Invariant = ({ story, executions, groups, shown }) =>
	story.executions.flatMap(({ operation }, index) => {
		const played = executions[index];
		if (!played?.run || played.isStopped || operation === 'clear') return [];
		const own = [...groups.values()].filter(({ orders }) =>
			orders.some((order) => order.execution === index),
		);
		const isShared = own.some(({ orders }) => orders.some((order) => order.execution !== index));
		if (isShared || own.some(({ adds }) => adds.some(({ fate }) => fate === 'unreadable'))) {
			return [];
		}
		const isUnknown = own.some(isOfUnknownFate);
		const isSaid = (shown[index]?.at(-1) ?? []).some(({ text }) =>
			/may have been queued/i.test(text),
		);
		if (isSaid === isUnknown) return [];
		return [
			`execution ${index + 1} ${isSaid ? 'says' : 'does not say'} that a video may have been queued`,
		];
	});

/** An output's queue id is that of its own item. */
const queueIdIsOwn: Invariant = (ledger) => {
	const told = new Map<string, Outcome>();
	return ledger.outcomes.flatMap((outcome) => {
		const queueId = readQueueId(outcome);
		const group = findGroup(ledger, outcome);
		if (queueId === undefined || !group) return [];
		const same = told.get(`${outcome.node} ${queueId}`);
		told.set(`${outcome.node} ${queueId}`, outcome);
		if (same) return [`${nameOutcome(outcome)} has the queue id of ${nameOutcome(same)}`];
		const isOwn = group.videos.some(({ charge }) => charge.queueId === queueId);
		return isOwn ? [] : [`${nameOutcome(outcome)} has the queue id ${queueId} of another one`];
	});
};

/** A finished item has a file exactly when Download Video is on. */
const fileIsThere: Invariant = (ledger) =>
	ledger.outcomes.flatMap((outcome) => {
		const execution = ledger.story.executions[outcome.execution];
		if (!execution || isAgent(execution) || outcome.error !== undefined) return [];
		// n8n hands the input on when Stop is pressed between two tries.
		if (ledger.executions[outcome.execution]?.isStopped) return [];
		const isWanted = isWaited(ledger, outcome) && execution.downloadVideo;
		return outcome.hasFile === isWanted
			? []
			: [`${nameOutcome(outcome)} has ${outcome.hasFile ? 'a' : 'no'} file`];
	});

/** An item comes out as finished only if its video is finished and has not failed. */
const finishedIsFinished: Invariant = (ledger) =>
	ledger.outcomes.flatMap((outcome) => {
		const video = findVideo(ledger, outcome);
		if (!video || !isWaited(ledger, outcome) || outcome.error !== undefined) return [];
		if (ledger.executions[outcome.execution]?.isStopped) return [];
		// An item that has left the queue may be finished or not: the service does not say.
		if (findGone(ledger, video) !== undefined) return [];
		const { plan, endsAt } = video;
		const endedAt = ledger.executions[outcome.execution]?.endedAt ?? NaN;
		if (endsAt !== null && !plan.fails && endsAt <= endedAt) return [];
		return [`${nameOutcome(outcome)} came out as finished, and is not`];
	});

/** An item without any trouble comes out as finished. */
const healthyItemSucceeds: Invariant = (ledger) =>
	ledger.orders.flatMap((order) => {
		const { execution, run, item } = order;
		const group = ledger.groups.get(order.signature);
		if (group?.orders.length !== 1 || !isHealthy(ledger, order, group)) return [];
		const { way, waiting } = ledger.story.executions[execution] ?? {};
		const node = way === 'agentSteps' ? TOOL_NAME : waiting === 'wait' ? WAIT_NODE : ADD_NODE;
		const isThere = ledger.outcomes.some(
			(outcome) =>
				outcome.execution === execution &&
				outcome.node === node &&
				outcome.run === run &&
				outcome.item === item &&
				outcome.error === undefined &&
				readQueueId(outcome) !== undefined,
		);
		return isThere ? [] : [`${name([order])} did not come out, though nothing was wrong with it`];
	});

/** Every output is linked to its input. */
const everyOutputIsLinked: Invariant = ({ outcomes, story }) =>
	outcomes.flatMap((outcome) => {
		const execution = story.executions[outcome.execution];
		if (!execution || isAgent(execution)) return [];
		const { item } = outcome;
		const isLinked = item !== undefined && item >= 0 && item < execution.items.length;
		return isLinked ? [] : [`an output of ${outcome.node} is linked to ${String(item)}`];
	});

/** A node set to continue outputs every item exactly once: as a queue item, or as its error. */
const everyItemComesOutOnce: Invariant = (ledger) =>
	ledger.story.executions.flatMap((execution, index) => {
		const played = ledger.executions[index];
		if (!played?.run || played.isStopped) return [];
		if (execution.way === 'agentCalls' || execution.onError === 'stopWorkflow') return [];
		const out = ledger.outcomes.filter((outcome) => outcome.execution === index);
		const added = out.filter(({ node }) => node === ADD_NODE);
		const count = execution.executeOnce ? 1 : execution.items.length;
		const ordered =
			execution.operation === 'clear'
				? Array.from({ length: count }, (_, item) => ({ run: 0, item }))
				: ledger.orders.filter((order) => order.execution === index);
		if (execution.way === 'agentSteps') return compareItems(TOOL_NAME, ordered, out);
		if (execution.waiting !== 'wait') return compareItems(ADD_NODE, ordered, added);
		// The error output of Queue > Add is not connected, and Queue > Wait has Execute Once as well.
		const isInput = ({ output, run }: Outcome, at: number) =>
			output === 0 &&
			!(
				execution.executeOnce &&
				added.slice(0, at).some((one) => one.run === run && one.output === 0)
			);
		return [
			...compareItems(ADD_NODE, ordered, added),
			...compareItems(
				WAIT_NODE,
				added.filter(isInput),
				out.filter(({ node }) => node === WAIT_NODE),
			),
		];
	});

function compareItems(
	node: string,
	inputs: Pick<Outcome, 'run' | 'item'>[],
	outputs: Outcome[],
): string[] {
	return inputs.flatMap(({ run, item }) => {
		const own = outputs.filter((outcome) => outcome.run === run && outcome.item === item);
		const isMeant = own.every((one) => one.error !== undefined || readQueueId(one) !== undefined);
		if (own.length === 1 && isMeant) return [];
		const how = isMeant ? '' : ', as neither video nor error';
		return [`item ${String(item)} of ${node}, run ${run}, came out ${own.length} times${how}`];
	});
}

/** A node set to stop sends nothing after an add of unknown fate. */
const unknownFateEndsTheRun: Invariant = ({ story, groups, adds }) =>
	story.executions.flatMap((execution, index) => {
		if (execution.onError !== 'stopWorkflow' || execution.way !== 'items') return [];
		const own = [...groups.values()].filter(
			({ orders }) => orders.length === 1 && orders[0]?.execution === index,
		);
		return own.filter(isOfUnknownFate).flatMap(({ orders: [order], adds: ownAdds }) => {
			const first = ownAdds.find(({ fate }) => fate === 'unknown');
			if (!order || !first) return [];
			const later = own.find(
				(group) =>
					(group.orders[0]?.item ?? 0) > order.item &&
					group.adds.some((add) => adds.indexOf(add) > adds.indexOf(first)),
			);
			return later
				? [`${name(later.orders)} was sent after ${name([order])}, whose fate is unknown`]
				: [];
		});
	});

/** The execution ends within its timeouts. */
const executionEnds: Invariant = (ledger) =>
	ledger.executions.flatMap(({ run, endedAt, killed }, index) => {
		if (killed) return [];
		if (!run)
			return [`execution ${index + 1} does not end: ${ledger.standstill ?? 'time is over'}`];
		const tookMs = endedAt - ledger.startedAt;
		const longestMs = computeLongestMs(ledger);
		return tookMs <= longestMs
			? []
			: [`execution ${index + 1} took ${tookMs / 1000} s, and may take ${longestMs / 1000} s`];
	});

/** Stop ends an execution despite requests in flight; n8n itself waits a second between tries. */
const stopEndsIt: Invariant = ({ story, executions }) =>
	executions.flatMap(({ stoppedAt, endedAt }, index) => {
		if (stoppedAt === undefined) return [];
		const { tries = 1, items = [] } = story.executions[index] ?? {};
		const wentOnMs = endedAt - stoppedAt;
		return wentOnMs <= STOP_GRACE_MS + tries * items.length * 1_000
			? []
			: [`execution ${index + 1} went on for ${wentOnMs / 1000} s`];
	});

const STOP_GRACE_MS = 5_000;

/** The execution's data contains no raw error of JavaScript or Node. */
const noRawError: Invariant = ({ texts }) =>
	texts.flat().flatMap(({ path, text }) => {
		// Node's code for a broken connection is meant for a repair branch.
		if (path.endsWith('.stack') || path.endsWith('.httpCode')) return [];
		const raw = RAW_TEXT.exec(text);
		return raw ? [`${path}: ${text.slice(0, 300)}`] : [];
	});

const RAW_TEXT =
	/Cannot (read|destructure|convert|set)|is not (a function|iterable|defined)|\bundefined\b|\bNaN\b|\[object |\bERR_(?!SSL|TLS)[A-Z]|\bHPE_[A-Z]+|^\s+at .+:\d+:\d+/m;

/** The execution's data and n8n's log contain no API key. */
const noKey: Invariant = ({ texts, logLines, keys }) => {
	const lines = logLines.map((text) => ({ path: "n8n's log", text }));
	return [...texts.flat(), ...lines]
		.filter(({ text }) => keys.some((key) => text.includes(key)))
		.map(({ path }) => `${path} has an API key`);
};

/** A failed execution has the status error, and is never canceled, unless Stop was pressed. */
const neverCanceled: Invariant = ({ executions }) =>
	executions.flatMap(({ run, isStopped }, index) =>
		run?.status === 'canceled' && !isStopped ? [`execution ${index + 1} is canceled`] : [],
	);

/** No timer runs and no request is sent after the end. */
const nothingIsLeft: Invariant = ({ left, leftLater, executions, standstill }) => {
	if (standstill !== undefined) return [];
	// The node waits for an add in flight when Stop is pressed: its queue id goes to n8n's log.
	const isAwaited = (request: string) =>
		request.startsWith('POST ') && executions.some(({ isStopped }) => isStopped);
	const { timers, openRequests } = left;
	return [
		...(timers > openRequests.filter(isAwaited).length ? [`${timers} timers are left`] : []),
		...openRequests.filter((request) => !isAwaited(request)).map((each) => `${each} is still open`),
		...(leftLater.timers > 0 ? [`${leftLater.timers} timers never end`] : []),
		...leftLater.openRequests.map((request) => `${request} never ends`),
		...leftLater.newRequests.map((request) => `${request} was sent after the end`),
	];
};

export const INVARIANTS: Record<string, Invariant> = {
	oneChargeAnItem,
	nothingIsSentAgain,
	unusableItemStopsAll,
	everyOrderIsPaid,
	nothingElseIsSent,
	everyIdStands,
	mayBeQueuedIsRight,
	unknownFateIsSaid,
	queueIdIsOwn,
	fileIsThere,
	finishedIsFinished,
	healthyItemSucceeds,
	everyOutputIsLinked,
	everyItemComesOutOnce,
	unknownFateEndsTheRun,
	executionEnds,
	stopEndsIt,
	noRawError,
	noKey,
	neverCanceled,
	nothingIsLeft,
	...RETRY_INVARIANTS,
	...CLEAR_INVARIANTS,
	...KEY_INVARIANTS,
	...WAIT_INVARIANTS,
};

export interface Violation {
	invariant: string;
	cases: string[];
}

/** @returns the invariants that do not hold, in their order */
export function findViolations(ledger: Ledger): Violation[] {
	return Object.entries(INVARIANTS)
		.map(([invariant, check]) => ({ invariant, cases: check(ledger) }))
		.filter(({ cases }) => cases.length > 0);
}

/**
 * A limitation of n8n: all calls of an older agent look alike. An add of unknown fate cannot be
 * recognized if its prompt changes with every try.
 */
function changesItsPrompt(executions: StoryExecution[], order: Order): boolean {
	const execution = executions[order.execution];
	return execution?.way === 'agentCalls' && execution.promptEnd !== '';
}

function isHealthy(ledger: Ledger, order: Order, { adds, videos }: OrderGroup): boolean {
	const { story, executions, requests } = ledger;
	const execution = story.executions[order.execution];
	const [video] = videos;
	const played = executions[order.execution];
	const attempt = played?.attempts.at(-1);
	if (!execution || !played || played.isStopped || played.killed || story.n8nTroubles.length > 0)
		return false;
	if (execution.way === 'agentCalls' || execution.creditsToKeep !== null) return false;
	// A key may be used.
	if (execution.uniqueKey !== null && !video) return false;
	// The file may be unavailable, or the video indistinguishable from others.
	if (execution.waiting !== 'none' && execution.downloadVideo) return false;
	const isAlone = execution.items.length === 1 || execution.executeOnce;
	if (execution.onError === 'stopWorkflow' && (!isAlone || execution.way === 'loop')) return false;
	if (!order.isReachable || !order.isComplete) return false;
	if (!video)
		return (
			adds.length === 0 && story.service.addTroubles.length === 0 && story.service.credits === null
		);
	if (adds.at(-1)?.fate !== 'told' || adds.some(({ fate }) => fate === 'unknown')) return false;
	const { plan, charge, endsAt } = video;
	if (execution.waiting === 'none') return true;
	if (plan.fails || plan.clearedAfterMs !== null || plan.lookTrouble !== null) return false;
	if (plan.calledFailedAt !== null) return false;
	if (story.service.endedItemsLeaveAfterMs !== null || !canReadLog(ledger)) return false;
	if (hasSocketTrouble(story, 'queue.getProgress')) return false;
	const { timeout = 1_800, pollingInterval = 10 } = execution.waitOptions;
	const startedAt = Math.max(charge.at, attempt?.startedAt ?? charge.at);
	const firstLook = findLooks(ledger, video).find(({ at }) => at >= startedAt)?.at ?? startedAt;
	const isInTime =
		(endsAt ?? Infinity) < firstLook + (Number(timeout) - 2 * Number(pollingInterval)) * 1000;
	return isInTime && requests.length > 0;
}

/**
 * Computes a maximum that is above the sum of the story's settings and troubles, but not far above.
 */
function computeLongestMs({ story, adds, requests, begun }: Ledger): number {
	const { addTroubles, clearTroubles, logTroubles, fileTroubles, videos } = story.service;
	const faults: FaultSpec[] = [
		...[...addTroubles, ...clearTroubles].map(({ fault }) => fault),
		...[...logTroubles, ...fileTroubles].map(({ trouble }) => READ_TROUBLES[trouble].fault),
		...videos.flatMap(({ lookTrouble }) =>
			Array.from(
				{ length: lookTrouble?.count ?? 0 },
				() => READ_TROUBLES[lookTrouble?.trouble ?? '500'].fault,
			),
		),
	];
	const troublesMs = faults.reduce((sum, fault) => sum + getDurationMs(fault), 0);
	const unreachable = story.executions
		.flatMap(({ items }) => items)
		.filter(({ address }) => address !== 'service');
	const waitsMs = story.executions.map((execution) => {
		const { timeout = 1_800 } = execution.waitOptions;
		const runs = isAgent(execution) ? execution.items.length : execution.way === 'loop' ? 2 : 1;
		const listingMs = 2 * getListingDelayMs(execution);
		const waitMs = execution.waiting === 'none' ? 0 : Number(timeout) * 1000 + 55_000 + listingMs;
		const pausesMs = execution.batchIntervalMs * execution.items.length;
		const { retries } = execution;
		const tries = [execution.tries, ...retries.map(({ change }) => change?.tries ?? 5)];
		const restsMs = retries.reduce((sum, { afterMs }) => sum + afterMs, 0);
		const passes = tries.reduce((sum: number, count) => sum + count, 0);
		const beforeMs = execution.startsAfterMs ?? 0;
		return (
			beforeMs +
			restsMs +
			runs * passes * (waitMs + pausesMs + 10_000 + unreachable.length * 35_000)
		);
	});
	const clears = requests.filter(({ operation }) => operation === 'queue.clear').length;
	const broken = begun.filter(({ trouble }) => trouble !== undefined).length;
	const count = adds.length + clears + faults.length + broken;
	const { latencyMs } = story.service;
	const requestsMs = (begun.length + adds.length) * latencyMs + story.keyStore.delayMs * 1_000;
	const isInARow = story.executions.some(({ startsAfterMs }) => startsAfterMs !== null);
	const allMs = isInARow ? waitsMs.reduce((sum, ms) => sum + ms, 0) : Math.max(...waitsMs);
	return allMs + troublesMs + requestsMs + count * 31_000;
}

function listIds(videos: PlayedVideo[]): string {
	return videos.map(({ charge }) => charge.queueId).join(', ');
}
