import type {
	IBinaryData,
	IDataObject,
	INodeExecutionData,
	IPollFunctions,
	NodeApiError,
} from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { fetchVideoLog } from '../api/videoLog';
import { createSlots } from '../api/pacing';
import type { ApiOptions } from '../api/request';
import { openService } from '../api/request';
import { DEFAULT_MAX_TRIES } from '../api/retry';
import { downloadVideo } from '../download/downloadVideo';
import { createApiError, classifyError } from '../failures/errors';
import type { FailureContext } from '../failures/texts';
import { describeFailure, OUT_OF_TIME } from '../failures/texts';
import { DOWNLOADS_AT_ONCE } from '../item/job';
import { findNewestVideo, findTag, hashAccount, keepTag, selectNewVideos } from './cursor';
import { CursorStore } from './cursorStore';
import type { PollParameters } from './triggerParameters';

const RETRIES = { maxTries: DEFAULT_MAX_TRIES };

/** Without its scheduler, n8n sets no limit. */
const DEFAULT_BUDGET_MS = 300_000;

/** n8n gives up on publishing a workflow after 84 seconds, of which the first poll is a part. */
const FIRST_BUDGET_MS = 60_000;

/** The rest of the time that n8n allows is for starting the execution. */
const USED_SHARE = 0.9;

/** n8n polls again after a minute at the earliest; a list that takes longer is left to that poll. */
const MAX_LIST_MS = 60_000;

/** A poll that fails loses nothing: the next one sees what this one would have seen. */
const NEXT_POLL = 'The next poll tries again, and no video is missed.';
const NEXT_TEST = 'Fetch the test event again later.';
const NEXT_DOWNLOAD = 'Download it later in the workflow with Video > Download.';
const DOWNLOAD_TEXTS: FailureContext = {
	...{ requestKind: 'read', nextTry: NEXT_DOWNLOAD, rateLimitAdvice: NEXT_DOWNLOAD },
};

/**
 * The nodes that this process polls, and until when their polls last at the longest, by `performance.now()`.
 * n8n polls again while a poll lasts, and after a pause it runs all polls at once that it has missed: two of
 * them would emit the same videos.
 */
const polled = new Map<string, number>();

/**
 * Fetches the video log and returns an item for each new video, oldest first; none while another poll of the
 * node lasts, or if n8n prepared this one before it saved that one: the next poll finds what is left.
 *
 * @throws a NodeApiError with the `httpCode` by which n8n recognises a rate limit or a key problem
 */
export async function pollVideos(
	context: IPollFunctions,
	parameters: PollParameters,
): Promise<INodeExecutionData[]> {
	const startedAt = performance.now();
	const isTest = context.getMode() === 'manual';
	const isFirst = !isTest && new CursorStore(context).isFirst;
	const budgetMs = (context as Partial<IPollFunctions>).getPollBudgetMs?.() ?? DEFAULT_BUDGET_MS;
	const maxMs = isFirst ? Math.min(budgetMs, FIRST_BUDGET_MS) : budgetMs;
	// The list and the downloads share it: n8n abandons a poll that takes longer, with what it found.
	const deadline = startedAt + maxMs * USED_SHARE;
	const poll = async () => {
		const retries = { ...RETRIES, deadline: Math.min(deadline, startedAt + MAX_LIST_MS) };
		const fetching = (isTest ? fetchTestEvent : fetchNewVideos)(context, parameters, retries);
		const videos = await fetching.catch((error: unknown) => {
			throw describeError(context, error, isTest);
		});
		if (isTest && videos.length === 0) throw createNoVideoError(context, parameters);
		const { binaryPropertyName } = parameters;
		if (binaryPropertyName === undefined) return videos.map((json) => ({ json }));
		return await attachFiles(context, videos, binaryPropertyName, deadline);
	};
	if (isTest) return await poll();
	const node = `${context.getWorkflow().id}/${context.getNode().id}`;
	// A poll that hangs, as on n8n's database, holds up the others no longer than it may last.
	if ((polled.get(node) ?? -Infinity) > startedAt) return [];
	polled.set(node, deadline);
	try {
		return await poll();
	} finally {
		if (polled.get(node) === deadline) polled.delete(node);
	}
}

/** The videos that are new to this node; they are not new any more afterwards. */
async function fetchNewVideos(
	context: IPollFunctions,
	{ projectIds, emitExisting }: PollParameters,
	retries: ApiOptions,
): Promise<IDataObject[]> {
	const service = await openService(context, RETRIES);
	const account = hashAccount(service.account);
	const store = new CursorStore(context);
	const stored = store.load();
	if (store.isOutdated(stored)) return [];
	const log = await fetchVideoLog(service, findTag(stored, account, Date.now()), retries);
	const watch = { account, projectIds, emitExisting, isContinuous: store.isContinuous };
	const { videos, cursor } = selectNewVideos(log.entries, stored, watch);
	// The tag belongs to the account that the cursor knows.
	const hasRead = !log.isUnchanged && cursor.account === account;
	const kept = hasRead ? keepTag(cursor, log.etag, Date.now()) : cursor;
	store.save(kept, stored, videos.length > 0);
	return videos;
}

/** The newest video, for a user who builds the workflow. The cursor stays as it is. */
async function fetchTestEvent(
	context: IPollFunctions,
	{ projectIds }: PollParameters,
	retries: ApiOptions,
): Promise<IDataObject[]> {
	const { entries } = await fetchVideoLog(await openService(context, RETRIES), undefined, retries);
	const newest = findNewestVideo(entries, projectIds);
	return newest ? [newest] : [];
}

function createNoVideoError(
	context: IPollFunctions,
	{ projectIds }: PollParameters,
): NodeOperationError {
	return new NodeOperationError(context.getNode(), 'There is no finished video to show yet', {
		description:
			projectIds.length === 0
				? 'When a video is finished, fetch the test event again. You can also publish the workflow now: it starts with the first finished video.'
				: "When a video of the projects in 'Project Names or IDs' is finished, fetch the test event again, or choose other projects.",
	});
}

function describeError(context: IPollFunctions, error: unknown, isTest: boolean): NodeApiError {
	return createApiError(context.getNode(), error, {
		requestKind: 'read',
		nextTry: isTest ? NEXT_TEST : NEXT_POLL,
		rateLimitAdvice: isTest
			? NEXT_TEST
			: `${NEXT_POLL} If this happens often, set longer intervals in 'Poll Times'.`,
		certificateAdvice: 'have n8n trust it with NODE_EXTRA_CA_CERTS',
	});
}

/**
 * Downloads the file of each video. The cursor is saved by then, so a video is emitted even when its
 * download fails: its item says why in `downloadError`, and the workflow can try again with Video >
 * Download.
 */
async function attachFiles(
	context: IPollFunctions,
	videos: IDataObject[],
	binaryPropertyName: string,
	deadline: number,
): Promise<INodeExecutionData[]> {
	const retries = { ...RETRIES, deadline };
	const takeSlot = createSlots(DOWNLOADS_AT_ONCE);
	const describe = (reason: unknown) =>
		performance.now() >= deadline
			? OUT_OF_TIME
			: describeFailure(classifyError(reason), DOWNLOAD_TEXTS);
	const attach = async (json: IDataObject) =>
		await downloadVideo(context, { address: json.url, addressField: "'url'", retries }).then(
			(file: IBinaryData) => ({ json, binary: { [binaryPropertyName]: file } }),
			(reason: unknown) => ({ json: { ...json, downloadError: { ...describe(reason) } } }),
		);
	return await Promise.all(videos.map(async (video) => await takeSlot(() => attach(video))));
}
