import type {
	DeduplicationHelperFunctions,
	ICheckProcessedOptions,
	IExecuteSingleFunctions,
} from 'n8n-workflow';
import { hashText } from '../api/hash';
import { createSlots } from '../api/pacing';
import { RequestFailure } from '../failures/failure';
import type { Job } from './job';
import { checkJob } from './job';
import { createInputError, requireText } from './parameters';

/** Maximum number of keys that a node keeps. Old keys are never dropped for new ones. */
const MAX_KEYS = 10_000;

/** n8n drops the oldest keys above `maxEntries`, so it is higher than what is ever kept. */
const STORE: ICheckProcessedOptions = { mode: 'entries', maxEntries: 2 * MAX_KEYS };

/**
 * "Unique Key" of an item.
 *
 * @returns undefined where the option is not set
 * @throws a NodeOperationError when it is set and cannot be used, before anything is sent: a misspelt
 * column must not turn it off
 */
export function getUniqueKey(
	context: IExecuteSingleFunctions,
	options: Record<string, unknown>,
): string | undefined {
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
export async function takeKey(job: Job): Promise<void> {
	const { context, memory, uniqueKey } = job;
	if (uniqueKey === undefined) return;
	await inTurn(async () => {
		checkJob(job);
		try {
			const store = getStore(context);
			const { new: added } = await store.checkProcessedAndRecord([uniqueKey], 'node', STORE);
			// An earlier try of this item may have taken the key. If it was freed since, it is taken again.
			if (added.length === 0 && memory.state.key !== hashText(uniqueKey))
				throw new RequestFailure({ kind: 'keyUsed', uniqueKey });
			memory.keep({ key: hashText(uniqueKey) });
			if ((await store.getProcessedDataCount('node', STORE)) <= MAX_KEYS) return;
			throw new RequestFailure({ kind: 'keysFull', uniqueKey });
		} catch (error) {
			const failure =
				error instanceof RequestFailure
					? error
					: new RequestFailure({ kind: 'keysUnavailable', uniqueKey });
			await removeKey(job);
			throw failure;
		}
	});
}

/**
 * Records an item's key once more after its add: another worker that recorded a key in the same milliseconds
 * may have overwritten the record.
 */
export async function confirmKey({ context, uniqueKey }: Job): Promise<void> {
	if (uniqueKey === undefined) return;
	await inTurn(async () => {
		// The video is queued, or may be, whatever becomes of the record.
		await getStore(context)
			.checkProcessedAndRecord([uniqueKey], 'node', STORE)
			.catch(() => undefined);
	});
}

/** Frees an item's key: its add was surely refused, or never sent. */
export async function releaseKey(job: Job): Promise<void> {
	if (job.uniqueKey === undefined) return;
	await inTurn(async () => {
		await removeKey(job);
	});
}

/**
 * Removes a key that this item has taken, and no other: the item may have had another key in an earlier
 * try. Without n8n's store, the key stays taken, and the item's next try goes on with it.
 */
async function removeKey({ context, memory, uniqueKey }: Job): Promise<void> {
	if (uniqueKey === undefined || memory.state.key !== hashText(uniqueKey)) return;
	try {
		await getStore(context).removeProcessed([uniqueKey], 'node', STORE);
		memory.keep({ key: undefined });
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
