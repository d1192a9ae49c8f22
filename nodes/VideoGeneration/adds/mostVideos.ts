import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { RequestFailure } from '../failures/failure';
import { isAgentCall, sharesExecution } from '../item/ledger';
import type { VideoJob } from './sendAdd';

/** When the adds of a node were sent that were accepted, or may have been, by `performance.now()`. */
type SentAt = number[];

/** Those of nodes whose calls share no execution. A node is forgotten with its last call. */
const sentByNode = new Map<string, { sent: SentAt; calledAt: number }>();

/** How long the calls of such a node count. */
const COUNTED_MS = 3_600_000;

/**
 * Sends an add unless the node has queued as many videos as "Most Videos" allows, in one execution. These adds take
 * turns, so the next one is counted when this one has its response. Without the option, nothing is counted.
 *
 * @throws a RequestFailure of the kind `tooManyVideos`: nothing was sent
 */
export async function limitVideos<T>(job: VideoJob, send: () => Promise<T>): Promise<T> {
	const { context, ledger, order, run } = job;
	const { mostVideos } = order;
	if (mostVideos === undefined) return await send();
	const sent = getSent(context);
	return await run.inTurn(job, sent, async () => {
		if (sent.length >= mostVideos) {
			throw new RequestFailure({ kind: 'tooManyVideos', tries: 0, mostVideos });
		}
		// An execution that is stopped now keeps it.
		sent.push(performance.now());
		try {
			return await send();
		} finally {
			if (ledger.state.stage === 'new') sent.pop();
		}
	});
}

/** A list to be changed in place: n8n keeps that of an execution, through its rounds and retries. */
function getSent(context: IExecuteSingleFunctions): SentAt {
	if (!isAgentCall(context) || sharesExecution(context)) {
		const kept = context.getContext('node') as { videosQueued?: SentAt };
		return (kept.videosQueued ??= []);
	}
	const now = performance.now();
	const since = now - COUNTED_MS;
	for (const [node, { calledAt }] of sentByNode) if (calledAt < since) sentByNode.delete(node);
	// n8n gives the nodes of its Agents a new ID for each call, and no workflow.
	const { credentials, name } = context.getNode();
	const node = JSON.stringify([context.getWorkflow().id, name, credentials]);
	const { sent } = sentByNode.get(node) ?? { sent: [] };
	sentByNode.set(node, { sent, calledAt: now });
	while (sent[0] !== undefined && sent[0] < since) sent.shift();
	return sent;
}
