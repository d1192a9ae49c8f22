import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { TakeSlot } from '../api/pacing';
import { createSlots, pause } from '../api/pacing';
import { getBackoffMs, sendWithRetries } from '../api/retry';
import { classifyError } from '../failures/errors';
import { isTransient, RequestFailure } from '../failures/failure';
import type { Job, Outcome } from '../item/job';
import { checkJob } from '../item/job';
import type { Batching } from '../item/parameters';
import type { Watching } from '../waiting/finishVideo';
import {
	finishVideo,
	listVideosBefore,
	outputVideo,
	resumeVideo,
	watchVideos,
} from '../waiting/finishVideo';
import type { FinishedVideo, WaitSettings } from '../waiting/waitForVideo';
import { guardCredits, shareBudget } from './creditsToKeep';
import { enterLane } from './lanes';
import type { VideoOrder } from './order';
import { sendAdd } from './sendAdd';
import { completeKeys, withKey } from './uniqueKey';

type VideoJob = Job<VideoOrder>;

/**
 * Makes the videos of a run. Those that are waited for are made in the turns of their lanes; the others are added
 * one at a time, in item order. Videos that an earlier try has paid for are waited for and downloaded meanwhile.
 */
export async function makeVideos(
	jobs: VideoJob[],
	{ size, intervalMs }: Batching,
): Promise<Outcome[]> {
	const outage = new Outage();
	const takeTurn = createSlots(1);
	// A paid video is being made already, so it takes its place before any add.
	const isPaid = ({ ledger }: VideoJob) => Number(ledger.isPaid);
	const inTurn = [...jobs.entries()].sort(([, a], [, b]) => isPaid(b) - isPaid(a));
	const outcomes: Promise<Outcome>[] = [];
	let added = 0;
	for (const [index, job] of inTurn) {
		const { ledger, order, problem, run } = job;
		if (problem === undefined && !ledger.isPaid) {
			// n8n's pause between batches passes before the item takes a place.
			if (added > 0 && added % size === 0) await pause(intervalMs, run.signal);
			added += 1;
		}
		// The items ask for their turns in this order.
		if (problem === undefined) await job.open().catch(() => undefined);
		const make = async () => {
			checkJob(job);
			const { wait } = order;
			if (wait === undefined) return await addVideo(job, takeTurn, outage);
			return await makeVideo(job, wait, outage);
		};
		outcomes[index] = run.settle(job, shareBudget(job, make));
	}
	const settled = await Promise.all(outcomes);
	await completeKeys(jobs, settled);
	return settled;
}

/** Queue > Add: queues one video. */
async function addVideo(
	job: VideoJob,
	takeTurn: TakeSlot,
	outage: Outage,
): Promise<INodeExecutionData[]> {
	if (!job.ledger.isPaid) {
		const paid = await takeTurn(async () => {
			checkJob(job);
			return await withKey(job, async () => await pay(job, outage));
		});
		return paid ? [{ json: paid.queueItem }] : [];
	}
	const { queueId, projectId, createdAt, details } = job.ledger.state;
	return [{ json: { queueId, status: details?.status, projectId, ...details, createdAt } }];
}

/** Video > Generate: makes one video, and outputs it. */
async function makeVideo(
	job: VideoJob,
	wait: WaitSettings,
	outage: Outage,
): Promise<INodeExecutionData[]> {
	// What an earlier try has finished is not made any more.
	if (job.ledger.state.finished) return await outputVideo(job, wait, await resumeVideo(job, wait));
	const watching = await watchVideos(job);
	const video = await makeInTurn(job, wait, watching, outage).finally(() => {
		watching.watch.end();
	});
	return video ? await outputVideo(job, wait, video) : [];
}

/**
 * Waits for a place in the lane, pays for the video unless an earlier try has, and waits for its end.
 *
 * @returns undefined for an item that is left out
 */
async function makeInTurn(
	job: VideoJob,
	wait: WaitSettings,
	watching: Watching,
	outage: Outage,
): Promise<FinishedVideo | undefined> {
	const { ledger, order, run } = job;
	const { account, watch } = watching;
	const place = await enterLane(job, wait.videosAtOnce);
	try {
		if (!ledger.isPaid) {
			await place.takeTurn(async () => {
				checkJob(job);
				await withKey(job, async () => {
					await listVideosBefore(watching);
					checkTimeLeft(job, place.lastMs ?? wait.listingDelayMs + wait.intervalMs);
					({ sentAt: place.sentAt } = await pay(job, outage));
				});
			});
			if (place.sentAt === undefined) return undefined;
		}
		const video = await finishVideo(job, wait, watching, place.sentAt);
		place.learn(video);
		return video;
	} catch (reason) {
		const { fate } = classifyError(reason).facts;
		if (fate === 'unknown') watch.owe(account, order.body.projectId);
		// The run ends before its next item takes the place.
		run.end(job, reason);
		throw reason as Error;
	} finally {
		place.leave();
	}
}

/**
 * Nothing is paid for that cannot come out before the workflow's own timeout.
 *
 * @param usualMs how long a video usually takes
 * @throws a RequestFailure: nothing was sent
 */
function checkTimeLeft({ run }: VideoJob, usualMs: number): void {
	const leftMs = run.endsAt - performance.now();
	if (leftMs >= usualMs) return;
	const [leftSeconds, usualSeconds] = [leftMs, usualMs].map((ms) =>
		Math.max(0, Math.round(ms / 1000)),
	);
	throw new RequestFailure({ kind: 'outOfTime', leftSeconds, usualSeconds });
}

interface Paid {
	queueItem: IDataObject;
	/** When its add was sent, by `performance.now()`. */
	sentAt: number;
}

/**
 * Pays for an item's video. At most one add of an item is accepted, through all its tries: it is sent again
 * only with proof that nothing was queued.
 */
async function pay(job: VideoJob, outage: Outage): Promise<Paid> {
	const { api, ledger, run } = job;
	const service = await job.open();
	let sentAt = 0;
	const sendOnce = async () =>
		await api.takeSlot(async () => {
			sentAt = performance.now();
			return await sendAdd(job, service);
		});
	const send = async () => await sendWithRetries(sendOnce, { ...api, requestKind: 'add' });
	return await ledger.takeTurn(async () => {
		checkJob(job);
		const guarded = async () => await guardCredits(job, service, send);
		const queueItem = await outage.slowDown(guarded, run.signal);
		return { queueItem, sentAt };
	});
}

/** Slows the adds of a run down after two failures in a row, so that an outage does not fail every row. */
class Outage {
	private failedInARow = 0;

	async slowDown<T>(add: () => Promise<T>, signal: AbortSignal): Promise<T> {
		if (this.failedInARow > 1) await pause(getBackoffMs(this.failedInARow - 1, 1), signal);
		try {
			const result = await add();
			this.failedInARow = 0;
			return result;
		} catch (error) {
			this.failedInARow = isTransient(classifyError(error)) ? this.failedInARow + 1 : 0;
			throw error as Error;
		}
	}
}
