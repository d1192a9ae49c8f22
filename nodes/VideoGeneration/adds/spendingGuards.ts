import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { fetchRemainingCredits } from '../api/endpoints';
import type { Service } from '../api/request';
import { classifyError } from '../failures/errors';
import { RequestFailure } from '../failures/failure';
import type { Run } from '../item/job';
import { isAgentCall, sharesExecution } from '../item/ledger';
import type { VideoJob } from './sendAdd';

/** Others spend credits, too. */
const MAX_AGE_MS = 5_000;

/** The credits that an account's last guarded add has left. */
interface Budget {
	/** Rejected if they could not be read: nothing is sent without them. */
	credits: Promise<number>;
	readAt: number;
	/** The run that has read them. */
	run: Run;
}

/** By account, as long as they count. */
const budgets = new Map<number, Budget>();

/** The keys of a guarded add's turns: the next one is checked when this one has its response. A list is a key itself. */
export function listTurnKeys({ context, order }: VideoJob, { keyId }: Service): unknown[] {
	const ofExecution = order.mostVideos === undefined ? [] : [getSent(context)];
	return order.spending === undefined ? ofExecution : [...ofExecution, `credits ${keyId}`];
}

/** Sends an add in its turn. @throws a RequestFailure when it would leave fewer credits than "Credits to Keep" */
export async function guardCredits<T>(
	job: VideoJob,
	service: Service,
	send: () => Promise<T>,
): Promise<T> {
	const { ledger, order } = job;
	if (order.spending === undefined) return await send();
	const { cost, keep } = order.spending;
	const budget = await openBudget(job, service);
	const remainingCredits = await budget.credits;
	if (remainingCredits - cost < keep) {
		throw new RequestFailure({ kind: 'overBudget', tries: 0, remainingCredits, cost, keep });
	}
	try {
		return await send();
	} finally {
		if (ledger.state.stage !== 'new') budget.credits = Promise.resolve(remainingCredits - cost);
	}
}

/** The credits that were read since the run has started, and a short while ago. */
async function openBudget({ api, run }: VideoJob, service: Service): Promise<Budget> {
	const since = performance.now() - MAX_AGE_MS;
	for (const [keyId, { readAt }] of budgets) if (readAt <= since) budgets.delete(keyId);
	const known = budgets.get(service.keyId);
	if (known && (known.run === run || known.readAt > run.startedAt)) return known;
	const credits = fetchRemainingCredits(service, api).catch((error: unknown) => {
		const cause = classifyError(error);
		if (cause.kind === 'cancelled') throw cause.with({ tries: 0 });
		const { httpCode } = cause.facts;
		throw new RequestFailure({ kind: 'creditsUnknown', tries: 0, cause, httpCode });
	});
	await Promise.allSettled([credits]);
	// A failure has taken all of its tries, so it counts from now on, unless the run has ended them.
	const budget = { credits, readAt: performance.now(), run };
	if (!run.signal.aborted) budgets.set(service.keyId, budget);
	return budget;
}

/** When nodes have sent adds whose calls share no execution, by `performance.now()`. A node is forgotten with its last call. */
const sentByNode = new Map<string, { sent: number[]; calledAt: number }>();

/** How long the calls of such a node count. */
const COUNTED_MS = 3_600_000;

/** Sends an add in its turn. @throws a RequestFailure if the execution has queued as many videos as "Most Videos" allows */
export async function limitVideos<T>(
	{ context, ledger, order: { mostVideos } }: VideoJob,
	send: () => Promise<T>,
): Promise<T> {
	if (mostVideos === undefined) return await send();
	const sent = getSent(context);
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
}

/** A list to be changed in place: n8n keeps that of an execution, through its rounds and retries. */
function getSent(context: IExecuteSingleFunctions): number[] {
	if (!isAgentCall(context) || sharesExecution(context)) {
		const kept = context.getContext('node') as { videosQueued?: number[] };
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
