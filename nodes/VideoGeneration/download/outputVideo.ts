import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { fetchProgress, fetchVideoLog } from '../api/endpoints';
import { isObject, toText } from '../api/response';
import { findEntry } from '../api/videoLog';
import { RequestFailure, type Unidentified } from '../failures/failure';
import type { Job } from '../item/job';
import { downloadVideo, type Video } from './downloadVideo';

/** A finished item's output, with its file if wanted. @throws a RequestFailure: nothing is queued again for it */
export async function outputVideo(
	job: Job,
	wanted: { binaryPropertyName: string | undefined; fileName: string },
	{ json: finished, unidentified }: { json: IDataObject; unidentified?: Unidentified | undefined },
): Promise<INodeExecutionData[]> {
	const { binaryPropertyName, fileName } = wanted;
	// n8n passes no files to an agent's model.
	if (binaryPropertyName === undefined || job.run.isAgentCall) return [{ json: finished }];
	if (unidentified) throw new RequestFailure({ kind: 'ambiguousVideo', unidentified });
	const json = await renewAddress(job, finished);
	const video = { address: json.videoUrl, addressField: "'videoUrl'", fileName };
	return [{ json, binary: { [binaryPropertyName]: await downloadOfItem(job, video) } }];
}

/** Downloads an item's file, under a name that no other file of its run has. @throws a RequestFailure */
export async function downloadOfItem({ api, context, run }: Job, video: Omit<Video, 'takenNames'>) {
	const { takenNames } = run;
	return await run.takeDownloadSlot(() => downloadVideo(context, { ...video, takenNames }, api));
}

/** Items share a list for this long: each would fetch all of it. */
const SHARED_MS = 30_000;

/** The list of videos, fetched once for all items of a run that ask for it at about the same time. */
export async function fetchSharedLog({ api, open, run }: Job): Promise<unknown[]> {
	const service = await open();
	const key = JSON.stringify([service.keyId, api.connection]);
	return (await run.share(key, SHARED_MS, () => fetchVideoLog(service, api))).entries;
}

/** An item that an earlier try has finished, with the address that the service tells now: the old one may have expired. */
async function renewAddress(job: Job, json: IDataObject): Promise<IDataObject> {
	const { queueId, video } = json;
	if (job.ledger.state.finished !== json) return json;
	if (!isObject(video)) {
		// Its progress has told the address.
		const service = await job.open();
		const details: IDataObject = await fetchProgress(service, toText(queueId), job.api).catch(
			() => ({}),
		);
		return toText(details.videoUrl) === '' ? json : { ...json, videoUrl: details.videoUrl };
	}
	const fresh = await fetchSharedLog(job)
		.then((entries) => findEntry(entries, video))
		.catch(() => undefined);
	return fresh ? { ...json, videoUrl: fresh.url, video: fresh } : json;
}
