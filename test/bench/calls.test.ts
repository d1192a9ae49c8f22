import type { IDataObject, IRunExecutionData } from 'n8n-workflow';
import { GENERATE } from '../support/engine/OPERATIONS';
import { EngineWorker } from '../support/engine/EngineWorker';
import { getOwnVideoId, planVideos } from '../support/engine/planVideos';
import { playTogether } from '../support/engine/playTogether';
import { useSandbox } from '../support/engine/useSandbox';
import { DeduplicationStore } from '../support/n8nServer/DeduplicationStore';

const service = useSandbox();

const ROWS = 6;
const SECONDS = 40;
/** How long n8n's database takes from reading a row to writing it. */
const WRITE_MS = 15;

afterEach(() => jest.restoreAllMocks());

jest.setTimeout(120_000);

/** Most calls of n8n's store and reads of the list for a video, and most seconds beyond it, with so many workers. */
test.each([
	[1, 9, 1.5, 16],
	[2, 26, 2.5, 16],
	[3, 34, 2.5, 16],
])(
	'On %d workers, a video of a silent service takes at most %d calls of the store, %d reads of the list, and %d s more',
	async (count, mostCalls, mostReads, mostSeconds) => {
		const { sandbox } = service;
		const store = new DeduplicationStore().use();
		store.later = (_, action) => {
			setTimeout(action, WRITE_MS);
		};
		planVideos(sandbox, ...Array<object>(ROWS).fill({ processingMs: SECONDS * 1_000 }));
		const readSaved = jest.fn<Promise<IRunExecutionData | undefined>, []>();
		const endings = await playTogether(
			sandbox,
			await Promise.all(
				Array.from({ length: count }, async () => {
					const worker = await EngineWorker.start();
					const items = Array<IDataObject>(ROWS / count).fill({});
					const setup = { ...service.setup(GENERATE), items, readSaved };
					return { start: async () => await worker.run(setup) };
				}),
			),
		);
		const given = endings.flatMap(({ result }) => result.items.map(({ json }) => json));
		const own = given.filter(
			(json) => (json.video as IDataObject).id === getOwnVideoId(sandbox, json),
		);
		expect(own).toHaveLength(ROWS);
		const tookMs =
			Math.max(...endings.map(({ endedAt }) => endedAt)) - (endings[0]?.startedAt ?? 0);
		const reads = service.listSent().filter((sent) => sent === 'video.getAll').length;
		const figures = {
			'calls of the store': store.callsOf.workflow / ROWS,
			'reads of the list': reads / ROWS,
			'reads of the saved execution': readSaved.mock.calls.length / ROWS,
			'seconds beyond': tookMs / 1_000 / ROWS - SECONDS,
		};
		const name = `${count} ${count === 1 ? 'worker' : 'workers'}`;
		console.table({ [name]: figures });
		expect(store.callsOf.node).toBe(0);
		expect(figures['calls of the store']).toBeLessThanOrEqual(mostCalls);
		expect(figures['reads of the list']).toBeLessThanOrEqual(mostReads);
		expect(readSaved.mock.calls.length).toBeLessThanOrEqual(ROWS);
		expect(figures['seconds beyond']).toBeLessThanOrEqual(mostSeconds);
	},
);
