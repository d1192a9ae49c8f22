import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { SettingsChange } from '../../sandbox/domain/settings';
import { getOwnVideoId, planVideos } from '../support/engine/planVideos';
import type { Beginning, Ending } from '../support/engine/playTogether';
import { playTogether } from '../support/engine/playTogether';
import { runNode } from '../support/engine/runNode';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox({ rateLimit: { max: 100, windowMs: 900_000 } });

/** The kinds of service: how long it needs for a video, how many it makes at once, and when it lists them. */
const KINDS: Record<string, { seconds: number; maxAtOnce?: number; logDelayMs?: number }> = {
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

/** How many times as long as its longest video a batch of so many rows may take where the service tells. */
const MOST_ROUNDS = { 8: 5.5, 20: 7 } as const;

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

const PROJECT = 'project-product-teaser';

/** Each case has a service of its own: a process remembers which services tell. */
let cases = 0;

/** Runs a batch with the default options. */
function begin([afterSeconds, rows, project = PROJECT]: Start): Beginning<INodeExecutionData[]> {
	const parameters = {
		...{ resource: 'video', operation: 'generate', downloadVideo: false },
		projectId: { __rl: true, mode: 'id', value: project },
		customPrompt: '={{ $json.prompt }}',
	};
	const items = Array.from({ length: rows }, (_, row) => ({ prompt: `Film ${row}` }));
	const start = async () => {
		const { credentials } = service.setup(parameters);
		const baseUrl = `${credentials.baseUrl}/${cases}`;
		const { error, items: outputs } = await runNode({
			parameters,
			credentials: { ...credentials, baseUrl },
			items,
		});
		if (error) throw error;
		return outputs;
	};
	return { afterMs: afterSeconds * 1_000, start };
}

/** Plays executions. Not all of their videos end just before a progress check. */
async function play(
	starts: Start[],
	{ seconds, maxAtOnce, logDelayMs = 0 }: (typeof KINDS)[string],
	telling: SettingsChange = {},
): Promise<IDataObject> {
	const { sandbox } = service;
	cases += 1;
	sandbox.reset();
	sandbox.configure({ maxAtOnce: maxAtOnce ?? null, durations: { logDelayMs } });
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
			const { video } = json as { video?: { id: string } | null };
			const own = getOwnVideoId(sandbox, json) ?? '';
			if (video) return video.id === own;
			return typeof json.videoUrl === 'string' ? json.videoUrl.includes(own) : undefined;
		}),
	);
	const count = (operation: string) =>
		sandbox.requests.filter((request) => request.operation === operation).length;
	const firstAt = Math.min(...endings.map(({ startedAt }) => startedAt));
	const lastAt = Math.max(...endings.map(({ endedAt }) => endedAt));
	const madeMs = durations.reduce((sum, each) => sum + each, 0) / projects;
	const beyondMs = (lastAt - firstAt - madeMs) / (durations.length / projects);
	return {
		items: durations.length,
		'own video': isOwn.filter((each) => each === true).length,
		'wrong video': isOwn.filter((each) => each === false).length,
		'seconds beyond': Math.round(beyondMs / 100) / 10,
		'times the longest': Math.round(((lastAt - firstAt) / Math.max(...durations)) * 10) / 10,
		'progress checks': count('queue.getProgress'),
		'reads of the list': count('video.getAll'),
	};
}

/**
 * Time passes only when nothing else is left to do, so that the figures are the same on every machine.
 * "Seconds beyond" is the time beyond the sum of the videos' durations, for each item.
 */
async function bench(
	title: string,
	rows: [string, () => Promise<IDataObject>][],
): Promise<Record<string, IDataObject>> {
	const figures: Record<string, IDataObject> = {};
	for (const [name, measureCase] of rows) figures[name] = await measureCase();
	process.stdout.write(`${title}\n`);
	console.table(figures);
	return figures;
}

function expectOwn(figures: Record<string, IDataObject>): void {
	for (const each of Object.values(figures)) {
		expect(each).toMatchObject({ 'own video': each.items, 'wrong video': 0 });
		expect(each['seconds beyond']).toBeLessThanOrEqual(16);
	}
}

test('Every row of a batch gets its own video', async () => {
	expectOwn(
		await bench(
			'5 rows of one project, with the default options',
			Object.entries(KINDS).map(([name, kind]) => [name, async () => await play([[0, 5]], kind)]),
		),
	);
}, 120_000);

test('Every item of executions at the same time gets its own video', async () => {
	expectOwn(
		await bench(
			'Executions at the same time, with videos of 20 to 24 s',
			Object.entries(DAYS).map(([name, day]) => [
				name,
				async () => await play(day, { seconds: 20 }),
			]),
		),
	);
}, 120_000);

test.each([8, 20] as const)(
	'%d rows are made as fast as the service allows',
	async (rows) => {
		const figures = await bench(
			`${rows} rows of one project, with videos of 20 to 24 s, of which the service tells`,
			Object.entries(TELLING).map(([name, telling]) => [
				name,
				async () => await play([[0, rows]], { seconds: 20 }, telling),
			]),
		);
		for (const [index, each] of Object.values(figures).entries()) {
			expect(each['wrong video']).toBe(0);
			if (index < 4) expect(each['own video']).toBe(rows);
			if (index < 3) expect(each['times the longest']).toBeLessThanOrEqual(MOST_ROUNDS[rows]);
			// A run makes one video more at once with each that it is told.
			expect(rows - Number(each['own video'])).toBeLessThanOrEqual(5);
		}
	},
	120_000,
);
