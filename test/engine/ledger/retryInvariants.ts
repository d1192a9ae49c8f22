import type { IDataObject } from 'n8n-workflow';
import { stringify } from 'flatted';
import { decode } from './fates';
import type { Invariant } from './ledgerQueries';
import { findGroup, findLooks, hasSocketTrouble, name, nameOutcome } from './ledgerQueries';
import type { Ledger, Order, OrderGroup } from './Ledger';
import { ADD_NODE, TOOL_NAME, WAIT_NODE } from './parameters';
import type { PlayedAdd, PlayedAttempt } from './Scene';
import type { StoryExecution } from './Story';
import { isListedAsAssumed } from './waitInvariants';

/*
 * What n8n's tries and retries must find again: the items that nobody has queued, those that are
 * paid for, and in n8n's own data no more than that needs.
 */

/** A try of the first node, with its settings, and the requests that began in it. */
interface Try {
	settings: StoryExecution;
	from: number;
	to: number;
	attempt: number;
}

function listTries({ executions, begun }: Ledger, execution: number): Try[] {
	const passes = (executions[execution]?.attempts ?? []).flatMap(
		({ settings, passes: all }, attempt) => all.map((pass) => ({ ...pass, settings, attempt })),
	);
	return passes.flatMap(({ node, from, settings, attempt }, index) => {
		const to = passes[index + 1]?.from ?? begun.length;
		return node === ADD_NODE ? [{ settings, from, to, attempt }] : [];
	});
}

const isIn =
	({ from, to }: Try) =>
	(add: PlayedAdd) =>
		add.index >= from && add.index < to;

/** What was refused or never sent is sent by every later try that reaches it. */
const whatIsNotQueuedIsSent: Invariant = (ledger) => {
	const { story, executions, groups, orders } = ledger;
	if (story.n8nTroubles.length > 0) return [];
	return story.executions.flatMap(
		({ way, operation, onError, creditsToKeep, uniqueKey }, index) => {
			if (executions[index]?.isStopped || way !== 'items' || operation !== 'add') return [];
			if (creditsToKeep !== null || uniqueKey !== null || executions[index]?.killed) return [];
			const own = orders.filter(({ execution }) => execution === index);
			const isStop = onError === 'stopWorkflow';
			if (isStop && own.some(({ isComplete }) => !isComplete)) return [];
			return listTries(ledger, index).flatMap((each, number) =>
				own.flatMap((order) => {
					const group = groups.get(order.signature);
					if (!order.isComplete || group?.orders.length !== 1) return [];
					if (!isPending(group, each) || group.adds.some(isIn(each))) return [];
					const others = own.filter((other) => other !== order);
					if (isStop && others.some((other) => mayEndTheTry(ledger, other, each))) return [];
					return [
						`${name([order])} was not queued before try ${number + 1}, which did not send it`,
					];
				}),
			);
		},
	);
};

function isPending({ adds }: OrderGroup, { from }: Try): boolean {
	return adds.every(({ index, fate }) => index >= from || fate === 'refused' || fate === 'unsent');
}

/** Whether an item may fail in a try, and so end it: one that waits may always. */
function mayEndTheTry(ledger: Ledger, order: Order, each: Try): boolean {
	const group = ledger.groups.get(order.signature);
	if (group?.orders.length !== 1) return true;
	const sent = group.adds.filter(({ index }) => index < each.to);
	const last = sent.at(-1);
	if (last === undefined) return false;
	return last.fate !== 'told' || each.settings.waiting === 'add';
}

/** A file whose download failed is downloaded by every later try that reaches it, without a look. */
const failedDownloadIsRepeated: Invariant = (ledger) => {
	const { story, executions, videos, begun } = ledger;
	// Where a list runs ahead, another item may have downloaded the file.
	if (story.n8nTroubles.length > 0 || !isListedAsAssumed(ledger)) return [];
	return story.executions.flatMap((execution, index) => {
		const { way, waiting, downloadVideo, onError, items } = execution;
		if (way !== 'items' || waiting !== 'add' || !downloadVideo) return [];
		if (executions[index]?.isStopped) return [];
		const isAlone = items.length === 1 || execution.executeOnce;
		const tries = listTries(ledger, index);
		return videos.flatMap((video) => {
			const group = [...ledger.groups.values()].find((each) => each.videos.includes(video));
			if (group?.orders.length !== 1 || group.orders[0]?.execution !== index) return [];
			const isFile = ({ url, operation }: (typeof begun)[number]) =>
				operation === 'video.file' && url.includes(video.charge.videoId);
			const first = begun.findIndex(isFile);
			if (first < 0) return [];
			const looks = begun.filter(
				({ operation, url }, at) =>
					at > first && operation === 'queue.getProgress' && url.includes(video.charge.queueId),
			);
			const missing = tries.filter(
				({ from, to }) =>
					from > first &&
					(onError !== 'stopWorkflow' || isAlone) &&
					!begun.slice(from, to).some(isFile) &&
					!isDownloaded(ledger, video.charge.videoId, from),
			);
			return [
				...looks
					.slice(0, 1)
					.map(() => `${name(group.orders)} was looked at after its download began`),
				...missing.map(() => `${name(group.orders)} was not downloaded again by a later try`),
			];
		});
	});
};

/** Whether the service had sent the whole file before the request with this index. */
function isDownloaded({ requests, begun }: Ledger, videoId: string, index: number): boolean {
	const before = begun[index]?.at ?? Infinity;
	return requests.some(
		({ operation, url, at, status, broken, closed }) =>
			operation === 'video.file' &&
			url.includes(videoId) &&
			at <= before &&
			status === 200 &&
			broken !== true &&
			closed !== true,
	);
}

/**
 * A response that leaves an add's fate open has its beginning in `details.receivedText`, for the
 * person who looks for the video.
 */
const receivedTextIsShown: Invariant = (ledger) =>
	ledger.outcomes.flatMap((outcome) => {
		const { execution, node, error, details } = outcome;
		const group = findGroup(ledger, outcome);
		if (node !== ADD_NODE || error === undefined || group?.orders.length !== 1) return [];
		const text = details?.receivedText;
		if (text !== undefined && (typeof text !== 'string' || text.length > 300)) {
			return [
				`${nameOutcome(outcome)} has a receivedText of another form: ${JSON.stringify(text)}`,
			];
		}
		const { attempts = [] } = ledger.executions[execution] ?? {};
		const isOnlyTry = attempts.length === 1 && attempts[0]?.settings.tries === 1;
		// Later tries know the fate, and no longer the text.
		const lastFrom = listTries(ledger, execution).at(-1)?.from ?? (isOnlyTry ? 0 : Infinity);
		const add = group.adds.find(({ fate, index }) => fate === 'unknown' && index >= lastFrom);
		const received = add?.answer?.isRead === true ? decode(add.answer.body).trim() : '';
		if (received === '' || ledger.executions[execution]?.isStopped) return [];
		// Where the key cannot be read, it could stand in the text.
		if (ledger.story.n8nTroubles.some(({ part }) => part === 'credential')) return [];
		if (text === undefined) return [`${nameOutcome(outcome)} lacks the text that it received`];
		const isBeginning = received.startsWith(text.trim().slice(0, 40));
		return isBeginning
			? []
			: [`${nameOutcome(outcome)} has another text than it received: ${text}`];
	});

/** The parts of n8n's own metadata. */
const N8N_KEYS = new Set([
	...[
		'subRun',
		'parentExecution',
		'subExecution',
		'subExecutionsCount',
		'waitingChildExecutionIds',
	],
	...['dynamicCredentialsUsage', 'subNodeExecutionData', 'preserveSourceOverwrite'],
	...['preservedSourceOverwrite', 'nodeWasResumed', 'timeSaved', 'resumeFormUrl', 'resumeUrl'],
	...['forwardAllOutputs', 'resumeError', 'tracing'],
]);

const OUR_NODES = [ADD_NODE, WAIT_NODE, TOOL_NAME];

/** Returns what our nodes have written into the saved data of an execution, each object once. */
function listOwnMetadata({ saved }: PlayedAttempt): object[] {
	const { resultData, executionData } = saved;
	const objects = [
		...OUR_NODES.flatMap((node) => resultData.runData[node] ?? []).map(({ metadata }) => metadata),
		...(executionData?.nodeExecutionStack ?? []).map(({ metadata }) => metadata),
		...OUR_NODES.map((node) => executionData?.contextData[`node:${node}`]),
	];
	return [...new Set(objects)].flatMap((object) => {
		const entries: [string, unknown][] = Object.entries(object ?? {});
		const own = entries.filter(([key, value]) => !N8N_KEYS.has(key) && value !== undefined);
		return own.length > 0 ? [Object.fromEntries(own)] : [];
	});
}

function listAttempts({ executions }: Ledger): { attempt: PlayedAttempt; label: string }[] {
	return executions.flatMap(({ attempts }, execution) =>
		attempts.map((attempt, number) => ({
			attempt,
			label: `execution ${execution + 1}${number === 0 ? '' : `, retry ${number},`}`,
		})),
	);
}

/** An execution in which every item succeeded keeps nothing of ours. */
const nothingIsKeptAfterSuccess: Invariant = (ledger) =>
	listAttempts(ledger).flatMap(({ attempt, label }) => {
		const isFailed = OUR_NODES.flatMap((node) => attempt.saved.resultData.runData[node] ?? []).some(
			({ error, data }) =>
				error !== undefined ||
				Object.values(data ?? {})
					.flat()
					.some((items) => (items ?? []).some(({ json }) => holdsError(json))),
		);
		if (attempt.status !== 'success' || isFailed) return [];
		return listOwnMetadata(attempt).map(
			(kept) => `${label} succeeded and keeps ${JSON.stringify(kept).slice(0, 300)}`,
		);
	});

function holdsError(json: IDataObject): boolean {
	const all = Array.isArray(json.response) ? (json.response as IDataObject[]) : [json];
	return all.some(({ error }) => error !== undefined);
}

const MAX_BYTES_AN_ITEM = 150;
/** The hash of its unique key. */
const MAX_BYTES_A_KEY = 30;
/** For what does not grow with the items, and for progress that an item does not share with the one before it. */
const MAX_BYTES_BESIDE = 400;

/** What a failed execution keeps is small, unless videos are part of it. */
const keptDataIsSmall: Invariant = (ledger) =>
	listAttempts(ledger).flatMap(({ attempt, label }) => {
		const { waiting, items, way, uniqueKey, tries } = attempt.settings;
		// Each call of an agent is a run of its own, and so is each of its tries if the prompt changes.
		const calls = way.startsWith('agent') ? items.length * tries : 1;
		const runs = way === 'loop' ? 2 : calls;
		const bytes = listOwnMetadata(attempt).reduce(
			// As n8n saves it: an object that is there twice counts once.
			(sum, kept) => sum + Buffer.byteLength(stringify(kept)),
			0,
		);
		const maxItemBytes = MAX_BYTES_AN_ITEM + (uniqueKey === null ? 0 : MAX_BYTES_A_KEY);
		const maxBytes = runs * (items.length * maxItemBytes + MAX_BYTES_BESIDE);
		return waiting !== 'none' || bytes <= maxBytes
			? []
			: [`${label} keeps ${bytes} bytes for ${items.length} items`];
	});

/** What a failed execution keeps has no prompts and no long texts. */
const keptDataHasNoTexts: Invariant = (ledger) =>
	listAttempts(ledger).flatMap(({ attempt, label }) => {
		const prompts = attempt.settings.items.flatMap(({ prompt }) =>
			typeof prompt === 'string' ? [prompt] : [],
		);
		return listOwnMetadata(attempt).flatMap((kept) => {
			const text = JSON.stringify(kept);
			const [prompt] = prompts.filter((each) => text.includes(each));
			const [long] = /"(?:[^"\\]|\\.){230,}"/.exec(text) ?? [];
			return [
				...(prompt === undefined ? [] : [`${label} keeps the prompt ${prompt}`]),
				...(long === undefined ? [] : [`${label} keeps a text of ${long.length} characters`]),
				...(/terminated unexpectedly|bad gateway|not valid/i.test(text)
					? [`${label} keeps an error's text: ${text.slice(0, 300)}`]
					: []),
			];
		});
	});

/** An accepted add whose video is not known to have ended is waited for by every try that reaches it. */
const acceptedIsWaitedFor: Invariant = (ledger) => {
	const { story, executions, videos, begun } = ledger;
	if (story.n8nTroubles.length > 0 || hasSocketTrouble(story, 'queue.getProgress')) return [];
	return videos.flatMap((video) => {
		const group = [...ledger.groups.values()].find((each) => each.videos.includes(video));
		const [order] = group?.orders ?? [];
		if (!order || group?.orders.length !== 1) return [];
		const execution = story.executions[order.execution];
		if (execution?.waiting !== 'add' || execution.way !== 'items') return [];
		if (executions[order.execution]?.isStopped || execution.onError === 'stopWorkflow') return [];
		const add = group.adds.find(({ fate }) => fate === 'told');
		const looks = findLooks(ledger, video);
		return listTries(ledger, order.execution)
			.filter(({ from }) => add !== undefined && from > add.index)
			.filter(({ from }) => {
				const startedAt = begun[from]?.at ?? Infinity;
				const isEndKnown = ({ at, status }: (typeof looks)[number]) =>
					at <= startedAt && (status === 404 || at >= (video.endsAt ?? 0));
				return !looks.some(isEndKnown);
			})
			.filter(
				({ from, to }) =>
					!begun
						.slice(from, to)
						.some(
							({ operation, url }) =>
								operation === 'queue.getProgress' && url.includes(video.charge.queueId),
						),
			)
			.map(() => `${name([order])} was accepted, and a later try did not wait for it`);
	});
};

export const RETRY_INVARIANTS: Record<string, Invariant> = {
	whatIsNotQueuedIsSent,
	acceptedIsWaitedFor,
	failedDownloadIsRepeated,
	receivedTextIsShown,
	nothingIsKeptAfterSuccess,
	keptDataIsSmall,
	keptDataHasNoTexts,
};
