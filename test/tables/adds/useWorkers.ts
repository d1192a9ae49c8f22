import * as n8nWorkflow from 'n8n-workflow';
import type * as workersTurn from '../../../nodes/VideoGeneration/adds/workersTurn';
import type * as uniqueKey from '../../../nodes/VideoGeneration/adds/uniqueKey';
import type * as records from '../../../nodes/VideoGeneration/n8n/records';
import { DeduplicationStore } from '../../support/n8nServer/DeduplicationStore';

const IDS = { workflow: { id: 'w1' }, node: { id: 'n1' } } as never;

export type Worker = typeof workersTurn & typeof uniqueKey & typeof records;

/** Loads the modules once more, as another process of n8n does. */
function startWorker(): Worker {
	const worker = {} as Worker;
	// It has no memory, and takes longer to load than what it is tested with.
	jest.doMock('n8n-workflow', () => n8nWorkflow);
	jest.isolateModules(() => {
		for (const name of ['n8n/records', 'adds/workersTurn', 'adds/uniqueKey']) {
			Object.assign(worker, jest.requireActual(`../../../nodes/VideoGeneration/${name}`));
		}
	});
	jest.dontMock('n8n-workflow');
	return worker;
}

/** Numbers from 0 to 1 that are the same in each run. */
export function createRandom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
		return state / 2 ** 32;
	};
}

/**
 * Three processes of n8n that share a store, for a test whose time is passed by hand.
 *
 * @param getCallMs how long the store takes from reading a row to writing it
 */
export function useWorkers(getCallMs: () => number) {
	const store = new DeduplicationStore();
	store.later = (_, action) => {
		setTimeout(action, getCallMs());
	};
	const context = {
		instanceSettings: { instanceType: 'worker' },
		helpers: {
			checkProcessedAndRecord: async (
				items: string[],
				scope: 'node',
				options: { mode: 'entries' },
			) => await store.checkProcessedAndRecord(items, scope, IDS, options),
			removeProcessed: async (items: string[], scope: 'node') => {
				await store.removeProcessed(items, scope, IDS);
			},
		},
		getWorkflow: () => ({ id: 'w1' }),
		getNode: () => ({ id: 'n1', parameters: {}, type: '' }),
		getItemIndex: () => 0,
		getExecutionId: () => '1',
		logger: { info: () => undefined },
	};
	/** Waits for work. The fake time passes meanwhile. */
	const passTime = async <T>(work: Promise<T>, stepMs = 1_000): Promise<T> => {
		const state = { isOver: false };
		const all = work.finally(() => {
			state.isOver = true;
		});
		while (!state.isOver) await jest.advanceTimersByTimeAsync(stepMs);
		return await all;
	};
	return {
		workers: [startWorker(), startWorker(), startWorker()],
		context: context as never,
		passTime,
		pause: async (delayMs: number) => {
			await new Promise((resolve) => setTimeout(resolve, delayMs));
		},
		/** Returns how many entries the store keeps of a scope. */
		countEntries: async (scope: 'node' | 'workflow') => {
			let count = 0;
			store.onWrite = (entries) => (count = entries.length);
			await store.checkProcessedAndRecord([], scope, IDS, { mode: 'entries' });
			return count;
		},
		/** Returns which of these keys the store has lost. */
		findLost: async (keys: string[]) =>
			(await passTime(store.checkProcessedAndRecord(keys, 'node', IDS, { mode: 'entries' }))).new,
	};
}
