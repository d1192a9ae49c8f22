import type {
	DeduplicationHelperFunctions,
	ICheckProcessedOptions,
	IExecuteSingleFunctions,
} from 'n8n-workflow';
import { hashText } from '../api/hash';
import { createSlots } from '../api/pacing';
import { RequestFailure } from '../failures/failure';
import type { Job } from '../item/job';
import { checkJob } from '../item/job';
import { createInputError, getCollection, requireText } from '../item/parameters';
import type { VideoOrder } from './order';

type VideoJob = Job<VideoOrder>;

/** The last 10,000 keys of a node are kept, as n8n's own Remove Duplicates keeps them by default. */
const STORE: ICheckProcessedOptions = { mode: 'entries', maxEntries: 10_000 };

/**
 * "Unique Key" of an item.
 *
 * @returns undefined where the option is not set
 * @throws a NodeOperationError when it is set and cannot be used, before anything is sent: a misspelt
 * column must not turn it off
 */
export function getUniqueKey(context: IExecuteSingleFunctions): string | undefined {
	const options = getCollection(context, 'options');
	if (!('uniqueKey' in options)) return undefined;
	const key = requireText(context, options.uniqueKey, 'Unique Key').trim();
	if (key === '') {
		throw createInputError(
			context,
			"'Unique Key' is empty",
			"Enter a value that stays with the row, such as its ID, or remove 'Unique Key' under 'Options'. If it is an expression, check that it has a value for this item. Nothing was sent.",
		);
	}
	if (typeof getStore(context).checkProcessedAndRecord !== 'function') {
		throw createInputError(
			context,
			"'Unique Key' cannot be used by this agent",
			"n8n keeps no keys for tools of older agents. Use a newer AI Agent node, or remove 'Unique Key' under 'Options'. Nothing was sent.",
		);
	}
	if (!context.getWorkflow().id) {
		throw createInputError(
			context,
			"'Unique Key' needs a saved workflow",
			'n8n keeps the keys with the workflow. Save it and run it again. Nothing was sent.',
		);
	}
	return key;
}

/**
 * Takes an item's key before its add is sent: of all executions of this node, one can take it. It stays
 * taken if the add was accepted or may have been, also when n8n is killed in between.
 *
 * @throws a RequestFailure: nothing was sent
 */
export async function takeKey(job: VideoJob): Promise<void> {
	const { context, ledger, order } = job;
	const { uniqueKey } = order;
	if (uniqueKey === undefined) return;
	await inTurn(async () => {
		checkJob(job);
		const result = await getStore(context)
			.checkProcessedAndRecord([uniqueKey], 'node', STORE)
			.catch(() => undefined);
		if (result === undefined) throw new RequestFailure({ kind: 'keysUnavailable', uniqueKey });
		const key = hashText(uniqueKey);
		// An earlier try of this item may have taken the key. If it was freed since, it is taken again.
		if (result.new.length === 0 && ledger.state.key !== key) {
			throw new RequestFailure({ kind: 'keyUsed', uniqueKey });
		}
		ledger.keep({ key });
	});
}

/**
 * Records an item's key once more after its add: another worker that recorded a key in the same milliseconds
 * may have overwritten the record.
 */
export async function confirmKey({ context, order: { uniqueKey } }: VideoJob): Promise<void> {
	if (uniqueKey === undefined) return;
	await inTurn(async () => {
		// The video is queued, or may be, whatever becomes of the record.
		await getStore(context)
			.checkProcessedAndRecord([uniqueKey], 'node', STORE)
			.catch(() => undefined);
	});
}

/** Frees an item's key: its add was surely refused, or never sent. */
export async function releaseKey(job: VideoJob): Promise<void> {
	if (job.order.uniqueKey === undefined) return;
	await inTurn(async () => {
		await removeKey(job);
	});
}

/**
 * Removes a key that this item has taken, and no other: the item may have had another key in an earlier
 * try. Without n8n's store, the key stays taken, and the item's next try goes on with it.
 */
async function removeKey({ context, ledger, order: { uniqueKey } }: VideoJob): Promise<void> {
	if (uniqueKey === undefined || ledger.state.key !== hashText(uniqueKey)) return;
	try {
		await getStore(context).removeProcessed([uniqueKey], 'node', STORE);
		ledger.keep({ key: undefined });
	} catch {
		// The item has failed for a reason that matters more.
	}
}

/** n8n's own deduplication, whose entries belong to the node and its workflow. */
function getStore(context: IExecuteSingleFunctions): DeduplicationHelperFunctions {
	return context.helpers as unknown as DeduplicationHelperFunctions;
}

/** Does one piece of work at a time: n8n reads its record of the keys, and then writes it as a whole. */
const inTurn = createSlots(1);
