import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { fetchProgress } from '../api/endpoints';
import { fetchVideoLog } from '../api/videoLog';
import { resolveService } from '../api/request';
import { downloadVideo } from '../download/downloadVideo';
import { RequestFailure } from '../failures/failure';
import type { AccountRequests } from '../waiting/accountRequests';
import type { AccountVideos } from '../waiting/runVideos';
import { getAccountVideos } from '../waiting/runVideos';
import type { WaitSettings } from '../waiting/waitForVideo';
import { waitForVideo } from '../waiting/waitForVideo';
import type { Job } from './job';
import { keepPlain } from './memory';

/** The queue item whose video is waited for. */
export interface QueuedVideo {
	queueId: string;
	projectId: string | undefined;
	/** The videos of its account, if this try has added it. */
	videos?: AccountVideos | undefined;
	/** Its progress where it is known, as after an add. */
	details?: IDataObject;
}

/** The videos of the account, after they were listed once; undefined if the item's video is not waited for. */
export async function getVideosBeforeAdd(
	job: Job,
	accountKey: string,
): Promise<AccountVideos | undefined> {
	if (job.wait === undefined) return undefined;
	const videos = getVideos(job, accountKey);
	await videos.fetchLogBeforeAdd(createRequests(job));
	return videos;
}

/**
 * Waits for the video of a queue item, and downloads it if that is wanted, with the item's own credential
 * and connection. A later try goes on where the item stands.
 */
export async function finishVideo(
	job: Job,
	wait: WaitSettings,
	queued: QueuedVideo,
): Promise<INodeExecutionData[]> {
	const { memory } = job;
	if (memory.extras.output) return memory.extras.output;
	let json = memory.extras.finished ?? memory.state.finished;
	let isLogUnread = false;
	if (json === undefined) {
		({ json, isLogUnread } = await waitForItem(job, wait, queued));
		// A later try settles an item whose list of videos could not be read.
		if (!isLogUnread) memory.keepFinished(json);
	}
	const field = wait.binaryPropertyName;
	const output = [
		field === undefined ? { json } : await downloadFinished(job, json, field, isLogUnread),
	];
	if (!isLogUnread) memory.extras.output = output;
	return output;
}

async function waitForItem(
	job: Job,
	wait: WaitSettings,
	{ queueId, projectId, details, ...queued }: QueuedVideo,
): Promise<{ json: IDataObject; isLogUnread: boolean }> {
	const { context, maxTries, memory } = job;
	const videos = queued.videos ?? getVideos(job, (await resolveService(context)).account);
	const item = videos.track({ queueId, projectId });
	const json = await waitForVideo({
		...wait,
		...{ videos, item, queueId, maxTries },
		...(details && { details }),
		requests: createRequests(job),
		onDetails: (latest) => {
			memory.keep({ details: keepPlain(latest) });
		},
	});
	return { json, isLogUnread: isAmbiguous(json) && item.logFailure !== undefined };
}

/** Whether a finished item came without its video, because it could not be told from others. */
export function isAmbiguous(finished: IDataObject | undefined): boolean {
	return finished?.videoCandidates !== undefined;
}

/** Items share requests for the list only if they would send the same: with the same account and connection. */
function getVideos({ connection, run }: Job, accountKey: string): AccountVideos {
	return getAccountVideos(run.owner, JSON.stringify([accountKey, connection]));
}

function createRequests({ connection, context, run }: Job): AccountRequests {
	const options = { maxTries: 1, signal: run.signal, connection };
	return {
		fetchProgress: async (queueId) =>
			await run.request(async () => await fetchProgress(context, queueId, options)),
		fetchLog: async (etag, deadline) =>
			await run.request(async () => await fetchVideoLog(context, etag, { ...options, deadline })),
		signal: run.signal,
	};
}

/** @throws a RequestFailure: nothing is queued again for it */
async function downloadFinished(
	{ connection, context, run, maxTries }: Job,
	json: IDataObject,
	binaryPropertyName: string,
	isLogUnread: boolean,
): Promise<INodeExecutionData> {
	if (isAmbiguous(json)) {
		const candidateCount = Number(json.videoCandidateCount);
		throw new RequestFailure({ kind: 'ambiguousVideo', candidateCount, isLogUnread });
	}
	const file = await run.takeDownloadSlot(
		async () =>
			await downloadVideo(context, {
				address: json.videoUrl,
				addressField: "'videoUrl'",
				retries: { maxTries, signal: run.signal },
				settings: connection,
			}),
	);
	return { json, binary: { [binaryPropertyName]: file } };
}
