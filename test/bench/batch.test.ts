import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
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

/** Runs a batch with the default options. */
function begin([afterSeconds, rows, project = PROJECT]: Start): Beginning<INodeExecutionData[]> {
	const parameters = {
		...{ resource: 'video', operation: 'generate', downloadVideo: false },
		projectId: { __rl: true, mode: 'id', value: project },
		customPrompt: '={{ $json.prompt }}',
	};
	const items = Array.from({ length: rows }, (_, row) => ({ prompt: `Film ${row}` }));
	const start = async () => {
		const { error, items: outputs } = await runNode({ ...service.setup(parameters), items });
		if (error) throw error;
		return outputs;
	};
	return { afterMs: afterSeconds * 1_000, start };
}

/** Plays executions. Not all of their videos end just before a progress check. */
async function play(
	starts: Start[],
	{ seconds, maxAtOnce, logDelayMs = 0 }: (typeof KINDS)[string],
): Promise<IDataObject> {
	const { sandbox } = service;
	sandbox.reset();
	sandbox.configure({ maxAtOnce: maxAtOnce ?? null, durations: { logDelayMs } });
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
			return video ? video.id === getOwnVideoId(sandbox, json) : undefined;
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
		'progress checks': count('queue.getProgress'),
		'reads of the list': count('video.getAll'),
	};
}

/**
 * Time passes only when nothing else is left to do, so that the figures are the same on every machine.
 * "Seconds beyond" is the time beyond the sum of the videos' durations, for each item.
 */
async function bench(title: string, cases: [string, () => Promise<IDataObject>][]): Promise<void> {
	const figures: Record<string, IDataObject> = {};
	for (const [name, measureCase] of cases) figures[name] = await measureCase();
	process.stdout.write(`${title}\n`);
	console.table(figures);
	for (const each of Object.values(figures)) {
		expect(each).toMatchObject({ 'own video': each.items, 'wrong video': 0 });
		expect(each['seconds beyond']).toBeLessThanOrEqual(15);
	}
}

test('Every row of a batch gets its own video', async () => {
	await bench(
		'5 rows of one project, with the default options',
		Object.entries(KINDS).map(([name, kind]) => [name, async () => await play([[0, 5]], kind)]),
	);
}, 120_000);

test('Every item of executions at the same time gets its own video', async () => {
	await bench(
		'Executions at the same time, with videos of 20 to 24 s',
		Object.entries(DAYS).map(([name, day]) => [name, async () => await play(day, { seconds: 20 })]),
	);
}, 120_000);
