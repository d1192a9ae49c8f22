import type { INodeExecutionData } from 'n8n-workflow';
import { createSlots } from '../api/pacing';
import { sendWithRetries } from '../api/retry';
import { outputVideo } from '../download/outputVideo';
import { RequestFailure } from '../failures/failure';
import { checkJob, type Outcome } from '../item/job';
import type { FinishedVideo, Watching, WaitSettings } from '../waiting/waitForVideo';
import { resumeVideo, waitForVideo, watchVideos } from '../waiting/waitForVideo';
import { guardCredits } from './creditsToKeep';
import { enterLane } from './lanes';
import { type PaidVideo, sendAdd, type VideoJob } from './sendAdd';
import { completeKeys, withKey } from './uniqueKey';

/**
 * Makes the videos of a run. Those that are waited for are made in the turns of their lanes; the others are added
 * one at a time, in item order. Videos that an earlier try has paid for are waited for and downloaded meanwhile.
 */
export async function makeVideos(jobs: VideoJob[]): Promise<Outcome[]> {
	const takeTurn = createSlots(1);
	const outcomes: Promise<Outcome>[] = [];
	const isPaid = ([, { ledger }]: [number, VideoJob]) => Number(ledger.isPaid);
	// A paid video is being made already, so it takes its place before any add.
	for (const [index, job] of [...jobs.entries()].sort((a, b) => isPaid(b) - isPaid(a))) {
		const { ledger, order, problem, run } = job;
		if (problem === undefined) {
			// The pause passes before the item takes a place.
			if (!ledger.isPaid) await run.pauseBetweenBatches();
			// Otherwise a credential that n8n reads slowly would change the order of the turns.
			await job.open().catch(() => undefined);
		}
		const make = async () => {
			checkJob(job);
			return await (order.wait ? makeVideo(job, order.wait) : addVideo(job));
		};
		const settle = async () => await run.settle(job, make());
		// A failed add ends the run before the next one has its turn.
		outcomes[index] = problem === undefined && order.wait ? settle() : takeTurn(settle);
	}
	const settled = await Promise.all(outcomes);
	await completeKeys(jobs, settled);
	return settled;
}

/** Queue > Add: queues one video. */
async function addVideo(job: VideoJob): Promise<INodeExecutionData[]> {
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
	const video = await makeInTurn(job, wait, watching).finally(watching.end);
	return video ? await outputVideo(job, wait, video) : [];
}

/** Waits for a place in the lane, pays unless an earlier try has, and waits. @returns undefined for an item that is left out */
async function makeInTurn(
	job: VideoJob,
	wait: WaitSettings,
	watching: Watching,
): Promise<FinishedVideo | undefined> {
	const { ledger, run } = job;
	const { lane, place } = await enterLane(job, wait.videosAtOnce);
	const payInTurn = async () =>
		await withKey(job, async () => {
			// What is listed before the add is another's.
			await watching.list.catchUp(watching.requests);
			return await pay(job, lane.lastMs ?? wait.listingDelayMs + wait.intervalMs);
		});
	try {
		let sentAt: number | undefined;
		if (!ledger.isPaid) {
			const paid = await lane.takeTurn(payInTurn, run.signal);
			if (paid === undefined) return undefined;
			({ sentAt } = paid);
		}
		const video = await waitForVideo(job, wait, watching, sentAt);
		lane.learn(place, video, sentAt);
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
 * Pays for an item's video. At most one add of an item is accepted, through all its tries: it is sent again
 * only with proof that nothing was queued.
 *
 * @param usualMs how long a video usually takes; 0 for one that is not waited for
 */
async function pay(job: VideoJob, usualMs = 0): Promise<PaidVideo> {
	const { api, ledger, run } = job;
	const service = await job.open();
	const add = async () => {
		// A try may come minutes after the one before it.
		checkTimeLeft(job, usualMs);
		return await sendAdd(job, service);
	};
	const guarded = async () => await guardCredits(job, service, () => api.takeSlot(add));
	const send = async () => await sendWithRetries(guarded, { ...api, requestKind: 'add' });
	return await ledger.takeTurn(async () => {
		checkJob(job);
		return await run.outage.slowDown(send, run.signal);
	}, run.signal);
}

/** Nothing is paid for that cannot come out before the workflow's own timeout. @throws a RequestFailure */
function checkTimeLeft({ run }: VideoJob, usualMs: number): void {
	const leftMs = run.endsAt - performance.now();
	if (leftMs >= usualMs) return;
	const toSeconds = (ms: number) => Math.max(0, Math.round(ms / 1000));
	const seconds = { leftSeconds: toSeconds(leftMs), usualSeconds: toSeconds(usualMs) };
	throw new RequestFailure({ kind: 'outOfTime', tries: 0, ...seconds });
}
