import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { fetchVideoLog } from '../api/endpoints';
import { createSlots } from '../api/pacing';
import { type ApiOptions, openService } from '../api/request';
import { DEFAULT_MAX_TRIES } from '../api/retry';
import { findNewestVideo, parseLogTime, putFirst } from '../api/videoLog';
import { downloadVideo } from '../download/downloadVideo';
import { createApiError, classifyError } from '../failures/errors';
import { describeFailure, OUT_OF_TIME } from '../failures/texts';
import { DOWNLOADS_AT_ONCE } from '../item/job';
import { createIsOld, findTag, keepTag, selectNewVideos } from './cursor';
import { CursorStore } from './cursorStore';
import { getTriggerParameters, type PollParameters } from './triggerParameters';

const RETRIES = { maxTries: DEFAULT_MAX_TRIES };

/** Without its scheduler, n8n allows this time, or any time. */
const DEFAULT_BUDGET_MS = 300_000;

/** n8n gives up on publishing a workflow after 84 seconds, of which the first poll is a part. */
const FIRST_BUDGET_MS = 60_000;

/** The rest of the time that n8n allows is for starting the execution. */
const USED_SHARE = 0.9;

/** n8n polls again after a minute at the earliest; a list that takes longer is left to that poll. */
const MAX_LIST_MS = 50_000;

/** The scheduler's polls belong to a start of n8n for this time, counted from the start of the process. */
const START_MS = 180_000;

const NEXT_POLL = 'The next poll tries again, and no video is missed.';
/** n8n does not publish a workflow whose first poll fails. */
const PUBLISH_AGAIN = 'Publish the workflow again later.';
const GAP = 'found only new videos: others may have left the list, and are missed';
const UNDATED = 'found over 1,000 videos without a readable date: new ones may be missed';
const DAMAGED = 'found a damaged state: what it cannot read of it begins anew';
const TEST_TEXTS = { isTrigger: true, nextTry: 'Fetch the test event again later.' };
const DOWNLOAD_TEXTS = {
	isTrigger: true,
	nextTry: 'Download it later in the workflow with Video > Download.',
};

/**
 * The nodes that this process polls, and until when their polls last at the longest, by `performance.now()`. n8n polls
 * again while a poll lasts, and runs at once all polls that it has missed: two of them would emit the same videos.
 */
const polled = new Map<string, number>();

/** Contexts that have polled. n8n has one for all polls of an activation, and its scheduler one for each poll. */
const polledContexts = new WeakSet<IPollFunctions>();

/**
 * Returns an item for each new video, oldest first; none while another poll of the node lasts: the next one finds them.
 *
 * @throws a NodeApiError with the `httpCode` by which n8n recognises a rate limit or a key problem
 */
export async function pollVideos(context: IPollFunctions): Promise<INodeExecutionData[]> {
	const startedAt = performance.now();
	const budgetMs = (context as Partial<IPollFunctions>).getPollBudgetMs?.() ?? DEFAULT_BUDGET_MS;
	if (context.getMode() === 'manual') {
		return await fetchTestEvent(context, startedAt + budgetMs * USED_SHARE);
	}
	const isFirst = !polledContexts.has(context);
	polledContexts.add(context);
	// n8n's scheduler has a context for each poll, and tells how much time it has.
	const isActivation = isFirst && budgetMs === DEFAULT_BUDGET_MS;
	const isStart = isFirst && isOfStart(context, budgetMs < DEFAULT_BUDGET_MS);
	const maxMs = isActivation ? FIRST_BUDGET_MS : budgetMs;
	const nextTry = isActivation && !isStart ? PUBLISH_AGAIN : NEXT_POLL;
	// The list and the downloads share it: n8n abandons a poll that takes longer, with what it found.
	const polling = pollOnce(context, startedAt, startedAt + maxMs * USED_SHARE, nextTry);
	if (!isStart) return await polling;
	return await polling.catch((error: unknown) => {
		warn(context, `failed at n8n's start: ${(error as Error).message}`);
		return [];
	});
}

function warn(context: IPollFunctions, text: string): void {
	const { id, name } = context.getWorkflow();
	context.logger.warn(`A poll of workflow "${name}" (${id}) ${text}`);
}

/** Whether n8n polls because it has started: a failure then ends the trigger, or pauses it for half an hour. */
function isOfStart(context: IPollFunctions, isScheduled: boolean): boolean {
	const isActivation = ['init', 'leadershipChange'].includes(context.getActivationMode());
	return isActivation || (isScheduled && performance.now() < START_MS);
}

async function pollOnce(
	context: IPollFunctions,
	startedAt: number,
	deadline: number,
	nextTry: string,
): Promise<INodeExecutionData[]> {
	const parameters = getTriggerParameters(context);
	const node = `${context.getWorkflow().id}/${context.getNode().id}`;
	// A poll that hangs, as on n8n's database, holds up the others no longer than it may last.
	if ((polled.get(node) ?? -Infinity) > startedAt) {
		new CursorStore(context).watch(parameters.projectIds);
		return [];
	}
	polled.set(node, deadline);
	try {
		const videos = await fetchNewVideos(context, parameters, deadline, nextTry);
		return await attachFiles(context, videos, parameters, deadline);
	} finally {
		if (polled.get(node) === deadline) polled.delete(node);
	}
}

/** The videos that are new to this node, and are not afterwards. @throws a NodeApiError */
async function fetchNewVideos(
	context: IPollFunctions,
	parameters: PollParameters,
	deadline: number,
	nextTry: string,
): Promise<IDataObject[]> {
	try {
		const service = await openService(context);
		// So short that it tells nothing about the key.
		const account = String(service.keyId % 2 ** 18);
		// Loaded after the look-up: if that hangs, other polls save theirs meanwhile.
		const store = new CursorStore(context);
		const stored = store.load();
		if (stored === undefined) return [];
		const etag = findTag(stored, account, Date.now());
		const isOld = createIsOld(stored, account);
		const list = await fetchVideoLog(service, limitList(deadline), { etag, isOld });
		const { entries, headers, oldCount, statusCode } = list;
		const polledAt = parseLogTime(headers.date) ?? Date.now();
		const watch = { ...parameters, account, polledAt, oldCount };
		const { videos, cursor, ...found } = selectNewVideos(entries, stored, watch);
		if (store.isDamaged || found.isDamaged) warn(context, DAMAGED);
		if (found.hasGap) warn(context, GAP);
		if (found.hasUndated) warn(context, UNDATED);
		const isUnchanged = statusCode === 304;
		const kept = isUnchanged ? cursor : keepTag(cursor, account, headers.etag, Date.now());
		store.save(kept, stored, videos.length > 0);
		return videos;
	} catch (error) {
		const rateLimitAdvice = `${nextTry} If this happens often, set longer intervals in 'Poll Times'.`;
		throw createApiError(context.getNode(), error, { isTrigger: true, nextTry, rateLimitAdvice });
	}
}

/** The newest video, for a user who builds the workflow. The cursor stays as it is. @throws a NodeApiError */
async function fetchTestEvent(context: IPollFunctions, deadline: number) {
	const parameters = getTriggerParameters(context);
	const fetchLog = async () => await fetchVideoLog(await openService(context), limitList(deadline));
	const { entries } = await fetchLog().catch((error: unknown) => {
		throw createApiError(context.getNode(), error, TEST_TEXTS);
	});
	const newest = findNewestVideo(entries, parameters.projectIds);
	if (newest) return await attachFiles(context, [newest], parameters, deadline);
	throw new NodeOperationError(context.getNode(), 'There is no finished video to show yet', {
		description:
			"When a video is finished, fetch the test event again, or check 'Project Names or IDs'. You can also publish the workflow now: it starts with the first finished video.",
	});
}

function limitList(deadline: number): ApiOptions {
	return { ...RETRIES, deadline: Math.min(deadline, performance.now() + MAX_LIST_MS) };
}

/** The cursor is saved by then, so a video is emitted even when its download fails, with the reason. */
async function attachFiles(
	context: IPollFunctions,
	logEntries: IDataObject[],
	{ binaryPropertyName }: PollParameters,
	deadline: number,
): Promise<INodeExecutionData[]> {
	const videos = logEntries.map(putFirst);
	if (binaryPropertyName === undefined) return videos.map((json) => ({ json }));
	const takeSlot = createSlots(DOWNLOADS_AT_ONCE);
	const takenNames = new Map<string, number>();
	const attach = async (json: IDataObject) => {
		try {
			const video = { address: json.url, addressField: "'url'", takenNames };
			const file = await downloadVideo(context, video, { ...RETRIES, deadline });
			return { json, binary: { [binaryPropertyName]: file } };
		} catch (error) {
			const isLate = performance.now() >= deadline;
			const text = isLate ? OUT_OF_TIME : describeFailure(classifyError(error), DOWNLOAD_TEXTS);
			return { json: { ...json, downloadError: { ...text } } };
		}
	};
	return await Promise.all(videos.map(async (video) => await takeSlot(() => attach(video))));
}
