import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { SettingsChange } from '../../sandbox/domain/settings';
import { getOwnVideoId, planVideos } from '../support/engine/planVideos';
import { type Beginning, type Ending, playTogether } from '../support/engine/playTogether';
import { GENERATE, PROJECT } from '../support/engine/OPERATIONS';
import { runNode } from '../support/engine/runNode';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox({ rateLimit: { max: 100, windowMs: 900_000 } });

interface Kind {
	seconds: number;
	maxAtOnce?: number;
	logDelayMs?: number;
}

/** The kinds of service: how long it needs for a video, how many it makes at once, and when it lists them. */
const KINDS: Record<string, Kind> = {
	'5 s, side by side': { seconds: 5 },
	'20 s, side by side': { seconds: 20 },
	'20 s, one after the other': { seconds: 20, maxAtOnce: 1 },
	'20 s, three at a time': { seconds: 20, maxAtOnce: 3 },
	'2 minutes, side by side': { seconds: 120 },
	'20 s, listed 8 s late': { seconds: 20, logDelayMs: 8_000 },
	'20 s, listed 3 s early': { seconds: 20, logDelayMs: -3_000 },
};

/** Services that tell which video is whose: always, or not. */
const TELLING: Record<string, SettingsChange> = {
	'the address in the progress': { videoUrlInDetails: true },
	'the queue ID in the list': { entriesNameQueueId: 'field' },
	'the address, 4 s after the status': {
		videoUrlInDetails: true,
		durations: { urlDelayMs: 4_000 },
	},
	'nothing (silent)': {},
	'the address of the first 4 alone': { videoUrlInDetails: 4 },
	'the address of every other one': { videoUrlInDetails: 'everyOther' },
};

/** An execution: the seconds after which it starts, and the number of its rows. */
type Start = [afterSeconds: number, rows: number, project?: string];

/** Executions that make videos of one project at the same time. */
const DAYS: Record<string, Start[]> = {
	'three forms, 4 s apart': [0, 4, 8].map((afterSeconds): Start => [afterSeconds, 1]),
	'five at the same moment': Array.from({ length: 5 }, (): Start => [0, 1]),
	'a batch of 3, two messages': [
		[0, 3],
		[6, 1],
		[7, 1],
	],
	'two batches of 5': [
		[0, 5],
		[10, 5],
	],
	'a batch of 10, a form after 10 s': [
		[0, 10],
		[10, 1],
	],
	'two projects, 3 rows each': [
		[0, 3],
		[2, 3, 'project-city-tour'],
	],
};

interface Case {
	starts: Start[];
	kind: Kind;
	telling?: SettingsChange;
}

/** Each case has a service of its own: a process remembers which services tell. */
let cases = 0;

/** Runs a batch with the default options. */
function begin([afterSeconds, rows, project = PROJECT]: Start): Beginning<INodeExecutionData[]> {
	const items = Array.from({ length: rows }, (_, row) => ({ prompt: `Film ${row}`, project }));
	const { credentials, ...setup } = service.setup(GENERATE);
	const baseUrl = `${credentials.baseUrl}/${cases}`;
	const start = async () => {
		const ending = await runNode({ ...setup, credentials: { ...credentials, baseUrl }, items });
		if (ending.error) throw ending.error;
		return ending.items;
	};
	return { afterMs: afterSeconds * 1_000, start };
}

/** Plays executions. Not all of their videos end just before a progress check. */
async function play({ starts, kind, telling = {} }: Case): Promise<IDataObject> {
	const { seconds, maxAtOnce = null, logDelayMs = 0 } = kind;
	const { sandbox } = service;
	cases += 1;
	sandbox.reset();
	sandbox.configure({ maxAtOnce, durations: { logDelayMs } });
	sandbox.configure(telling);
	const rows = starts.reduce((sum, [, count]) => sum + count, 0);
	const durations = Array.from({ length: rows }, (_, i) => (seconds + (i % 5)) * 1_000);
	planVideos(sandbox, ...durations.map((processingMs) => ({ processingMs })));
	const endings = await playTogether(sandbox, starts.map(begin));
	return measure(endings, durations, new Set(starts.map(([, , project]) => project)).size);
}

/** @param projects the number of projects, whose videos are made side by side, as many of each */
function measure(
	endings: Ending<INodeExecutionData[]>[],
	durations: number[],
	projects: number,
): IDataObject {
	const { sandbox } = service;
	const isOwn = endings.flatMap(({ result }) =>
		result.map(({ json }) => {
			const url = (json.video as IDataObject | null)?.url ?? json.videoUrl;
			return typeof url === 'string' ? url.includes(String(getOwnVideoId(sandbox, json))) : null;
		}),
	);
	const count = (operation: string) =>
		sandbox.requests.filter((request) => request.operation === operation).length;
	const firstAt = Math.min(...endings.map(({ startedAt }) => startedAt));
	const tookMs = Math.max(...endings.map(({ endedAt }) => endedAt)) - firstAt;
	const madeMs = durations.reduce((sum, each) => sum + each, 0) / projects;
	const round = (value: number) => Math.round(value * 10) / 10;
	return {
		items: durations.length,
		'own video': isOwn.filter((each) => each === true).length,
		'wrong video': isOwn.filter((each) => each === false).length,
		'seconds beyond': round((tookMs - madeMs) / 1_000 / (durations.length / projects)),
		'times the longest': round(tookMs / Math.max(...durations)),
		'progress checks': count('queue.getProgress'),
		'reads of the list': count('video.getAll'),
	};
}

/**
 * Time passes only when nothing else is left to do, so that the figures are the same on every machine.
 * "Seconds beyond" is the time beyond the sum of the videos' durations, for each item.
 */
async function bench(title: string, all: Record<string, Case>): Promise<IDataObject[]> {
	const figures: Record<string, IDataObject> = {};
	for (const [name, each] of Object.entries(all)) figures[name] = await play(each);
	process.stdout.write(`${title}\n`);
	console.table(figures);
	return Object.values(figures);
}

const map = <T>(values: Record<string, T>, toCase: (value: T) => Case): Record<string, Case> =>
	Object.fromEntries(Object.entries(values).map(([name, value]) => [name, toCase(value)]));

test.each([
	[
		'5 rows of one project, with the default options',
		map(KINDS, (kind) => ({ kind, starts: [[0, 5]] })),
	],
	[
		'Executions at the same time, with videos of 20 to 24 s',
		map(DAYS, (starts) => ({ kind: { seconds: 20 }, starts })),
	],
])(
	'Every item gets its own video: %s',
	async (title, all) => {
		for (const each of await bench(title, all)) {
			expect(each).toMatchObject({ 'own video': each.items, 'wrong video': 0 });
			expect(each['seconds beyond']).toBeLessThanOrEqual(16);
		}
	},
	120_000,
);

test.each([
	[8, 5.5],
	[20, 7],
])(
	'%d rows are made as fast as the service allows: in %d times their longest where it tells',
	async (rows, most) => {
		const title = `${rows} rows of one project, with videos of 20 to 24 s, of which the service tells`;
		const toCase = (telling: SettingsChange): Case => ({
			kind: { seconds: 20 },
			starts: [[0, rows]],
			telling,
		});
		for (const [index, each] of (await bench(title, map(TELLING, toCase))).entries()) {
			expect(each['wrong video']).toBe(0);
			if (index < 4) expect(each['own video']).toBe(rows);
			if (index < 3) expect(each['times the longest']).toBeLessThanOrEqual(most);
			// A run makes one video more at once with each that it is told.
			expect(rows - Number(each['own video'])).toBeLessThanOrEqual(5);
		}
	},
	120_000,
);
