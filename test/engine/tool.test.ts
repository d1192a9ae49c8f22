import { stringify } from 'flatted';
import type { INodeParameters, IRun } from 'n8n-workflow';
import type { ToolSetup } from '../support/engine/runTools';
import { runTools } from '../support/engine/runTools';
import { byId, GENERATE, OPERATIONS, PROJECT } from '../support/engine/OPERATIONS';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { testWith } from '../support/engine/testWith';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();
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

test('A second video is made for an agent that asks for it while the first one is waited for', async () => {
	const answers = await ask(GENERATE_FILE, {
		calls: [[call('a'), call('a')]],
		beforeLaterCalls: async () => {
			const operation = 'queue.getProgress';
			await service.sandbox.waitForRequests({ count: 1, operation, timeoutMs: 100_000 });
		},
	});
	const queueIds = answers.map(
		(answer) => (JSON.parse(answer) as { queueId: string }[])[0]?.queueId,
	);
	expect(queueIds.sort()).toEqual(service.sandbox.charges.map(({ queueId }) => queueId).sort());
	expect(new Set(queueIds).size).toBe(2);
});

describe('As a tool of an agent that has n8n run it', () => {
	const asSteps = true;

	test('the node tells the model the ID of a video that it has given up waiting for', async () => {
		service.sandbox.configure({ durations: { processingMs: 40_000 } });
		const parameters = { ...GENERATE_FILE, waitOptions: { timeout: 30 } };
		const [answer] = await ask(parameters, { asSteps });
		expect(answer).toContain('not finished within 30 seconds');
		expect(answer).toContain(
			`do not queue it again: ${service.sandbox.readState().queue[0]?.queueId}`,
		);
	});

	test('the node hands the model data when it is set to continue on an error, and ends the execution when it is set to', async () => {
		service.sandbox.setCredits('main', 0);
		const [answer = ''] = await ask(ADD, {
			...{ asSteps, settings: { onError: 'continueRegularOutput' } },
		});
		expect(JSON.parse(answer)).toMatchObject([
			{
				error: expect.stringContaining('not enough credits') as string,
				message: expect.stringContaining('0 credits left') as string,
				details: { httpCode: '402', remainingCredits: 0 },
			},
		]);
		const settings = { onError: 'stopWorkflow' } as const;
		await expect(ask(ADD, { asSteps, settings })).rejects.toMatchObject({
			message: expect.stringContaining('not enough credits') as string,
		});
	});

	test('the node queues nothing in the old execution order, where the model reads no answer, and still reads', async () => {
		const runOld = async (parameters: INodeParameters) => {
			const kept: string[] = [];
			const inspect = ({ data }: IRun) => kept.push(stringify(data));
			const setup = { asSteps, executionOrder: 'v0', inspect } as const;
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

describe.each([
	['calls the tool itself', false],
	['has n8n run it', true],
])('As a tool of an agent that %s', (_how, asSteps) => {
	test('the node tells the model what happened and what to do', async () => {
		service.sandbox.setCredits('main', 0);
		const [answer = ''] = await ask(ADD, { asSteps });
		expect(JSON.parse(answer)).toEqual([
			{
				error: expect.stringMatching(
					/not enough credits.*The account has 0 credits left.*This video was not queued/s,
				) as string,
			},
		]);
	});

	test('the node tells it of no retry, which n8n does not offer to agents', async () => {
		service.sandbox.addFault({ kind: 'status', status: 403, operation: 'queue.getProgress' });
		const [answer] = await ask(GENERATE_FILE, { asSteps });
		expect(answer).toMatch(/does not allow this/);
		expect(answer).not.toMatch(/retry/i);
	});

	testWith(
		'ownCalls',
		'the node works with a credential that HTTP Request may not use',
		async () => {
			const { credentials } = service.setup(ADD);
			const [answer] = await ask(ADD, {
				...{ asSteps, credentials: { ...credentials, allowedHttpRequestDomains: 'none' } },
			});
			expect(answer).toContain(service.sandbox.charges[0]?.queueId);
		},
	);

	test('the node tells the model where its video is, and downloads nothing', async () => {
		const [answer = ''] = await ask(GENERATE_FILE, { asSteps });
		const [charge] = service.sandbox.charges;
		expect(JSON.parse(answer)).toMatchObject([
			{
				status: 'completed',
				videoUrl: expect.stringContaining(`${charge?.videoId}.mp4`) as string,
			},
		]);
		const operations = service.sandbox.requests.map(({ operation }) => operation);
		expect(operations).not.toContain('video.file');
	});

	test('the node refuses identical calls after an unknown fate, also several at once, and no other', async () => {
		for (const nth of [1, 4]) {
			service.sandbox.addFault({ kind: 'reset', phase: 'after', operation: 'queue.add', nth });
		}
		const [a, b, c] = ['a', 'b', 'c'].map(call) as [object, object, object];
		const calls = [[a], [a, a, a], [b], [b], [c], [a], [c]];
		const answers = await ask(ADD, { asSteps, calls });
		expect(service.sandbox.charges.map(({ customPrompt }) => customPrompt)).toEqual([
			...['a', 'b', 'b', 'c'],
		]);
		const [paid, refused] = [answers.splice(4, 2), answers];
		expect(paid.join()).not.toContain('may have been queued');
		expect(refused).toHaveLength(7);
		for (const answer of refused) {
			expect(answer).toMatch(/may have been queued and paid for\. Do not order it again/);
		}
	});
});

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
