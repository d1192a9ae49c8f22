import type { IDataObject } from 'n8n-workflow';
import type { Plan } from '../engine/random/Session';
import { CALM, listOutputs, Session } from '../engine/random/Session';

/** The rows of one project that one run of the node makes, with the default options. */
const ROWS = Array.from({ length: 5 }, (_, index) => ({
	...{ account: 0, project: 'p0-0', prompt: `Film ${index}` },
}));

/** The kinds of service: how long it needs for a video, how many it makes at once, and when it lists them. */
const KINDS: Record<string, { seconds: number; maxAtOnce?: number; listedAfterSeconds?: number }> =
	{
		'5 s, side by side': { seconds: 5 },
		'20 s, side by side': { seconds: 20 },
		'20 s, one after the other': { seconds: 20, maxAtOnce: 1 },
		'20 s, three at a time': { seconds: 20, maxAtOnce: 3 },
		'2 minutes, side by side': { seconds: 120 },
		'20 s, listed 8 s late': { seconds: 20, listedAfterSeconds: 8 },
		'20 s, listed 3 s early': { seconds: 20, listedAfterSeconds: -3 },
	};

/**
 * The batches of the issue "every row its own video", in n8n's engine: time passes only when nothing else is
 * left to do, so that the figures are the same on every machine.
 */
test('Every row of a batch gets its own video, at most 13 s after its turn', async () => {
	const stage = await Session.open();
	const figures: Record<string, IDataObject> = {};
	for (const [name, { seconds, maxAtOnce = null, listedAfterSeconds = 0 }] of Object.entries(
		KINDS,
	)) {
		const durations = { pendingMs: 0, processingMs: seconds * 1_000, renderingMs: 0 };
		const session = await stage.play({
			...{ rows: ROWS, saved: {}, settings: {}, strangers: [], credits: 100 },
			// Not all of them end just before a progress check.
			lives: ROWS.map((_, row) => ({ processingMs: (seconds + row) * 1_000 })),
			presses: [{ ...CALM, how: 'run' }],
			service: {
				...{ maxAtOnce, rateLimit: { max: 100, windowMs: 900_000 }, endedItemsLeaveAfterMs: null },
				durations: { ...durations, logDelayMs: listedAfterSeconds * 1_000 },
			},
			parameters: {
				...{ resource: 'queue', operation: 'add', waitForCompletion: true },
				projectId: { __rl: true, mode: 'id', value: '={{ $json.project }}' },
				customPrompt: '={{ $json.prompt }}',
			},
		} satisfies Plan);
		figures[name] = measure(session, seconds);
	}
	await stage.close();
	process.stdout.write(`${ROWS.length} rows of one project, with the default options\n`);
	console.table(figures);
	for (const each of Object.values(figures)) {
		expect(each).toMatchObject({ 'own video': ROWS.length, 'wrong video': 0 });
		expect(each['seconds beyond']).toBeLessThanOrEqual(15);
	}
}, 120_000);

function measure({ played, sandbox }: Session, seconds: number): IDataObject {
	const [run] = played;
	if (!run) throw new Error('Nothing was played');
	const isOwn = listOutputs(run).map(({ json: { queueId, videoUrl } }) => {
		const { videoId = 'none' } = sandbox.charges.find((each) => each.queueId === queueId) ?? {};
		return typeof videoUrl === 'string' ? videoUrl.includes(videoId) : undefined;
	});
	const count = (operation: string) =>
		run.requests.filter((request) => request.operation === operation).length;
	const madeSeconds = ROWS.reduce((sum, _, row) => sum + seconds + row, 0);
	const beyond = (run.endedAt - run.startedAt) / 1_000 - madeSeconds;
	return {
		'own video': isOwn.filter((each) => each === true).length,
		'wrong video': isOwn.filter((each) => each === false).length,
		'seconds beyond': Math.round((beyond / ROWS.length) * 10) / 10,
		'progress checks': count('queue.getProgress'),
		'reads of the list': count('video.getAll'),
	};
}
