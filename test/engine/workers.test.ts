/*
 * n8n's queue mode: each worker has a process of its own, and all of them share n8n's deduplication store. The workers
 * of these tests are copies of the package's modules.
 */

import type { IDataObject } from 'n8n-workflow';
import { DeduplicationStore } from '../support/n8nServer/DeduplicationStore';
import { GENERATE, OPERATIONS } from '../support/engine/OPERATIONS';
import { type LoadedPackage, loadPackageAnew } from '../support/engine/loadPackage';
import { type Beginning, playTogether } from '../support/engine/playTogether';
import { ERROR_OUTPUT, type NodeResult, type NodeSetup, runNode } from '../support/engine/runNode';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();
const { listPaid } = service;

let store = new DeduplicationStore();

beforeEach(() => {
	store = new DeduplicationStore().use();
});

/** How long n8n's database takes from reading a row to writing it. */
const WRITE_MS = 15;

const startWorkers = async (count: number): Promise<LoadedPackage[]> => {
	const workers: LoadedPackage[] = [];
	for (let i = 0; i < count; i++) workers.push(await loadPackageAnew());
	return workers;
};

/** An execution of a worker. */
const begin = (
	worker: LoadedPackage,
	setup: Omit<NodeSetup, 'credentials'>,
	afterMs = 0,
): Beginning<NodeResult> => ({
	afterMs,
	start: async () => {
		const loadNodes = async () => await Promise.resolve(worker);
		return await runNode({ ...service.setup(setup.parameters), ...setup, loadNodes });
	},
});

const KEY = '={{ $json.id }}';
const KEYED = { ...OPERATIONS['queue.add'], options: { uniqueKey: KEY } };

const listRows = (count: number): IDataObject[] =>
	Array.from({ length: count }, (_, id) => ({ id: `key-${id}`, prompt: `row ${id}` }));

describe('A unique key', () => {
	test.each([
		['each take as long', () => WRITE_MS],
		['take different times', (call: number) => 5 + ((call * 7919) % 20)],
	])(
		'that three workers use in the same milliseconds is paid once when their writes %s',
		async (_, getWriteMs) => {
			store.later = (__, action) => {
				setTimeout(action, getWriteMs(store.calls));
			};
			const rows = listRows(40);
			const workers = await startWorkers(3);
			const setup = { parameters: KEYED, items: rows, settings: ERROR_OUTPUT };
			const endings = await playTogether(
				service.sandbox,
				workers.map((worker) => begin(worker, setup)),
			);
			expect(new Set(listPaid()).size).toBe(40);
			expect(listPaid()).toHaveLength(40);
			const counts = endings.map(({ result }) => result.items.length + result.errorItems.length);
			expect(counts).toEqual([40, 40, 40]);
		},
	);

	test('is open in each row of the store until its video comes out, so that it fails after a crash', async () => {
		const rows: (readonly string[])[] = [];
		store.onWrite = (entries) => rows.push(entries);
		const parameters = { ...GENERATE, options: { uniqueKey: KEY } };
		await service.run(parameters, { items: listRows(3) });
		const count = (entries: readonly string[], pattern: RegExp) =>
			entries.filter((entry) => pattern.test(entry)).length;
		const done = rows.filter((row) => count(row, /^key-/) > count(row, /has not come out$/));
		// The last write.
		expect(done).toEqual([['key-0', 'key-1', 'key-2']]);
	});
});
