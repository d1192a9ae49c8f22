import type { Operation } from '../../../sandbox/domain/model';
import type { Ledger, Order, OrderGroup, Outcome } from './Ledger';
import { WAIT_NODE } from './parameters';
import type { PlayedVideo } from './Scene';
import type { Story } from './Story';

/** A rule that must hold for every story. Returns a sentence for each case that breaks it. */
export type Invariant = (ledger: Ledger) => string[];

export function findGroup(ledger: Ledger, outcome: Outcome): OrderGroup | undefined {
	const order = ledger.orders.find(
		({ execution, run, item }) =>
			execution === outcome.execution && run === outcome.run && item === outcome.item,
	);
	return order && ledger.groups.get(order.signature);
}

/** Returns the group of an outcome if its order is the only one in it. */
export function findSingleOrder(ledger: Ledger, outcome: Outcome): OrderGroup | undefined {
	const group = findGroup(ledger, outcome);
	return group?.orders.length === 1 ? group : undefined;
}

/** Finds the video of an outcome by its queue id. */
export function findVideo({ videos }: Ledger, outcome: Outcome): PlayedVideo | undefined {
	const queueId = readQueueId(outcome);
	return videos.find(({ charge }) => charge.queueId === queueId);
}

export function readQueueId({ json, details }: Outcome): string | undefined {
	const queueId = json.queueId ?? details?.queueId;
	return typeof queueId === 'string' || typeof queueId === 'number' ? String(queueId) : undefined;
}

export function isWaited({ story }: Ledger, { execution, node }: Outcome): boolean {
	const waiting = story.executions[execution]?.waiting;
	return waiting === 'add' || (waiting === 'wait' && node === WAIT_NODE);
}

export function findLooks({ requests }: Ledger, { charge }: PlayedVideo) {
	return requests.filter(
		({ operation, url }) => operation === 'queue.getProgress' && url.includes(charge.queueId),
	);
}

export function isOfUnknownFate({ adds }: OrderGroup): boolean {
	return adds.some(({ fate }) => fate === 'unknown');
}

/** Whether a request for the operation loses its connection. */
export function hasSocketTrouble(story: Story, operation: Operation): boolean {
	return story.socketTroubles.some((trouble) => trouble.operation === operation);
}

export function name(orders: Order[]): string {
	const texts = orders.map(
		({ execution, run, item }) => `item ${item} of run ${run} of execution ${execution + 1}`,
	);
	return texts.join(' and ') || 'what nobody ordered';
}

export function nameOutcome({ execution, node, run, item }: Outcome): string {
	return `item ${String(item)} of ${node}, run ${run} of execution ${execution + 1},`;
}

/** Returns the time of the third response in a row that there is no such item. */
export function findGone(ledger: Ledger, video: PlayedVideo): number | undefined {
	const looks = findLooks(ledger, video);
	const isThird = (_: unknown, at: number) =>
		at >= 2 && looks.slice(at - 2, at + 1).every(({ status }) => status === 404);
	return looks.find(isThird)?.at;
}

/** Whether nothing disturbed any request for the log. */
export function canReadLog({ story }: Ledger): boolean {
	return (
		story.service.logTroubles.length === 0 &&
		story.n8nTroubles.length === 0 &&
		!hasSocketTrouble(story, 'video.getAll')
	);
}
