import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { fetchProgress, fetchVideoLog } from '../api/endpoints';
import { isObject } from '../api/response';
import { findEntry, parseLogTime } from '../api/videoLog';
import { downloadVideo } from '../download/downloadVideo';
import { classifyError } from '../failures/errors';
import { RequestFailure } from '../failures/failure';
import type { Job } from '../item/job';
import { keepPlain, listStates } from '../item/ledger';
import type { FinishedVideo, WaitRequests, WaitSettings } from './waitForVideo';
import { waitForVideo } from './waitForVideo';
import type { Watch } from './watch';
import { watchService } from './watch';

/** The watch of the service that makes an item's video, and how the item's execution reads from it. */
export interface Watching {
	watch: Watch;
	account: number;
	requests: WaitRequests;
}

/** Watches the service of an item. The caller ends the watch. */
export async function watchVideos({ api, context, open, run }: Job): Promise<Watching> {
	const service = await open();
	const { account } = service;
	const watch = watchService(service.baseUrl);
	await run.share(`given ${account}`, Infinity, async () => {
		for (const [, { finished, queueId = '' }] of listStates(context)) {
			if (isObject(finished?.video)) watch.keepOwner({ account, queueId }, finished.video);
		}
		await Promise.resolve();
	});
	const once = { ...api, maxTries: 1 };
	const requests: WaitRequests = {
		signal: api.signal,
		fetchProgress: async (queueId) => await fetchProgress(service, queueId, once),
		fetchList: async (deadline) => {
			let parsedInMs = 0;
			const onParsed = (durationMs: number) => {
				parsedInMs = durationMs;
			};
			const entries = await fetchVideoLog(service, { ...once, deadline, onParsed });
			return { entries, parsedInMs };
		},
	};
	return { watch, account, requests };
}

/** Reads the list before an add, unless that was done a short while ago: what is listed by then is another's. */
export async function listVideosBefore({ watch, account, requests }: Watching): Promise<void> {
	await watch.getList(account).refresh(requests);
}

/** Waits for the video of a queue item that this try has not added. A later try goes on where the item stands. */
export async function resumeVideo(job: Job, settings: WaitSettings): Promise<FinishedVideo> {
	const { finished, unidentified } = job.ledger.state;
	if (finished) return { json: finished, unidentified };
	const watching = await watchVideos(job);
	try {
		return await finishVideo(job, settings, watching);
	} finally {
		watching.watch.end();
	}
}

/**
 * Waits for the video of the queue item in the item's ledger.
 *
 * @param sentAt when this try has sent its add, by `performance.now()`; undefined if it has not
 */
export async function finishVideo(
	job: Job,
	settings: WaitSettings,
	{ watch, account, requests }: Watching,
	sentAt?: number,
): Promise<FinishedVideo> {
	const { api, ledger } = job;
	const { queueId = '', projectId, createdAt, details, gone } = ledger.state;
	const queuedAt = parseLogTime(createdAt);
	const item = watch.track({ account, queueId, projectId, queuedAt, sentAt });
	let isOwed = true;
	try {
		const end = await waitForVideo({
			settings,
			watch,
			item,
			details,
			gone: gone && new RequestFailure(gone),
			maxTries: api.maxTries,
			isNew: sentAt !== undefined,
			requests,
			onDetails: (latest) => {
				ledger.keep({ stage: 'queued', details: keepPlain(latest), gone: undefined });
			},
		});
		const { json, unidentified } = end;
		// Where the list showed several, one of them is the item's own.
		isOwed = json.video === null && !unidentified?.count;
		if (createdAt !== undefined) json.createdAt ??= createdAt;
		// A later try settles an item whose list of videos could not be read.
		if (unidentified && unidentified.count === undefined) return end;
		ledger.keep({ stage: 'finished', finished: keepPlain(json), unidentified });
		return end;
	} catch (error) {
		const { kind, hasLeftQueue, lastStatus, waitedSeconds } = classifyError(error).facts;
		isOwed = kind !== 'notGenerated' && hasLeftQueue !== true;
		// A video that is listed after this is another's, which a retry must not take for the item's own.
		if (hasLeftQueue) ledger.keep({ gone: { kind, hasLeftQueue, lastStatus, waitedSeconds } });
		throw error as Error;
	} finally {
		job.run.isListUnreliable ||= watch.isMistrusted(item.projectId);
		watch.release(item, isOwed);
	}
}

/**
 * The output of a finished item, with its file if that is wanted.
 *
 * @throws a RequestFailure: nothing is queued again for it
 */
export async function outputVideo(
	job: Job,
	{ binaryPropertyName, fileName }: WaitSettings,
	{ json: finished, unidentified }: FinishedVideo,
): Promise<INodeExecutionData[]> {
	const { api, context, run } = job;
	// n8n passes no files to an agent's model.
	if (binaryPropertyName === undefined || run.isAgentCall) return [{ json: finished }];
	if (unidentified) throw new RequestFailure({ kind: 'ambiguousVideo', unidentified });
	const json = await renewAddress(job, finished);
	const { takenNames } = run;
	const video = { address: json.videoUrl, addressField: "'videoUrl'", fileName, takenNames };
	const file = await run.takeDownloadSlot(() => downloadVideo(context, video, api));
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
	const key = JSON.stringify([service.account, api.connection]);
	const fresh = await run
		.share(key, SHARED_MS, () => fetchVideoLog(service, api))
		.then((entries) => findEntry(entries, video))
		.catch(() => undefined);
	return fresh ? { ...json, videoUrl: fresh.url, video: fresh } : json;
}
