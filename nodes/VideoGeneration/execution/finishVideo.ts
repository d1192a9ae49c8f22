import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { fetchProgress } from '../api/endpoints';
import { resolveWithRetries } from '../api/request';
import { isObject, toText } from '../api/response';
import { fetchVideoLog, findEntry } from '../api/videoLog';
import { downloadVideo } from '../download/downloadVideo';
import { classifyError } from '../failures/errors';
import { isAddressRefused, RequestFailure } from '../failures/failure';
import type { AccountRequests, AccountVideos } from '../waiting/accountVideos';
import { getAccountVideos } from '../waiting/accountVideos';
import type { WaitSettings } from '../waiting/waitForVideo';
import { waitForVideo } from '../waiting/waitForVideo';
import type { Job } from './job';
import { keepPlain, listStates } from './memory';

/** The queue item whose video is waited for. */
export interface QueuedVideo {
	queueId: string;
	projectId: string | undefined;
	/** Its date in milliseconds since 1970, where that is known. */
	queuedAt: number | undefined;
	/** The videos of its account, if this try has added it. */
	videos?: AccountVideos | undefined;
	/** Its progress where it is known, as after an add. */
	details?: IDataObject;
}

/** A finished item. */
export interface FinishedVideo {
	json: IDataObject;
	/** Whether the list of videos could not be read when it had to show the video. */
	isListUnread: boolean;
}

/**
 * The videos of the account, listed before an add: they are others', such as that of an earlier add of
 * unknown fate. Undefined if the item's video is not waited for.
 */
export async function getVideosBeforeAdd(
	job: Job,
	accountKey: string,
	listedFrom: number,
): Promise<AccountVideos | undefined> {
	if (job.wait === undefined) return undefined;
	const videos = getVideos(job, accountKey);
	await videos.list.refreshFrom(listedFrom, createRequests(job));
	return videos;
}

/** Waits for the video of a queue item. A later try goes on where the item stands. */
export async function waitForItem(
	job: Job,
	settings: WaitSettings,
	{ details, videos, ...queued }: QueuedVideo,
): Promise<FinishedVideo> {
	const { context, maxTries, memory, run } = job;
	memory.keepAwaited(queued.queueId);
	const finished = memory.extras.finished ?? memory.state.finished;
	if (finished) return { json: finished, isListUnread: false };
	const isNew = videos !== undefined;
	const retries = { maxTries, signal: run.signal };
	videos ??= getVideos(job, (await resolveWithRetries(context, retries)).account);
	const item = videos.track(queued);
	const json = await waitForVideo({
		...{ settings, videos, item, isNew, maxTries },
		// An earlier try may have seen the end of an item that has left the queue since.
		details: isNew ? details : (memory.state.details ?? details),
		requests: createRequests(job),
		onDetails: (latest) => {
			memory.keep({ details: keepPlain(latest) });
		},
	});
	const { createdAt } = memory.state;
	if (createdAt !== undefined) json.createdAt ??= createdAt;
	const isListUnread = isAmbiguous(json) && item.listFailure !== undefined;
	// A later try settles an item whose list of videos could not be read.
	if (!isListUnread) memory.keepFinished(json);
	return { json, isListUnread };
}

/**
 * The output of a finished item, with its file if that is wanted.
 *
 * @throws a RequestFailure: nothing is queued again for it
 */
export async function outputVideo(
	job: Job,
	{ binaryPropertyName }: WaitSettings,
	{ json, isListUnread }: FinishedVideo,
): Promise<INodeExecutionData[]> {
	const { connection, context, memory, run, maxTries } = job;
	const { extras } = memory;
	if (extras.output?.[0]?.json === json) return extras.output;
	if (binaryPropertyName === undefined) return [{ json }];
	if (isAmbiguous(json)) {
		const candidateCount = Number(json.videoCandidateCount);
		throw new RequestFailure({
			...{ kind: 'ambiguousVideo', candidateCount, isLogUnread: isListUnread },
		});
	}
	const download = async (finished: IDataObject) => {
		const settings = {
			...{ address: finished.videoUrl, addressField: "'videoUrl'", settings: connection },
			retries: { maxTries, signal: run.signal },
		};
		const file = await run.takeDownloadSlot(async () => await downloadVideo(context, settings));
		extras.output = [{ json: finished, binary: { [binaryPropertyName]: file } }];
		return extras.output;
	};
	try {
		return await download(json);
	} catch (error) {
		const failure = classifyError(error);
		const fresh = isAddressRefused(failure) ? await renewAddress(job, json) : undefined;
		if (fresh === undefined) throw failure;
		memory.keepFinished(fresh);
		return await download(fresh);
	}
}

/** Items whose addresses have expired share a list for this long: each would read all of it. */
const SHARED_MS = 30_000;

/** A finished item with the address that the list shows now, or its progress: the one it had may have expired. */
async function renewAddress(
	{ connection, context, maxTries, run }: Job,
	json: IDataObject,
): Promise<IDataObject | undefined> {
	const { queueId } = json;
	const options = { maxTries, signal: run.signal, connection };
	const video = isObject(json.video) ? json.video : undefined;
	const readList = async () => {
		const { account } = await resolveWithRetries(context, options);
		const read = async () => await run.request(() => fetchVideoLog(context, undefined, options));
		return await run.share(JSON.stringify(['list', account, connection]), SHARED_MS, read);
	};
	const fresh = await (
		video
			? readList().then(({ entries }) => findEntry(entries, video))
			: run.request(async () => (await fetchProgress(context, toText(queueId), options)).details)
	).catch(() => undefined);
	const videoUrl = video ? fresh?.url : fresh?.videoUrl;
	if (toText(videoUrl) === '' || videoUrl === json.videoUrl) return undefined;
	return { ...json, videoUrl, ...(video && { video: fresh }) };
}

/** Whether a finished item came without its video, because it could not be told from others. */
export function isAmbiguous(finished: IDataObject | undefined): boolean {
	return finished?.videoCandidates !== undefined;
}

/** Items share requests for the list only if they would send the same: with the same account and connection. */
function getVideos({ connection, context, run }: Job, accountKey: string): AccountVideos {
	return getAccountVideos(run.owner, JSON.stringify([accountKey, connection]), () =>
		listStates(context).flatMap(([, { finished }]) =>
			isObject(finished?.video) ? [finished.video] : [],
		),
	);
}

function createRequests({ connection, context, run }: Job): AccountRequests {
	const options = { maxTries: 1, signal: run.signal, connection };
	return {
		fetchProgress: async (queueId) =>
			await run.request(async () => await fetchProgress(context, queueId, options)),
		fetchList: async (deadline) =>
			await run.request(() => fetchVideoLog(context, undefined, { ...options, deadline })),
		signal: run.signal,
	};
}
