import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type { IDataObject } from 'n8n-workflow';
import type { SettingsChange } from '../../sandbox/domain/settings';
import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import { OPERATIONS, PROJECT } from '../support/engine/OPERATIONS';
import { getOwnVideoId, planVideos } from '../support/engine/planVideos';
import type { Beginning, Ending } from '../support/engine/playTogether';
import { playTogether } from '../support/engine/playTogether';
import type { NodeResult, NodeSetup } from '../support/engine/runNode';
import { runNode, startNode } from '../support/engine/runNode';
import { interceptLookUps } from '../support/n8nServer/TestCredentialsHelper';
import { runTools } from '../support/engine/runTools';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();

const TOUR = 'project-city-tour';
const byId = (value: string) => ({ __rl: true, mode: 'id', value });
const GENERATE = {
	...{ resource: 'video', operation: 'generate', downloadVideo: false },
	projectId: byId(`={{ $json.project ?? '${PROJECT}' }}`),
	customPrompt: "={{ $json.prompt ?? 'A sunrise' }}",
};
const CONTINUE = { onError: 'continueErrorOutput' } as const;

/** Videos of several lengths, some of which end at nearly the same progress check. */
const SECONDS = [20, 31, 7, 24.5, 40, 3, 18, 22];

/** Kinds of service. */
const SERVICES: Record<string, { settings: SettingsChange; faults?: FaultSpec[] }> = {
	'an ordinary service': { settings: {} },
	'a service that lists videos 8 s late, and signs their addresses': {
		settings: { durations: { logDelayMs: 8_000 }, signedUrls: true },
	},
	'a service that lists videos 3 s early, makes one at a time, and has words of its own': {
		settings: { durations: { logDelayMs: -3_000 }, maxAtOnce: 1, numericQueueIds: true },
		faults: [
			{ kind: 'statusWord', word: 'In Progress', insteadOf: 'processing' },
			{ kind: 'statusWord', word: 'Done', insteadOf: 'completed' },
		],
	},
	'a service that makes three at a time, and whose finished items leave the queue': {
		settings: { maxAtOnce: 3, endedItemsLeaveAfterMs: 0, logWholeSeconds: true },
	},
};

interface Times {
	afterMs?: number;
	stopAfterMs?: number;
}

/** An execution that starts after a time, and maybe is stopped some time later. */
function begin(
	rows: IDataObject[],
	{ afterMs = 0, stopAfterMs, ...more }: Partial<NodeSetup> & Times = {},
): Beginning<NodeResult> {
	const start = async () => {
		const { result, stop } = await startNode({ ...service.setup(GENERATE), items: rows, ...more });
		if (stopAfterMs !== undefined) setTimeout(stop, stopAfterMs);
		return await result;
	};
	return { afterMs, start };
}

const play = async <T>(...executions: Beginning<T>[]) =>
	await playTogether(service.sandbox, executions);

const listItems = (endings: Ending<NodeResult>[]) => endings.flatMap(({ result }) => result.items);

const getId = ({ json }: { json: IDataObject }) =>
	(json.video as { id: string } | null | undefined)?.id;
const getOwnId = ({ json }: { json: IDataObject }) => getOwnVideoId(service.sandbox, json);

function expectOwnVideos(items: { json: IDataObject }[], count: number): void {
	expect(items.map(getId)).toEqual(items.map(getOwnId));
	expect(items).toHaveLength(count);
}

/** Nothing is left of a lane if a later execution begins at once. */
async function expectFreeLane(project = PROJECT): Promise<void> {
	const [last] = await play(begin([{ project }]));
	if (!last) throw new Error('Nothing was played');
	expectOwnVideos(last.result.items, 1);
	const queuedAt = service.sandbox.charges.at(-1)?.at ?? Infinity;
	expect(queuedAt - last.startedAt).toBeLessThan(1_000);
}

const getPrompts = () => service.sandbox.charges.map(({ customPrompt }) => customPrompt);

afterEach(() => {
	jest.restoreAllMocks();
});

describe.each(Object.entries(SERVICES))('With %s', (_, { settings, faults = [] }) => {
	beforeEach(() => {
		service.sandbox.configure(settings);
		for (const fault of faults) {
			service.sandbox.addFault({ ...fault, operation: 'queue.getProgress' });
		}
		planVideos(service.sandbox, ...SECONDS.map((each) => ({ processingMs: each * 1_000 })));
	});

	test('three forms that are sent a few seconds apart get their own videos', async () => {
		const endings = await play(
			begin([{}], { mode: 'trigger' }),
			begin([{}], { mode: 'trigger', afterMs: 4_000 }),
			begin([{}], { mode: 'trigger', afterMs: 9_000 }),
		);
		expectOwnVideos(listItems(endings), 3);
		await expectFreeLane();
	});

	test('five executions that start at the same moment get their own videos', async () => {
		const endings = await play(...Array.from({ length: 5 }, () => begin([{}])));
		expectOwnVideos(listItems(endings), 5);
		await expectFreeLane();
	});

	test('three webhooks that are called at the same moment get their own videos', async () => {
		const webhook = { mode: 'webhook' } as const;
		const endings = await play(
			begin([{}], webhook),
			begin([{}, {}], webhook),
			begin([{}], webhook),
		);
		expectOwnVideos(listItems(endings), 4);
		await expectFreeLane();
	});

	test.each([
		['that call the tool themselves', false],
		['whose calls n8n makes as steps', true],
	])(
		'a batch and the messages of two chats with agents %s get their own videos',
		async (__, asSteps) => {
			const { credentials, parameters } = service.setup({
				...GENERATE,
				projectId: byId(PROJECT),
				customPrompt: "={{ $fromAI('prompt', 'the prompt', 'string') }}",
			});
			const chat = (afterMs: number, ...prompts: string[]) => ({
				afterMs,
				start: async () => {
					const calls = [prompts.map((prompt) => ({ prompt }))];
					const answers = await runTools({ credentials, parameters, calls, asSteps });
					return answers.flatMap((answer) => JSON.parse(answer) as IDataObject[]);
				},
			});
			const batch = begin([{}, {}, {}]);
			const endings = await play(
				{ start: async () => (await batch.start()).items.map(({ json }) => json) },
				chat(6_000, 'sea', 'city'),
				chat(7_000, 'sea'),
			);
			const items = endings.flatMap(({ result }) => result).map((json) => ({ json }));
			expectOwnVideos(items, 6);
			await expectFreeLane();
		},
	);

	test('executions whose two credentials have the same key get their own videos', async () => {
		const { credentials } = service.setup(GENERATE);
		const typed = { ...credentials, baseUrl: ` ${credentials.baseUrl}/v1/` };
		const endings = await play(
			begin([{}, {}]),
			begin([{}, {}], { credentials: typed, afterMs: 3_000 }),
		);
		expectOwnVideos(listItems(endings), 4);
		await expectFreeLane();
	});

	test('an execution that is stopped while it waits sends nothing, and the others go on', async () => {
		const [, stopped, ...others] = await play(
			begin([{ prompt: 'first' }]),
			begin([{ prompt: 'stopped' }, { prompt: 'stopped' }], { stopAfterMs: 5_000 }),
			begin([{ prompt: 'last' }], { afterMs: 1_000 }),
		);
		expect(stopped?.result.run.status).toBe('canceled');
		expect((stopped?.endedAt ?? 0) - (stopped?.startedAt ?? 0)).toBeLessThan(6_000);
		expect(getPrompts()).toEqual(['first', 'last']);
		expectOwnVideos(listItems(others), 1);
		await expectFreeLane();
	});

	test('executions beside ones that fail get their own videos', async () => {
		service.sandbox.addFault({
			...{ kind: 'status', status: 403, operation: 'queue.add', containing: 'refused' },
		});
		const endings = await play(
			begin([{ prompt: 'refused' }, { prompt: 'never sent' }]),
			begin([{}, {}], { afterMs: 1_000 }),
			begin([{ prompt: 'refused' }, {}], { settings: CONTINUE, afterMs: 2_000 }),
		);
		expect(endings.map(({ result }) => result.run.status)).toEqual(['error', 'success', 'success']);
		expect(getPrompts()).not.toContain('never sent');
		expectOwnVideos(listItems(endings), 3);
		await expectFreeLane();
	});

	test('two projects are made side by side, no slower than one alone', async () => {
		const rows = [{}, {}, {}];
		const tour = rows.map(() => ({ project: TOUR }));
		planVideos(service.sandbox, ...SECONDS.map(() => ({ processingMs: 20_000 })));
		const [alone] = await play(begin(rows));
		service.sandbox.configure({ maxAtOnce: null });
		const endings = await play(begin(rows), begin(tour, { afterMs: 2_000 }));
		expectOwnVideos(listItems(endings), 6);
		const aloneMs = (alone?.endedAt ?? 0) - (alone?.startedAt ?? 0);
		for (const { startedAt, endedAt } of endings) {
			expect(endedAt - startedAt).toBeLessThan(aloneMs + 5_000);
		}
		await expectFreeLane(TOUR);
	});

	test('no item gets a wrong video where Queue > Add makes others of the project', async () => {
		const added = begin([{}], service.setup(OPERATIONS['queue.add']));
		const waited: Beginning<NodeResult> = {
			afterMs: 2_000,
			start: async () => {
				const { items } = await runNode(service.setup(OPERATIONS['queue.add']));
				const wait = {
					...{ resource: 'queue', operation: 'wait', downloadVideo: false },
					...{ queueId: '={{ $json.queueId }}', queuedAt: '={{ $json.createdAt }}' },
					projectId: byId(PROJECT),
				};
				return await runNode({ ...service.setup(wait), items: items.map(({ json }) => json) });
			},
		};
		const endings = await play(begin([{}, {}], { afterMs: 1_000 }), added, waited);
		const items = listItems(endings);
		const wrong = items.filter((item) => ![undefined, getOwnId(item)].includes(getId(item)));
		expect(items).toHaveLength(4);
		expect(wrong).toEqual([]);
		service.sandbox.clock.advance(60_000);
		await expectFreeLane();
	});

	test('a retry gets its own video after another execution has made one between its tries', async () => {
		service.sandbox.addFault({
			...{ kind: 'status', status: 403, operation: 'queue.add', containing: 'second', times: 1 },
		});
		const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 5_000 };
		const endings = await play(
			begin([{ prompt: 'first' }, { prompt: 'second' }], { settings }),
			begin([{ prompt: 'between' }], { afterMs: 10_000 }),
		);
		expect(getPrompts()).toEqual(['first', 'between', 'second']);
		expectOwnVideos(listItems(endings), 3);
		await expectFreeLane();
	});
});

test('A retry of an item that left the queue without a video is not given that of another execution', async () => {
	service.sandbox.configure({ endedItemsLeaveAfterMs: 0 });
	service.sandbox.changeProject(PROJECT, { fails: true });
	const stop = service.sandbox.onRequest(({ body }) => {
		const { customPrompt } = (body ?? {}) as IDataObject;
		if (customPrompt === 'other') service.sandbox.changeProject(PROJECT, { fails: false });
	});
	const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 5_000 };
	const [failed, other] = await play(begin([{}], { settings }), begin([{ prompt: 'other' }]));
	stop();
	expectOwnVideos(other?.result.items ?? [], 1);
	expect(failed?.result.items).toEqual([]);
	expect(failed?.result.error).toBeDefined();
	expect(getPrompts()).toHaveLength(2);
});

test('An item whose credential can only be read later is not given what was made until then', async () => {
	planVideos(service.sandbox, ...[5, 60, 20].map((each) => ({ processingMs: each * 1_000 })));
	jest.spyOn(Math, 'random').mockReturnValue(1);
	let lookUps = 0;
	interceptLookUps((found) => {
		lookUps += 1;
		// That of the batch's second item fails five times, for 31 seconds.
		if (lookUps > 2 && lookUps < 8) throw new Error('Connection terminated');
		return found;
	});
	const endings = await play(
		begin([{}]),
		begin([{ project: TOUR }, {}], {
			...service.setup({ ...GENERATE, options: { maxTries: 10 } }),
			afterMs: 1_000,
		}),
	);
	expect(lookUps).toBeGreaterThan(7);
	expectOwnVideos(listItems(endings), 3);
});

test('An item that leaves the queue unseen is not confused with a video whose address another execution was told', async () => {
	service.sandbox.configure({
		...{ videoUrlInDetails: true, endedItemsLeaveAfterMs: 4_000 },
		durations: { logDelayMs: 8_000 },
	});
	planVideos(service.sandbox, ...[5, 5, 1].map((each) => ({ processingMs: each * 1_000 })));
	const items = listItems(await play(begin([{}, {}]), begin([{}])));
	expect(items).toHaveLength(3);
	for (const item of items) expect(item.json.videoUrl).toContain(getOwnId(item));
});

test('Nothing of a lane is left after its last item, however the executions have ended', async () => {
	const lanes = new Set<Map<unknown, unknown>>();
	const { set } = Map.prototype;
	jest.spyOn(Map.prototype, 'set').mockImplementation(function (
		this: Map<unknown, unknown>,
		key: unknown,
		value: unknown,
	) {
		if (typeof (value as { enter?: unknown } | undefined)?.enter === 'function') lanes.add(this);
		return set.call(this, key, value);
	});
	service.sandbox.addFault({
		...{ kind: 'status', status: 403, operation: 'queue.add', containing: 'refused' },
	});
	await play(
		begin([{}, { project: TOUR }]),
		begin([{ prompt: 'refused' }, {}], { afterMs: 1_000 }),
		begin([{}, {}], { afterMs: 2_000, stopAfterMs: 5_000 }),
		begin([{}], { afterMs: 3_000 }),
	);
	expect([...lanes].map(({ size }) => size)).toEqual([0]);
});

test('A single item waits for at most two of a batch of fifty', async () => {
	planVideos(service.sandbox, ...Array.from({ length: 51 }, () => ({ processingMs: 12_000 })));
	const batch = Array.from({ length: 50 }, (_, row) => ({ prompt: `Film ${row}` }));
	const endings = await play(
		begin(batch, { settings: CONTINUE }),
		begin([{ prompt: 'single' }], { afterMs: 10_000 }),
	);
	expectOwnVideos(listItems(endings), 51);
	expect(getPrompts().indexOf('single')).toBe(2);
});

describe('An item that waits for other executions', () => {
	const getHints = ({ result }: Ending<NodeResult>) =>
		(result.run.data.resultData.runData['Video Generation']?.at(-1)?.hints ?? []).map(
			({ message }) => message,
		);

	test('is logged when it begins to wait, and the hint after its run says how long it has waited', async () => {
		const info = jest.spyOn(Container.get(Logger), 'info');
		planVideos(service.sandbox, ...SECONDS.map(() => ({ processingMs: 25_000 })));
		const endings = await play(
			...[0, 1_000, 2_000].map((afterMs) => begin([{}], { afterMs })),
			begin([{ project: TOUR }, { project: TOUR }, { project: TOUR }]),
		);
		const lines = info.mock.calls
			.map(([line]) => line)
			.filter((line) => line.includes('Waiting for other executions'));
		expect(lines).toHaveLength(2);
		for (const line of lines) expect(line).toContain(`"${PROJECT}"`);
		const [first, second, third, batch] = endings.map(getHints);
		expect([first, batch]).toEqual([[], []]);
		// The second one waited for one video, and the third one for two.
		const seconds = [second, third].map((hints) =>
			Number(/waited (\d+) seconds/.exec(hints?.[0] ?? '')?.[1]),
		);
		expect(seconds[0]).toBeGreaterThan(30);
		expect(seconds[1]).toBeGreaterThan(60);
	});

	test('for less than 30 seconds has no hint', async () => {
		planVideos(service.sandbox, { processingMs: 5_000 }, { processingMs: 5_000 });
		const endings = await play(begin([{}]), begin([{}]));
		expectOwnVideos(listItems(endings), 2);
		expect(endings.map(getHints)).toEqual([[], []]);
	});
});
