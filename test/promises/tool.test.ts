import { stringify } from 'flatted';
import type { INodeParameters, IRun } from 'n8n-workflow';
import { EACH_WAY, runTools, type ToolSetup } from '../support/engine/runTools';
import { DeduplicationStore } from '../support/n8nServer/DeduplicationStore';
import { byId, DOWNLOAD, GENERATE, OPERATIONS, PROJECT } from '../support/engine/OPERATIONS';
import { passTime, runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { testWith } from '../support/engine/testWith';
import { useBinaryStore } from '../support/engine/useBinaryStore';
import { useSandbox } from '../support/engine/useSandbox';
import { like } from '../support/like';

const service = useSandbox();
const { listPaid } = service;
const store = useBinaryStore();
const FROM_MODEL = {
	projectId: byId("={{ $fromAI('project', 'the project', 'string') }}"),
	customPrompt: "={{ $fromAI('prompt', 'the prompt', 'string') }}",
};
const ADD = { ...OPERATIONS['queue.add'], ...FROM_MODEL };
/** The file is wanted, as it is by default. */
const GENERATE_FILE = { ...GENERATE, ...FROM_MODEL, downloadVideo: true };
const call = (prompt: string) => ({ project: PROJECT, prompt });

/** Has an agent call the node, once by default. @returns what its model reads */
const ask = async (parameters: INodeParameters, setup: Partial<ToolSetup> = {}) =>
	await runWithoutWaiting(
		async () => await runTools({ ...service.setup(parameters), calls: [[call('a')]], ...setup }),
		service.sandbox,
	);

/** The model is told that the service may have queued a video, and to leave it at that. */
const MAY_BE_QUEUED =
	/, so the video may have been queued\..*Do not order it again, not in other words either/s;

/** Has the service accept the first add of this prompt and break the connection before it answers. */
function loseAdd(containing = 'lost'): void {
	const operation = 'queue.add';
	service.sandbox.addFault({ kind: 'reset', phase: 'after', operation, containing, times: 1 });
}

// The node remembers unknown fates for an hour.
beforeEach(() => {
	passTime(3_600_000);
});

test('A second video is made for an agent that asks for it while the first one is waited for', async () => {
	const answers = await ask(GENERATE_FILE, { calls: [[call('a'), call('a')]] });
	const queueIds = answers.map(
		(answer) => (JSON.parse(answer) as { queueId: string }[])[0]?.queueId,
	);
	expect(queueIds.sort()).toEqual(service.listPaidIds().sort());
	expect(new Set(queueIds).size).toBe(2);
});

describe('As a step of an agent that has n8n run it', () => {
	const way = 'steps';

	test('the node hands the model data when it is set to continue on an error, and ends the execution when it is set to', async () => {
		service.sandbox.setCredits('main', 0);
		const goOn = { onError: 'continueRegularOutput' } as const;
		const [answer = ''] = await ask(ADD, { way, settings: goOn });
		expect(JSON.parse(answer)).toMatchObject([
			{
				error: like(/not enough credits[^.]*$/),
				message: like(/^This video was not queued/),
				details: { httpCode: '402' },
			},
		]);
		const stop = { onError: 'stopWorkflow' } as const;
		await expect(ask(ADD, { way, settings: stop })).rejects.toMatchObject({
			message: like(/not enough credits/),
		});
	});

	test('the node queues nothing in the old execution order, where the model reads no answer, and still reads', async () => {
		const runOld = async (parameters: INodeParameters) => {
			const kept: string[] = [];
			const inspect = ({ data }: IRun) => kept.push(stringify(data));
			const setup = { way, executionOrder: 'v0', inspect } as const;
			expect(await ask(parameters, setup)).toEqual(['[]']);
			return kept.join();
		};
		expect(await runOld(ADD)).toMatch(
			/old execution order.*set 'Execution Order' to 'v1 \(recommended\)'.*no credit was spent/s,
		);
		expect(service.sandbox.requests).toEqual([]);
		expect(await runOld(OPERATIONS['account.get'])).toContain('remainingCredits');
	});
});

describe.each(EACH_WAY)('As a tool of %s', (_name, way) => {
	test('the node tells the model what happened, what to do, and that nothing was queued', async () => {
		service.sandbox.setCredits('main', 0);
		const [answer = ''] = await ask(ADD, { way });
		const error = like(
			/not enough credits.*This video was not queued.*Add credits.*The service said/s,
		);
		expect(JSON.parse(answer)).toEqual([{ error }]);
	});

	test.each(['continueRegularOutput', 'stopWorkflow'] as const)(
		'the node tells it of no retry, which n8n does not offer to agents: %s',
		async (onError) => {
			service.sandbox.addFault({ kind: 'status', status: 403, operation: 'queue.getProgress' });
			const [answer] = await ask(GENERATE_FILE, { way, settings: { onError } }).catch(
				(error: unknown) => [(error as Error).message],
			);
			expect(answer).toMatch(/does not allow this.*queued and paid for/s);
			expect(answer).not.toMatch(/retry/i);
		},
	);

	testWith(
		'ownCalls',
		'the node works with a credential that HTTP Request may not use',
		async () => {
			const own = service.setup({}).credentials;
			const credentials = { ...own, allowedHttpRequestDomains: 'none' } as const;
			const [answer] = await ask(ADD, { way, credentials });
			expect(answer).toContain(service.sandbox.charges[0]?.queueId);
		},
	);

	test('the node tells the model where its video is, and downloads nothing', async () => {
		const [answer = ''] = await ask(GENERATE_FILE, { way });
		const [{ videoId } = { videoId: '' }] = service.sandbox.charges;
		const videoUrl = `${service.sandbox.url}/files/${videoId}.mp4`;
		expect(JSON.parse(answer)).toMatchObject([{ status: 'completed', videoUrl }]);
		const [refused] = await ask({ ...DOWNLOAD, video: videoUrl }, { way });
		expect(refused).toMatch(/can't use Video > Download.*'url'/s);
		expect(service.listSent()).not.toContain('video.file');
		expect(store.listFiles()).toEqual([]);
	});

	test('the node tells the model the queue ID of a video that it has given up waiting for, or that has failed', async () => {
		const { sandbox } = service;
		const parameters = { ...GENERATE_FILE, waitOptions: { timeout: 30 } };
		sandbox.addProjects('main', [
			{ id: 'slow', durations: { processingMs: 40_000 } },
			{ id: 'broken', fails: true },
		]);
		const calls = ['slow', 'broken'].map((project) => [{ project, prompt: 'a' }]);
		const answers = await ask(parameters, { way, calls });
		expect(answers[0]).toContain('not finished within 30 seconds');
		expect(answers[1]).toContain('could not be generated');
		for (const [index, { queueId }] of sandbox.charges.entries()) {
			expect(answers[index]).toContain(queueId);
		}
	});

	test('the node tells the model no more than it can read, whatever the service names', async () => {
		const long = '<a href=x>Name</a> '.repeat(500);
		const projects = Array.from({ length: 200 }, (_, i) => ({ id: `project-${i}`, name: long }));
		const more = { extra: { deep: [long, long] }, list: Array(10_000).fill(1), [long]: 1 };
		const usage = { remainingCredits: 5, ...more };
		const body = { status: 'success', projects, usage, name: long, email: long, ...more };
		service.sandbox.addFault({ kind: 'status', status: 200, body });
		const all = { ...OPERATIONS['project.getAll'], returnAll: true };
		for (const parameters of [all, OPERATIONS['account.get']]) {
			const [answer = ''] = await ask(parameters, { way });
			expect(answer.length).toBeLessThan(100_000);
			expect(answer).not.toContain('href');
			expect(answer).toMatch(
				parameters === all ? /"project-0".*more were left out/ : /"remainingCredits":5/,
			);
		}
	});

	test('the node gives the model no video without its address', async () => {
		const query = '?X-Amz-Security-Token='.padEnd(1_500, 'A');
		const signed = Array.from({ length: 50 }, (_, i) => ({
			url: `https://cdn.test/${i}.mp4${query}`,
		}));
		service.sandbox.addVideos('main', signed);
		const [answer = ''] = await ask(OPERATIONS['video.getAll'], { way });
		const videos = (JSON.parse(answer) as { id?: string; url?: string }[]).filter(
			({ id }) => id !== undefined,
		);
		expect(videos.length).toBeGreaterThan(20);
		expect(videos.filter(({ url }) => url === undefined)).toEqual([]);
		expect(answer).toContain(`"${50 - videos.length} more were left out`);
	});

	test('the node survives orders of any length', async () => {
		const long = 'x'.repeat(1_000_000);
		const orders = [
			{ project: long, prompt: 'a' },
			{ project: PROJECT, prompt: long },
			{ project: '../clear', prompt: '' },
		];
		for (const order of orders) {
			const [answer = ''] = await ask(ADD, {
				way,
				calls: [[{ ...order, resource: 'account', operation: 'get', queueId: 'q' }]],
			});
			expect(answer.length).toBeLessThan(10_000);
		}
	});

	test('the node refuses an identical order after an unknown fate, and no other', async () => {
		loseAdd();
		const [a, b] = [call('lost'), call('other')];
		const [lost, ...answers] = await ask(ADD, { way, calls: [[a], [a, a, a], [b], [b], [a]] });
		expect(listPaid()).toEqual(['lost', 'other', 'other']);
		const refused = [lost, ...answers.splice(0, 3), ...answers.splice(2)];
		for (const answer of refused) expect(answer).toMatch(MAY_BE_QUEUED);
		expect(answers.join()).not.toMatch(MAY_BE_QUEUED);
	});

	test('the node pays for one of two guarded calls at once, if the credits are enough for one', async () => {
		service.sandbox.setCredits('main', 2);
		const guarded = { ...ADD, options: { creditsToKeep: 1 } };
		const answers = await ask(guarded, { way, calls: [[call('a'), call('b')]] });
		expect(answers.join()).toContain("'Credits to Keep' is 1");
		expect(listPaid()).toHaveLength(1);
	});

	test('the node says which agents have keys, unless it has them', async () => {
		new DeduplicationStore().use();
		const [answer = ''] = await ask({ ...ADD, options: { uniqueKey: 'row 1' } }, { way });
		const expected =
			way === 'steps' ? /pending/ : /cannot be used here.*AI Agent node from version 3 on/s;
		expect(answer).toMatch(expected);
	});
});

test.each([
	['is another order in the next execution of an AI Agent', ['tool', 'steps'], 2],
	[
		'is refused where n8n keeps nothing from one call to the next',
		['mcp', 'mcpWorker', 'agents'],
		1,
	],
] as const)('An order of unknown fate %s', async (_name, ways, paid) => {
	for (const way of ways) {
		service.sandbox.reset();
		passTime(3_600_000);
		loseAdd('a');
		await ask(ADD, { way });
		await ask(ADD, { way });
		expect(listPaid()).toHaveLength(paid);
	}
});

test('An order of unknown fate is refused at once, also while another video of its project is made', async () => {
	loseAdd();
	const ended: string[] = [];
	const order = async (prompt: string) => {
		const calls = [[call(prompt)]];
		await runTools({ ...service.setup(GENERATE_FILE), calls, way: 'agents' });
		ended.push(prompt);
	};
	await runWithoutWaiting(async () => {
		await order('lost');
		await Promise.all([order('other'), order('lost')]);
	}, service.sandbox);
	expect(ended).toEqual(['lost', 'lost', 'other']);
	expect(listPaid()).toEqual(['lost', 'other']);
});

/** n8n's own chat takes each part of a tool for an answer of its own; n8n itself keeps a silent answer open. */
test.each(['tool', 'steps'] as const)(
	'A tool adds nothing to an answer that is streamed: %s',
	async (way) => {
		service.planVideos(60);
		const chunks: string[] = [];
		const onChunk = (chunk: string) => {
			chunks.push(chunk);
		};
		await ask(GENERATE_FILE, { way, onChunk });
		expect(chunks).toEqual([]);
	},
);

// n8n does not evaluate these expressions for a declarative node: its own routing would send GET /
// with the key.
test.each([{ resource: '={{ "queue" }}' }, { operation: '={{ "add" }}' }])(
	'With an expression for Resource or Operation, the node is refused before any request: %j',
	async (parameters) => {
		for (const items of [[{}, {}], [{}]]) {
			const { error } = await service.run({ ...OPERATIONS['queue.add'], ...parameters }, { items });
			expect(error?.message).toBe("'Resource' and 'Operation' cannot be expressions here");
		}
		expect(service.sandbox.requests).toEqual([]);
	},
);
