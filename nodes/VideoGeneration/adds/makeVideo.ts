import type { INodeExecutionData } from 'n8n-workflow';
import { Turns } from '../api/pacing';
import type { Service } from '../api/request';
import { sendWithRetries } from '../api/retry';
import { outputVideo } from '../download/outputVideo';
import { classifyError } from '../failures/errors';
import type { Outcome } from '../item/job';
import type { FinishedVideo, Watching, WaitSettings } from '../waiting/waitForVideo';
import { waitForVideo, watchVideos } from '../waiting/waitForVideo';
import { enterLane } from './lanes';
import { type PaidVideo, sendAdd, type VideoJob } from './sendAdd';
import { checkCredits, checkMaxVideos, countAdd, listTurnKeys } from './spendingGuards';
import { completeKeys, freeOrKeepKey, takeKey } from './uniqueKey';
import { type BegunTurn, joinTurn, type WorkersTurn } from './workersTurn';

/** The turns of the adds of all executions of this process, by what they affect. */
const addTurns = new Turns();

/** Makes the videos of a run: those that are waited for side by side, in places of their lanes; the others one at a time. */
export async function makeVideos(jobs: VideoJob[]): Promise<Outcome[]> {
	const outcomes: Promise<Outcome>[] = [];
	const rank = ({ ledger }: VideoJob) => (ledger.isPaid ? 0 : 1);
	// A paid video is being made already, so it takes its place before any add.
	for (const [index, job] of [...jobs.entries()].sort(([, a], [, b]) => rank(a) - rank(b))) {
		const { ledger, order, problem, run } = job;
		if (problem === undefined) {
			// The pause passes before the item takes a place.
			if (!ledger.isPaid) await run.pauseBetweenBatches();
			// A credential that n8n reads slowly must not change the order of the places. A failure is thrown again there.
			const service = await job.open().catch(() => undefined);
			// With its order, `checkJob` finds an agent's earlier identical one whose fate is unknown.
			if (service && run.isAgentCall) ledger.setOrder(service.keyId, order.body);
		}
		// An item with a problem may have no order: `perform` ends it before this.
		const make = async () => await (order.wait ? makeVideo(job, order.wait) : addVideo(job));
		outcomes[index] = run.perform(job, make);
		// Adds that are not waited for are sent one after the other.
		if (problem !== undefined || order.wait === undefined) await outcomes[index];
	}
	const ended = await Promise.all(outcomes);
	await completeKeys(jobs, ended);
	return ended;
}

/** Queue > Add: queues one video, unless its unique key leaves it out. */
async function addVideo(job: VideoJob): Promise<INodeExecutionData[]> {
	if (!job.ledger.isPaid) {
		// Without its credential, an item takes no unique key.
		await job.open();
		let isConfirmed = false;
		try {
			// Another execution may overwrite the record of the key, so it is checked just before the add.
			isConfirmed = (await takeKey(job)) && (await takeKey(job, { isCheck: true }));
			return isConfirmed ? [{ json: (await pay(job)).queueItem }] : [];
		} finally {
			await freeOrKeepKey(job, isConfirmed);
		}
	}
	// An earlier try has paid for it.
	const { queueId, projectId, createdAt, details } = job.ledger.state;
	// The fields that people use come first.
	return [{ json: { queueId, status: details?.status, projectId, ...details, createdAt } }];
}

/** Video > Generate: makes one video, and outputs it. */
async function makeVideo(job: VideoJob, wait: WaitSettings): Promise<INodeExecutionData[]> {
	const { finished, unidentified } = job.ledger.state;
	// What an earlier try has finished is not made any more.
	if (finished) return await outputVideo(job, wait, { json: finished, unidentified });
	const { api, run } = job;
	// What is paid for is waited for to its end if n8n runs the node again: another one's video would be taken for it.
	const { stopSignal: signal, takeSlot } = run;
	const watching = await watchVideos(job, run.hasNextTry ? { ...api, signal, takeSlot } : api);
	// Workers take turns for one video at once, until the service tells videos apart.
	const isOneAtOnce = (wait.videosAtOnce ?? 1) === 1;
	const workersTurn = isOneAtOnce ? await joinTurn(job, watching.videos) : undefined;
	const video = await makeInLane(job, wait, watching, workersTurn).finally(async () => {
		watching.end();
		await workersTurn?.leave();
	});
	return video ? await outputVideo(job, wait, video) : [];
}

/** Waits for a place in the lane, pays unless an earlier try has, and waits. @returns undefined for an item that is left out */
async function makeInLane(
	job: VideoJob,
	wait: WaitSettings,
	watching: Watching,
	workersTurn: WorkersTurn | undefined,
): Promise<FinishedVideo | undefined> {
	const { ledger, run } = job;
	const { requests, videos } = watching;
	const { knownService } = videos;
	const { lane, place } = await enterLane(job, wait.videosAtOnce, knownService);
	// A video comes out one check and one Listing Delay after its add at the earliest, unless the service tells.
	const shortestMs = wait.intervalMs + wait.listingDelayMs;
	let turn: BegunTurn | undefined;
	let sentAt: number | undefined;
	const payAndWait = async () => {
		if (!ledger.isPaid) {
			let isConfirmed = false;
			try {
				// An item that its unique key leaves out takes no turn of workers.
				if (!(await takeKey(job))) return undefined;
				// Where the service tells, this process takes no turn.
				turn = knownService.isTelling ? undefined : await workersTurn?.take(job);
				// The check of the key pauses, so it comes before the list is read.
				isConfirmed = await takeKey(job, { isCheck: true });
				if (!isConfirmed) return undefined;
				// What is listed before the add is another's. A list from before the turn may lack other workers' videos.
				await videos.list.catchUp({ ...requests, signal: run.signal }, turn?.at);
				({ sentAt } = await pay(job, lane.usualMs ?? shortestMs));
			} finally {
				await freeOrKeepKey(job, isConfirmed);
			}
		}
		return await waitForVideo(job, wait, watching, { sentAt, unsure: turn?.unsure });
	};
	try {
		// A failure ends the run before its next item takes the place that is left.
		const video = await run.attempt(job, payAndWait);
		if (video) lane.noteWhetherTold(place, video);
		lane.noteTime(sentAt);
		// The service tells them apart: other workers may begin.
		if (knownService.isTelling) await workersTurn?.giveUp();
		return video;
	} catch (reason) {
		// One that n8n has cut off takes at least `shortestMs` longer: with as little time, the next execution must not pay for one.
		const isCutOff = classifyError(reason).kind === 'cancelled' && run.endsAt < Infinity;
		if (isCutOff) lane.noteTime(sentAt, shortestMs);
		throw reason as Error;
	} finally {
		lane.leave(place);
	}
}

/**
 * Pays for an item's video, once through all its tries: an add is sent again only with proof that nothing was queued.
 *
 * @param usualMs how long a video usually takes; 0 for one that is not waited for
 */
async function pay(job: VideoJob, usualMs = 0): Promise<PaidVideo> {
	const { api, order, run } = job;
	const service = await job.open();
	const turnKeys = listTurnKeys(job, service);
	// Each add is sent when the one before it has ended. For those of a run of Queue > Add, `makeVideos` sees to that.
	if (order.wait !== undefined || run.isAgentCall) {
		turnKeys.unshift(`project ${service.baseUrl} ${order.body.projectId}`);
	}
	const add = async () => await tryToAdd(job, service, usualMs);
	const send = async () => await sendWithRetries(add, { ...api, isAdd: true });
	// A failure ends the run before its next item has a turn.
	return await addTurns.take(turnKeys, async () => await run.attempt(job, send), run.signal);
}

/** Sends an add once, if its guards allow it, and the workflow has enough time. */
async function tryToAdd(job: VideoJob, service: Service, usualMs: number): Promise<PaidVideo> {
	const { api, ledger, run } = job;
	checkMaxVideos(job);
	const budget = await checkCredits(job, service);
	// This may end the run: `takeSlot` throws then.
	await run.checkStop(job);
	return await api.takeSlot(async () => {
		// A try may come minutes after the one before it.
		run.checkTimeLeft(usualMs);
		const takeBack = countAdd(job, budget);
		return await sendAdd(job, service).finally(() => {
			// It was not sent, or surely refused.
			if (ledger.state.stage === 'new') takeBack();
		});
	});
}
