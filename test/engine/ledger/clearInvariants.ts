import type { RecordedRequest } from '../../../sandbox/control/requestLog';
import type { Invariant } from './ledgerQueries';
import { readQueueId } from './ledgerQueries';
import type { Ledger, Outcome } from './Ledger';
import { ADD_NODE } from './parameters';
import type { BegunRequest } from './Wire';

/** A queue item that an execution is to clear, with the requests for it and its last outcome. */
interface ClearedItem {
	label: string;
	queueId: string;
	execution: number;
	item: number;
	requests: RecordedRequest[];
	begun: BegunRequest[];
	outcome: Outcome | undefined;
}

function listItems({ story, toClear, requests, begun, outcomes }: Ledger): ClearedItem[] {
	return toClear.flatMap((queueIds, execution) =>
		queueIds.map((queueId, item) => ({
			...{ label: `item ${item} of execution ${execution + 1}`, queueId, execution, item },
			requests: requests.filter(
				({ operation, body }) => operation === 'queue.clear' && getQueueId(body) === queueId,
			),
			begun: begun.filter(
				({ operation, body }) => operation === 'queue.clear' && getQueueId(body) === queueId,
			),
			outcome: outcomes.find(
				(each) =>
					story.executions[execution]?.operation === 'clear' &&
					each.execution === execution &&
					each.node === ADD_NODE &&
					each.item === item,
			),
		})),
	);
}

function getQueueId(body: unknown): string {
	return String((body as { queueId?: unknown } | undefined)?.queueId);
}

/** Whether a request got the service's own reply, whole. */
function isUndisturbed(ledger: Ledger, { requests, begun }: ClearedItem): boolean {
	const { story } = ledger;
	const last = requests.at(-1);
	const clears = ledger.requests.filter(({ operation }) => operation === 'queue.clear');
	const nth = last ? clears.indexOf(last) + 1 : 0;
	const isFaulty = story.service.clearTroubles.some((trouble) => trouble.nth === nth);
	return last !== undefined && !isFaulty && begun.at(-1)?.trouble === undefined;
}

/** Nothing but the items' queue items is cleared. */
const onlyOrderedIsCleared: Invariant = ({ requests, toClear }) => {
	const wanted = new Set(toClear.flat());
	return requests
		.filter(({ operation, body }) => operation === 'queue.clear' && !wanted.has(getQueueId(body)))
		.map(({ body }) => `${JSON.stringify(body)} was to be cleared, and nobody wanted it`);
};

/** An item comes out as cleared, under its own id, only if it is gone. */
const clearedIsGone: Invariant = (ledger) =>
	listItems(ledger).flatMap(({ outcome, queueId, label, execution }) => {
		if (outcome?.error !== undefined || !outcome || ledger.executions[execution]?.isStopped)
			return [];
		const shownId = readQueueId(outcome);
		return [
			...(ledger.queueIds.includes(queueId)
				? [`${label} came out as cleared, and is still in the queue`]
				: []),
			...(shownId === queueId
				? []
				: [`${label} is ${queueId}, and came out as ${shownId ?? 'nothing'}`]),
		];
	});

/** An item that its own execution has cleared is no failure, though a later try finds it gone. */
const clearedIsSuccess: Invariant = (ledger) =>
	listItems(ledger).flatMap((each) => {
		const { outcome, requests, label, queueId, execution } = each;
		if (ledger.story.n8nTroubles.length > 0 || ledger.executions[execution]?.isStopped) return [];
		const isDone = requests.some((request) => request.queueId === queueId);
		if (outcome?.error === undefined || !isDone || !isUndisturbed(ledger, each)) return [];
		return [`${label} was cleared, and failed: ${outcome.error}`];
	});

/** An execution in which everything is cleared, and whose last responses said so, has not failed. */
const clearingEverythingIsSuccess: Invariant = (ledger) =>
	ledger.executions.flatMap(({ run, isStopped }, execution) => {
		const { story } = ledger;
		if (story.executions[execution]?.operation !== 'clear') return [];
		if (run?.status !== 'error' || isStopped || story.n8nTroubles.length > 0) return [];
		const own = listItems(ledger).filter((each) => each.execution === execution);
		const once = story.executions[execution].executeOnce ? own.slice(0, 1) : own;
		const isDone = (each: ClearedItem) =>
			each.requests.some(({ queueId }) => queueId === each.queueId) && isUndisturbed(ledger, each);
		return once.every(isDone) ? [`execution ${execution + 1} failed, and all is cleared`] : [];
	});

/** An item without any trouble is cleared. */
const healthyItemIsCleared: Invariant = (ledger) =>
	listItems(ledger).flatMap(({ label, queueId, execution, item, outcome }) => {
		const { story } = ledger;
		const { onError, items, executeOnce } = story.executions[execution] ?? {};
		const isSmooth =
			story.service.clearTroubles.length === 0 &&
			story.socketTroubles.length === 0 &&
			story.n8nTroubles.length === 0 &&
			items?.[item]?.address === 'service' &&
			ledger.executions[execution]?.isStopped === false &&
			!(executeOnce === true && item > 0) &&
			(onError !== 'stopWorkflow' || items.every(({ address }) => address === 'service'));
		if (!isSmooth || (outcome?.error === undefined && !ledger.queueIds.includes(queueId)))
			return [];
		return [`${label} was not cleared, though nothing was wrong with it`];
	});

export const CLEAR_INVARIANTS: Record<string, Invariant> = {
	onlyOrderedIsCleared,
	clearedIsGone,
	clearedIsSuccess,
	clearingEverythingIsSuccess,
	healthyItemIsCleared,
};
