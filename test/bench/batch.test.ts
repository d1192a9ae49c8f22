import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { SettingsChange } from '../../sandbox/domain/settings';
import { getOwnVideoId, planVideos } from '../support/engine/planVideos';
import { type Beginning, playTogether } from '../support/engine/playTogether';
import { GENERATE, PROJECT } from '../support/engine/OPERATIONS';
import { runNode } from '../support/engine/runNode';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox({ rateLimit: { max: 100, windowMs: 900_000 } });

/** An execution: the seconds after which it starts, and the rows that it makes videos of. */
interface Start {
	afterSeconds: number;
	rows: number;
	project: string;
}

function start(afterSeconds: number, rows: number, project = PROJECT): Start {
	return { afterSeconds, rows, project };
}

/** A service that needs so many seconds for a video, and up to four more, and the executions that use it. */
type Case = [name: string, seconds: number, starts: Start[], settings?: SettingsChange];

const FIVE = [start(0, 5)];

const KINDS: Case[] = [
	['5 s, side by side', 5, FIVE],
	['20 s, side by side', 20, FIVE],
	['20 s, one after the other', 20, FIVE, { maxAtOnce: 1 }],
	['20 s, three at a time', 20, FIVE, { maxAtOnce: 3 }],
	['2 minutes, side by side', 120, FIVE],
	['20 s, listed 8 s late', 20, FIVE, { durations: { logDelayMs: 8_000 } }],
	['20 s, listed 3 s early', 20, FIVE, { durations: { logDelayMs: -3_000 } }],
];

/** Executions that make videos of one project at the same time. */
const DAYS: Case[] = [
	['three forms, 4 s apart', 20, [start(0, 1), start(4, 1), start(8, 1)]],
	['five at the same moment', 20, Array.from({ length: 5 }, () => start(0, 1))],
	['a batch of 3, two messages', 20, [start(0, 3), start(6, 1), start(7, 1)]],
	['two batches of 5', 20, [start(0, 5), start(10, 5)]],
	['a batch of 10, a form after 10 s', 20, [start(0, 10), start(10, 1)]],
	['two projects, 3 rows each', 20, [start(0, 3), start(2, 3, 'project-city-tour')]],
];

const LATE = { videoUrlInDetails: true, durations: { urlDelayMs: 4_000 } };

/** Services that tell which video is whose: always, or not. */
const listTelling = (rows: number): Case[] => [
	['the address in the progress', 20, [start(0, rows)], { videoUrlInDetails: true }],
	['the queue ID in the list', 20, [start(0, rows)], { entriesNameQueueId: 'field' }],
	['the address, 4 s after the status', 20, [start(0, rows)], LATE],
	['nothing (silent)', 20, [start(0, rows)]],
	['the address of the first 4 alone', 20, [start(0, rows)], { videoUrlInDetails: 4 }],
	['the address of every other one', 20, [start(0, rows)], { videoUrlInDetails: 'everyOther' }],
];

/** Each case has a service of its own: a process remembers which services tell. */
let cases = 0;

/** Runs a batch with the default options. */
function begin({ afterSeconds, rows, project }: Start): Beginning<INodeExecutionData[]> {
	const items = Array.from({ length: rows }, (_, row) => ({ prompt: `Film ${row}`, project }));
	const { credentials, ...setup } = service.setup(GENERATE);
	const baseUrl = `${credentials.baseUrl}/${cases}`;
	const run = async () => {
		const ending = await runNode({ ...setup, credentials: { ...credentials, baseUrl }, items });
		if (ending.error) throw ending.error;
		return ending.items;
	};
	return { afterMs: afterSeconds * 1_000, start: run };
}

/** Plays executions. Not all of their videos end just before a progress check. */
async function play([, seconds, starts, settings = {}]: Case): Promise<IDataObject> {
	const { sandbox } = service;
	cases += 1;
	sandbox.reset();
	sandbox.configure(settings);
	const count = starts.reduce((sum, { rows }) => sum + rows, 0);
	const durations = Array.from({ length: count }, (_, i) => (seconds + (i % 5)) * 1_000);
	planVideos(sandbox, ...durations.map((processingMs) => ({ processingMs })));
	const endings = await playTogether(sandbox, starts.map(begin));
	const isOwn = endings
		.flatMap(({ result }) => result)
		.map(({ json }) => {
			const url = (json.video as IDataObject | null)?.url ?? json.videoUrl;
			return typeof url === 'string' ? url.includes(String(getOwnVideoId(sandbox, json))) : null;
		});
	const countRequests = (operation: string) =>
		sandbox.requests.filter((request) => request.operation === operation).length;
	const firstAt = Math.min(...endings.map(({ startedAt }) => startedAt));
	const tookMs = Math.max(...endings.map(({ endedAt }) => endedAt)) - firstAt;
	// Projects are made side by side, as many videos of each.
	const projects = new Set(starts.map(({ project }) => project)).size;
	const madeMs = durations.reduce((sum, each) => sum + each, 0) / projects;
	const round = (value: number) => Math.round(value * 10) / 10;
	return {
		items: count,
		'own video': isOwn.filter((each) => each === true).length,
		'wrong video': isOwn.filter((each) => each === false).length,
		'seconds beyond': round((tookMs - madeMs) / 1_000 / (count / projects)),
		'times the longest': round(tookMs / Math.max(...durations)),
		'progress checks': countRequests('queue.getProgress'),
		'reads of the list': countRequests('video.getAll'),
	};
}

/**
 * Time passes only when nothing else is left to do, so that the figures are the same on every machine.
 * "Seconds beyond" is the time beyond the sum of the videos' durations, for each item.
 */
async function bench(title: string, all: Case[]): Promise<IDataObject[]> {
	const figures: Record<string, IDataObject> = {};
	for (const each of all) figures[each[0]] = await play(each);
	process.stdout.write(`${title}\n`);
	console.table(figures);
	return Object.values(figures);
}

jest.setTimeout(120_000);

test.each([
	['5 rows of one project, with the default options', KINDS],
	['Executions at the same time, with videos of 20 to 24 s', DAYS],
])('Every item gets its own video: %s', async (title, all) => {
	for (const each of await bench(title, all)) {
		expect(each).toMatchObject({ 'own video': each.items, 'wrong video': 0 });
		expect(each['seconds beyond']).toBeLessThanOrEqual(14);
	}
});

test.each([
	[8, 3.5],
	[20, 5],
])(
	'%d rows are made as fast as the service allows: in %d times their longest where it tells',
	async (rows, most) => {
		const title = `${rows} rows of one project, with videos of 20 to 24 s, of which the service tells`;
		for (const [index, each] of (await bench(title, listTelling(rows))).entries()) {
			expect(each['wrong video']).toBe(0);
			if (index < 4) expect(each['own video']).toBe(rows);
			if (index < 3) expect(each['times the longest']).toBeLessThanOrEqual(most);
			// As many are under way when the service stops telling.
			expect(rows - Number(each['own video'])).toBeLessThanOrEqual(10);
		}
	},
);
