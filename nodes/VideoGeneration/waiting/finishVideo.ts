import { fetchProgress, fetchVideoLog } from '../api/endpoints';
import { isObject } from '../api/response';
import { parseLogTime } from '../api/videoLog';
import { classifyError } from '../failures/errors';
import type { Job } from '../item/job';
import { keepPlain, listStates } from '../item/ledger';
import type { FinishedVideo, Watching, WaitSettings } from './waitForVideo';
import { Wait } from './waitForVideo';
import { watchService } from './watch';

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
	const requests: Watching['requests'] = {
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
	return { watch, account, list: watch.getList(account), requests };
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
	watching: Watching,
	sentAt?: number,
): Promise<FinishedVideo> {
	const { ledger, run } = job;
	const { account, watch } = watching;
	const { queueId = '', projectId, createdAt } = ledger.state;
	const queuedAt = parseLogTime(createdAt);
	const item = watch.track({ account, queueId, projectId, queuedAt, sentAt });
	let isOwed = true;
	try {
		const end = await new Wait(job, settings, watching, item).finish();
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
		run.isListUnreliable ||= watch.isMistrusted(item.projectId);
		watch.release(item, isOwed);
	}
}
