import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { fetchProgress } from '../api/endpoints';
import { isObject } from '../api/response';
import { fetchVideoLog, findEntry, parseLogTime } from '../api/videoLog';
import { downloadVideo } from '../download/downloadVideo';
import { classifyError } from '../failures/errors';
import { RequestFailure } from '../failures/failure';
import type { Job } from '../item/job';
import { keepPlain, listStates } from '../item/ledger';
import type { AccountRequests, AccountVideos } from './accountVideos';
import { getAccountVideos } from './accountVideos';
import type { FinishedVideo, WaitSettings } from './waitForVideo';
import { waitForVideo } from './waitForVideo';

export type { FinishedVideo } from './waitForVideo';

/**
 * The videos of the account, listed before an add: they are others', such as that of an earlier add of
 * unknown fate.
 *
 * @param listedFrom a list that was requested earlier may lack the videos of other executions
 */
export async function getVideosBeforeAdd(job: Job, listedFrom: number): Promise<AccountVideos> {
	const videos = await getVideos(job);
	await videos.list.refreshFrom(listedFrom, await createRequests(job));
	return videos;
}

/**
 * Waits for the video of the queue item in the item's ledger. A later try goes on where the item stands.
 *
 * @param given the addresses of videos that are other items'
 * @param videosBeforeAdd the videos of the account, if this try has added the item
 */
export async function finishVideo(
	job: Job,
	settings: WaitSettings,
	given?: ReadonlySet<string>,
	videosBeforeAdd?: AccountVideos,
): Promise<FinishedVideo> {
	const { api, ledger } = job;
	const { queueId = '', projectId, createdAt, details, finished, unidentified } = ledger.state;
	if (finished) return { json: finished, unidentified };
	if (ledger.state.gone) throw new RequestFailure(ledger.state.gone);
	const videos = videosBeforeAdd ?? (await getVideos(job));
	const item = videos.track({ queueId, projectId, queuedAt: parseLogTime(createdAt), given });
	const end = await waitForVideo({
		...{ settings, videos, item, details, maxTries: api.maxTries },
		isNew: videosBeforeAdd !== undefined,
		requests: await createRequests(job),
		onDetails: (latest) => {
			ledger.keep({ stage: 'queued', details: keepPlain(latest) });
		},
	}).catch((error: unknown) => {
		const { kind, hasLeftQueue, lastStatus, waitedSeconds } = classifyError(error).facts;
		// A video that is listed after this is another's, which a retry must not take for the item's own.
		if (hasLeftQueue) ledger.keep({ gone: { kind, hasLeftQueue, lastStatus, waitedSeconds } });
		throw error;
	});
	if (createdAt !== undefined) end.json.createdAt ??= createdAt;
	// A later try settles an item whose list of videos could not be read.
	if (end.unidentified && end.unidentified.count === undefined) return end;
	const kept = { finished: keepPlain(end.json), unidentified: end.unidentified };
	ledger.keep({ stage: 'finished', ...kept });
	return end;
}

/**
 * The output of a finished item, with its file if that is wanted.
 *
 * @throws a RequestFailure: nothing is queued again for it
 */
export async function outputVideo(
	job: Job,
	{ binaryPropertyName }: WaitSettings,
	{ json: finished, unidentified }: FinishedVideo,
): Promise<INodeExecutionData[]> {
	const { api, context, run } = job;
	// n8n passes no files to an agent's model.
	if (binaryPropertyName === undefined || run.isAgentCall) return [{ json: finished }];
	if (unidentified) throw new RequestFailure({ kind: 'ambiguousVideo', unidentified });
	const json = await renewAddress(job, finished);
	const file = await run.takeDownloadSlot(
		async () =>
			await downloadVideo(context, {
				...{ address: json.videoUrl, addressField: "'videoUrl'" },
				...{ retries: api, settings: api.connection },
			}),
	);
	return [{ json, binary: { [binaryPropertyName]: file } }];
}

/** Items share a list for this long: each would fetch all of it. */
const SHARED_MS = 30_000;

/** An item that an earlier try has finished, with the address that the list shows now: the old one may have expired. */
async function renewAddress(job: Job, json: IDataObject): Promise<IDataObject> {
	const { api, ledger, run } = job;
	const { video } = json;
	if (ledger.state.finished !== json || !isObject(video)) return json;
	const service = await job.open();
	const fetchList = async () => await fetchVideoLog(service, undefined, api);
	const key = JSON.stringify([service.account, api.connection]);
	const fresh = await run
		.share(key, SHARED_MS, fetchList)
		.then(({ entries }) => findEntry(entries, video))
		.catch(() => undefined);
	return fresh ? { ...json, videoUrl: fresh.url, video: fresh } : json;
}

/** Items share requests for the list only if they would send the same: with the same account and connection. */
async function getVideos({ api, context, open, run }: Job): Promise<AccountVideos> {
	const key = JSON.stringify([(await open()).account, api.connection]);
	return getAccountVideos(run.owner, key, () =>
		listStates(context).flatMap(([, { finished }]) =>
			isObject(finished?.video) ? [finished.video] : [],
		),
	);
}

async function createRequests({ api, open }: Job): Promise<AccountRequests> {
	const service = await open();
	const once = { ...api, maxTries: 1 };
	return {
		fetchProgress: async (queueId) => await fetchProgress(service, queueId, once),
		fetchList: async (deadline) => await fetchVideoLog(service, undefined, { ...once, deadline }),
		signal: api.signal,
	};
}
