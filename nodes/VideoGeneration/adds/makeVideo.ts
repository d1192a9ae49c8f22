import type { INodeExecutionData } from 'n8n-workflow';
import { createSlots, pause } from '../api/pacing';
import type { Service } from '../api/request';
import { sendWithRetries } from '../api/retry';
import { outputVideo } from '../download/outputVideo';
import { RequestFailure } from '../failures/failure';
import type { Job, Outcome } from '../item/job';
import { checkJob } from '../item/job';
import type { Batching } from '../item/parameters';
import { finishVideo, resumeVideo, watchVideos } from '../waiting/finishVideo';
import type { FinishedVideo, Watching, WaitSettings } from '../waiting/waitForVideo';
import { watchService } from '../waiting/watch';
import { guardCredits, shareBudget } from './creditsToKeep';
import { enterLane } from './lanes';
import type { PaidVideo, VideoOrder } from './sendAdd';
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
			if (order.wait !== undefined) return await makeVideo(job, order.wait);
			return await takeTurn(async () => await addVideo(job));
		};
		outcomes[index] = run.settle(job, shareBudget(job, make));
	}
	const settled = await Promise.all(outcomes);
	await completeKeys(jobs, settled);
	return settled;
}

/** Queue > Add: queues one video. */
async function addVideo(job: VideoJob): Promise<INodeExecutionData[]> {
	checkJob(job);
	if (!job.ledger.isPaid) {
		const paid = await withKey(job, async () => await pay(job));
		return paid ? [{ json: paid.queueItem }] : [];
	}
	const { queueId, projectId, createdAt, details } = job.ledger.state;
	return [{ json: { queueId, status: details?.status, projectId, ...details, createdAt } }];
}

/** Video > Generate: makes one video, and outputs it. */
async function makeVideo(job: VideoJob, wait: WaitSettings): Promise<INodeExecutionData[]> {
	// What an earlier try has finished is not made any more.
	if (job.ledger.state.finished) return await outputVideo(job, wait, await resumeVideo(job, wait));
	const watching = await watchVideos(job);
	const video = await makeInTurn(job, wait, watching).finally(() => {
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
): Promise<FinishedVideo | undefined> {
	const { ledger, run } = job;
	const { list, requests } = watching;
	const { lane, place } = await enterLane(job, wait.videosAtOnce);
	const payInTurn = async () => {
		checkJob(job);
		return await withKey(job, async () => {
			// What is listed before the add is another's.
			await list.refresh(requests);
			const usualMs = lane.lastMs ?? wait.listingDelayMs + wait.intervalMs;
			return await pay(job, () => {
				checkTimeLeft(job, usualMs);
			});
		});
	};
	try {
		const isResumed = ledger.isPaid;
		const paid = isResumed ? undefined : await lane.takeTurn(payInTurn, run.signal);
		if (!isResumed && paid === undefined) return undefined;
		const video = await finishVideo(job, wait, watching, paid?.sentAt);
		lane.learn(place, video, paid?.sentAt);
		return video;
	} catch (reason) {
		// The run ends before its next item takes the place.
		run.end(job, reason);
		throw reason as Error;
	} finally {
		lane.leave(place);
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
	const toSeconds = (ms: number) => Math.max(0, Math.round(ms / 1000));
	const seconds = { leftSeconds: toSeconds(leftMs), usualSeconds: toSeconds(usualMs) };
	throw new RequestFailure({ kind: 'outOfTime', tries: 0, ...seconds });
}

/**
 * Pays for an item's video. At most one add of an item is accepted, through all its tries: it is sent again
 * only with proof that nothing was queued.
 *
 * @param check called before each try, which may come minutes after the one before it
 * @throws a RequestFailure
 */
async function pay(job: VideoJob, check: () => void = () => undefined): Promise<PaidVideo> {
	const { api, ledger, run } = job;
	const service = await job.open();
	const sendOnce = async () =>
		await api.takeSlot(async () => {
			check();
			return await sendAdd(job, service);
		});
	const guarded = async () => await guardCredits(job, service, sendOnce);
	const send = async () => await sendWithRetries(guarded, { ...api, requestKind: 'add' });
	const watched = async () => await watchAdd(job, service, send);
	return await ledger.takeTurn(async () => {
		checkJob(job);
		return await run.outage.slowDown(watched, run.signal);
	}, run.signal);
}

/** Sends an add. Its video may appear before it is answered, and is owed if its fate is unknown then. */
async function watchAdd<T>(
	{ ledger, order }: VideoJob,
	{ account, baseUrl }: Service,
	send: () => Promise<T>,
): Promise<T> {
	const watch = watchService(baseUrl);
	const expected = watch.expect(account, order.body.projectId);
	try {
		return await send();
	} finally {
		watch.release(expected, ledger.state.stage === 'unknown');
		watch.end();
	}
}
