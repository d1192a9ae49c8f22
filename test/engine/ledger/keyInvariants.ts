import type { Invariant } from './ledgerQueries';
import { findGroup, hasSocketTrouble, name, nameOutcome } from './ledgerQueries';
import type { Ledger, Order } from './Ledger';
import { PROMPT_SEPARATOR } from './parameters';
import type { PlayedAdd } from './Scene';
import { OLDEST_KEY } from './Story';
import { toCredits, toKey } from './storyValues';

/*
 * Once for each key, and the spending guard. With a unique key, the prompt ends with the same expression,
 * so that the service's record tells which key each add was for.
 */

/** The key of an add; undefined if the execution has no key, or a new one in every try. */
function findKey({ story, groups }: Ledger, add: PlayedAdd): string | undefined {
	const group = [...groups.values()].find(({ adds }) => adds.includes(add));
	const { uniqueKey = null } = story.executions[group?.orders[0]?.execution ?? -1] ?? {};
	const { customPrompt } = add.body;
	if (uniqueKey === null || uniqueKey === 'Math.random()') return undefined;
	if (typeof customPrompt !== 'string') return undefined;
	return toKey(customPrompt.slice(customPrompt.indexOf(PROMPT_SEPARATOR)).replace(/^ \/ /, ''));
}

function groupByKey(ledger: Ledger): Map<string, PlayedAdd[]> {
	const byKey = new Map<string, PlayedAdd[]>();
	for (const add of ledger.adds) {
		const key = findKey(ledger, add);
		if (key !== undefined) byKey.set(key, [...(byKey.get(key) ?? []), add]);
	}
	return byKey;
}

/** A key is charged at most once, whatever is killed, retried, or started twice. */
const oneChargeAKey: Invariant = (ledger) =>
	[...groupByKey(ledger)].flatMap(([key, adds]) => {
		const paid = adds.filter(({ charge }) => charge !== undefined);
		return paid.length > 1 ? [`the key ${JSON.stringify(key)} paid ${paid.length} times`] : [];
	});

/** A key is used after an unknown fate, though maybe nothing was queued for it. */
const usedKeyIsNotSentAgain: Invariant = (ledger) =>
	[...groupByKey(ledger)].flatMap(([key, adds]) => {
		const sent = adds.filter(({ fate }) => fate !== 'unsent' && fate !== 'refused');
		return sent.length > 1
			? [`the key ${JSON.stringify(key)} was sent ${sent.length} times without being refused`]
			: [];
	});

/** A key that was used long ago stays used, also when the record is full. */
const oldKeyStaysUsed: Invariant = (ledger) =>
	ledger.story.keyStore.keys > 0 && groupByKey(ledger).has(OLDEST_KEY)
		? [`the key ${OLDEST_KEY} was used before, and was sent again`]
		: [];

/** An item's key is refused only if another item has used it. */
const ownKeyIsNotRefused: Invariant = (ledger) => {
	const { story, executions, outcomes, groups, orders } = ledger;
	if (executions.some(({ killed }) => killed !== undefined)) return [];
	const byKey = groupByKey(ledger);
	// A key that another item could not free, or not yet, is taken, though nothing was sent for it.
	const isHeld = (key: string) =>
		(story.keyStore.failingCalls.length > 0 || executions.some(({ isStopped }) => isStopped)) &&
		orders.filter((order) => {
			const item = story.executions[order.execution]?.items[order.item];
			return item !== undefined && toKey(item.key) === key;
		}).length > 1;
	return outcomes.flatMap((outcome) => {
		const { error, details, execution } = outcome;
		const { uniqueKey, retries = [] } = story.executions[execution] ?? {};
		if (error?.includes('was already queued for this key') !== true) return [];
		if (uniqueKey !== '$json.key' || retries.some(({ change }) => change !== null)) return [];
		const key = details?.uniqueKey as string;
		const adds = byKey.get(key) ?? [];
		const own = findGroup(ledger, outcome)?.adds ?? [];
		const isOld = key === OLDEST_KEY && story.keyStore.keys > 0;
		const isShared = [...groups.values()].some(
			({ orders }) => orders.length > 1 && orders.some((order) => order.execution === execution),
		);
		if (isOld || isShared || isHeld(key) || adds.some((add) => !own.includes(add))) return [];
		return [`${nameOutcome(outcome)} was refused by the key ${key}, which no other item has used`];
	});
};

/** A key is free unless an add for it was accepted or may have been: an execution then sends it. */
const freeKeyIsSent: Invariant = (ledger) => {
	const { story, executions, orders, groups } = ledger;
	const { failingCalls, keys } = story.keyStore;
	// A key can stay taken if it could not be freed, or if n8n was killed meanwhile.
	if (failingCalls.length > 0 || keys > 0 || story.n8nTroubles.length > 0) return [];
	if (executions.some(({ killed, isStopped }) => killed !== undefined || isStopped)) return [];
	const byKey = groupByKey(ledger);
	return orders.flatMap((order) => {
		const execution = story.executions[order.execution];
		const item = execution?.items[order.item];
		if (!execution || !item || execution.uniqueKey !== '$json.key') return [];
		if (execution.onError === 'stopWorkflow' || execution.retries.length > 0) return [];
		if (!order.isComplete || !order.isReachable || !isAffordable(ledger, order)) return [];
		const { adds = [], orders: same = [] } = groups.get(order.signature) ?? {};
		const { attempts = [], endedAt = 0 } = executions[order.execution] ?? {};
		const startedAt = attempts[0]?.startedAt ?? 0;
		const ofKey = byKey.get(toKey(item.key) ?? '') ?? [];
		const isUsed = [...groups.values()].some((group) => {
			const keyAdds = group.adds.filter((add) => ofKey.includes(add));
			if (!keyAdds.some(({ at }) => at <= endedAt)) return false;
			// Another execution that tries again holds the key between its tries.
			const isOther = group.orders.some(({ execution: other }) => other !== order.execution);
			return keyAdds.some(
				({ at, fate }) => (isOther && at >= startedAt) || (fate !== 'unsent' && fate !== 'refused'),
			);
		});
		return adds.length >= same.length || isUsed
			? []
			: [`${name([order])} was not sent, though its key is free`];
	});
};

/** The values of the stories, except Credits to Keep that nearly forbid everything. */
const HIGHEST_COST = 3;
const HIGHEST_KEEP = 3;

/** Whether the guard, if there is one, surely lets an item pass. */
function isAffordable({ story, videos, orders }: Ledger, { execution }: Order): boolean {
	const { creditsToKeep = null, items = [] } = story.executions[execution] ?? {};
	if (creditsToKeep === null) return true;
	if (hasSocketTrouble(story, 'account.get')) return false;
	const keeps = [creditsToKeep, ...items.map(({ keep }) => toCredits(keep))];
	if (keeps.some((keep) => Number(keep ?? 0) > HIGHEST_KEEP)) return false;
	const left = (story.service.credits ?? 1_000) - videos.length - orders.length * HIGHEST_COST;
	return left >= HIGHEST_KEEP;
}

/** The account keeps the Credits to Keep of each item, unless two executions read it at once. */
const creditsAreKept: Invariant = ({ story, groups, videos, executions }) => {
	// The last add of a killed process can arrive while the next one reads the account.
	if (executions.some(({ killed }) => killed !== undefined)) return [];
	const isAlone = story.executions.every(
		({ startsAfterMs, callsAtOnce, way }, index) =>
			(index === 0 || startsAfterMs !== null) &&
			(callsAtOnce === 1 || way === 'items' || way === 'loop'),
	);
	// A video costs one credit: who says less is not guarded.
	const isUnderstated = story.executions.some(
		({ creditsPerVideo, items }) =>
			creditsPerVideo !== null && items.some(({ cost }) => (toCredits(cost) ?? 1) < 1),
	);
	if (!isAlone || isUnderstated || story.service.strangers.length > 0) return [];
	const credits = new Map<string, number>();
	return videos.flatMap(({ charge }) => {
		const left = (credits.get(charge.accountId) ?? story.service.credits ?? 1_000) - 1;
		credits.set(charge.accountId, left);
		const group = [...groups.values()].find((each) =>
			each.videos.some((video) => video.charge === charge),
		);
		const keeps = (group?.orders ?? []).map(({ execution, item }) => {
			const { creditsToKeep = null, items = [] } = story.executions[execution] ?? {};
			return creditsToKeep === '$json.keep' ? toCredits(items[item]?.keep ?? null) : creditsToKeep;
		});
		// Of identical orders, the service cannot tell which one it was.
		const kept = Math.min(...keeps.map((keep) => keep ?? -Infinity));
		return left >= kept
			? []
			: [`${name(group?.orders ?? [])} left ${left} credits, and was to keep ${kept}`];
	});
};

/** With the guard on, nothing is sent before the account has told its credits. */
const guardReadsTheAccount: Invariant = ({ story, groups, requests, begun, executions }) =>
	[...groups.values()].flatMap(({ orders, adds }) => {
		const guarded = orders.every(
			({ execution }) => (story.executions[execution]?.creditsToKeep ?? null) !== null,
		);
		if (orders.length === 0 || !guarded) return [];
		const starts = orders.map(({ execution }) => {
			const { attempts = [], killed } = executions[execution] ?? {};
			return (killed ?? attempts[0])?.startedAt ?? -Infinity;
		});
		const from = Math.min(...starts);
		const isRead = (add: PlayedAdd) =>
			requests.some(
				({ operation, headers, at, status, clientPort }) =>
					operation === 'account.get' &&
					headers.authorization === add.authorization &&
					at >= from &&
					at <= add.at &&
					status === 200 &&
					begun.every(({ localPort, trouble }) => localPort !== clientPort || !trouble),
			);
		return adds
			.filter((add) => !isRead(add) && add.fate !== 'unsent')
			.map(() => `${name(orders)} was sent though the credits were not read`);
	});

export const KEY_INVARIANTS: Record<string, Invariant> = {
	oneChargeAKey,
	usedKeyIsNotSentAgain,
	oldKeyStaysUsed,
	ownKeyIsNotRefused,
	freeKeyIsSent,
	creditsAreKept,
	guardReadsTheAccount,
};
