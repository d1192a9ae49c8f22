import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { getAccountKey } from '../../../../credentials/connection';
import { fetchProgress, fetchVideoLog } from '../../api/endpoints';
import type { ConnectionSettings } from '../../api/request';
import { CREDENTIAL } from '../../api/request';
import { toText } from '../../api/response';
import { downloadVideo } from '../../download/downloadVideo';
import type { Job } from '../../execution/operation';
import type { Order } from '../../execution/orders';
import { hasOwnData } from '../../execution/orders';
import { RequestFailure } from '../../failures/failure';
import type { AccountRequests, AccountVideos } from '../../waiting/runVideos';
import { getAccountVideos } from '../../waiting/runVideos';
import type { Wait } from '../../waiting/waitForVideo';
import { waitForVideo } from '../../waiting/waitForVideo';
import type { WaitSettings } from './waitOptions';

/**
 * Waits for the video of an item's queue item, and downloads it if that is wanted, with the item's own
 * credential and connection. A later try of Retry On Fail goes on where the order is.
 */
export async function finishQueueItem(
	job: Job,
	settings: WaitSettings,
	order: Order,
	queued: Pick<Wait, 'account' | 'item' | 'queueId' | 'details' | 'onDetails'>,
): Promise<INodeExecutionData[]> {
	if (order.output !== undefined) return order.output;
	const json = order.finished ?? (await waitForQueueItem(job, settings, queued));
	const isDecided = json.videoUrl !== null;
	if (isDecided) order.finished = json;
	const output = [
		settings.binaryPropertyName === undefined
			? { json }
			: await downloadFinished(
					job,
					json,
					settings.binaryPropertyName,
					queued.item.logFailure !== undefined,
				),
	];
	order.output = output;
	return output;
}

async function waitForQueueItem(
	job: Job,
	settings: WaitSettings,
	queued: Parameters<typeof finishQueueItem>[3],
): Promise<IDataObject> {
	const { maxTries } = job;
	return await waitForVideo({
		...settings,
		...queued,
		maxTries,
		requests: createAccountRequests(job),
	});
}

/** The videos of the account that an item's credential names, which may be another one for each item. */
export async function findAccountVideos({ context, run }: Job): Promise<AccountVideos> {
	const account = getAccountKey(await context.getCredentials(CREDENTIAL));
	return getAccountVideos(hasOwnData(context) ? context.getExecuteData() : run, account);
}

/** The requests of an item's wait, with the item's own credential and connection. */
export function createAccountRequests({ context, request, run }: Job): AccountRequests {
	const connection = getConnectionSettings(request);
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
	job: Job,
	json: IDataObject,
	binaryPropertyName: string,
	isLogUnread: boolean,
): Promise<INodeExecutionData> {
	const { context, request, run, maxTries } = job;
	const { videoUrl, videoCandidates, videoCandidateCount } = json;
	if (videoUrl === null) {
		job.video = { videoCandidates };
		throw new RequestFailure('undecided', { found: toText(videoCandidateCount), isLogUnread });
	}
	job.video = { videoUrl };
	const file = await run.takeDownloadSlot(
		async () =>
			await downloadVideo(context, {
				address: videoUrl,
				addressField: '"videoUrl"',
				retries: { maxTries, signal: run.signal },
				settings: getConnectionSettings(request),
			}),
	);
	return { json, binary: { [binaryPropertyName]: file } };
}

function getConnectionSettings({
	proxy,
	skipSslCertificateValidation,
	timeout,
}: Job['request']): ConnectionSettings {
	return { proxy, skipSslCertificateValidation, timeout };
}
