import { stringify } from 'flatted';
import type { INodeParameters, IRun } from 'n8n-workflow';
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
const credentials = () => ({ baseUrl: service.sandbox.url, apiKey: service.sandbox.apiKey });

function sentPrompts() {
	return service.sandbox.requests.map(
		({ body }) => (body as { customPrompt?: string }).customPrompt,
	);
}

describe('As a tool of an agent', () => {
	test('the node makes a second video for an agent that asks for it while the first one is waited for', async () => {
		const answers = await runWithoutWaiting(
			() =>
				runTools({
					parameters: GENERATE_FILE,
					credentials: credentials(),
					calls: [[call('a'), call('a')]],
					beforeLaterCalls: async () => {
						await service.sandbox.waitForRequests({
							count: 1,
							operation: 'queue.getProgress',
							timeoutMs: 100_000,
						});
					},
				}),
			service.sandbox,
		);
		expect(service.sandbox.readState().queue).toHaveLength(2);
		const queueIds = answers.map(
			(answer) => (JSON.parse(answer) as { queueId: string }[])[0]?.queueId,
		);
		expect(new Set(queueIds).size).toBe(2);
	});

	test.each([false, true])(
		'the node tells it of no retry, which n8n does not offer to agents (in steps: %s)',
		async (asSteps) => {
			service.sandbox.addFault({ kind: 'status', status: 403, operation: 'queue.getProgress' });
			const parameters = GENERATE_FILE;
			const setup = { parameters, credentials: credentials(), calls: [[call('a')]], asSteps };
			const [answer] = await runWithoutWaiting(async () => await runTools(setup), service.sandbox);
			expect(answer).toMatch(/does not allow this/);
			expect(answer).not.toMatch(/retry/i);
		},
	);
});

describe('As a tool of an agent that has n8n run it', () => {
	const runSteps = async (calls: object[][], settings = {}) =>
		await runTools({
			parameters: ADD,
			credentials: credentials(),
			calls,
			asSteps: true,
			settings,
		});

	test('the node tells the model the ID of a video that it has given up waiting for', async () => {
		service.sandbox.configure({ durations: { processingMs: 40_000 } });
		const [answer = ''] = await runWithoutWaiting(
			() =>
				runTools({
					parameters: { ...GENERATE_FILE, waitOptions: { timeout: 30 } },
					credentials: credentials(),
					calls: [[call('a')]],
					asSteps: true,
				}),
			service.sandbox,
		);
		const [item] = service.sandbox.readState().queue;
		expect(answer).toContain('not finished within 30 seconds');
		expect(answer).toContain(`do not queue it again: ${item?.queueId}`);
	});

	test('the node hands the model data when it is set to continue on an error', async () => {
		service.sandbox.setCredits('main', 0);
		const [answer = ''] = await runSteps([[call('a')]], { onError: 'continueRegularOutput' });
		expect(JSON.parse(answer)).toMatchObject([
			{
				error: expect.stringContaining('not enough credits') as string,
				message: expect.stringContaining('0 credits left') as string,
				details: { httpCode: '402', remainingCredits: 0 },
			},
		]);
	});

	test('the node queues nothing in the old execution order, where the model reads no answer, and still reads', async () => {
		const runOld = async (parameters: INodeParameters) => {
			const kept: string[] = [];
			const inspect = ({ data }: IRun) => kept.push(stringify(data));
			const setup = { parameters, credentials: credentials(), calls: [[call('a')]], inspect };
			expect(await runTools({ ...setup, asSteps: true, executionOrder: 'v0' })).toEqual(['[]']);
			return kept.join();
		};
		expect(await runOld(ADD)).toMatch(
			/old execution order.*set 'Execution Order' to 'v1 \(recommended\)'.*no credit was spent/s,
		);
		expect(service.sandbox.requests).toEqual([]);
		expect(await runOld(OPERATIONS['account.get'])).toContain('remainingCredits');
	});

	test('the node ends the execution on an error when it is set to', async () => {
		service.sandbox.setCredits('main', 0);
		await expect(runSteps([[call('a')]], { onError: 'stopWorkflow' })).rejects.toMatchObject({
			message: expect.stringContaining('not enough credits') as string,
		});
	});
});

describe.each([
	['calls the tool itself', false],
	['has n8n run it', true],
])('As a tool of an agent that %s', (_how, asSteps) => {
	const runCalls = async (calls: object[][], more = {}) =>
		await runWithoutWaiting(() =>
			runTools({
				...{ parameters: ADD, calls, asSteps },
				credentials: { ...credentials(), ...more },
			}),
		);

	test('the node tells the model what happened and what to do', async () => {
		service.sandbox.setCredits('main', 0);
		const [answer = ''] = await runCalls([[call('a')]]);
		expect(JSON.parse(answer)).toEqual([
			{
				error: expect.stringMatching(
					/not enough credits.*The account has 0 credits left.*This video was not queued/s,
				) as string,
			},
		]);
	});

	testWith(
		'ownCalls',
		'the node works with a credential that HTTP Request may not use',
		async () => {
			const [answer = ''] = await runCalls([[call('a')]], { allowedHttpRequestDomains: 'none' });
			expect(answer).toContain(service.sandbox.charges[0]?.queueId);
		},
	);

	test('the node tells the model where its video is, and downloads nothing', async () => {
		const parameters = GENERATE_FILE;
		const setup = { parameters, credentials: credentials(), calls: [[call('a')]], asSteps };
		const [answer = ''] = await runWithoutWaiting(
			async () => await runTools(setup),
			service.sandbox,
		);
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
		const answers = await runCalls([[a], [a, a, a], [b], [b], [c], [a], [c]]);
		expect(sentPrompts()).toEqual(['a', 'b', 'b', 'c']);
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
describe('With an expression for Resource or Operation', () => {
	test.each([{ resource: '={{ "queue" }}' }, { operation: '={{ "add" }}' }])(
		'the node is refused before any request: %j',
		async (parameters) => {
			const items = [{ prompt: 'a' }, { prompt: 'b' }];
			for (const each of [items, items.slice(1)]) {
				const { error } = await service.run(
					{ ...OPERATIONS['queue.add'], ...parameters },
					{ items: each },
				);
				expect(error?.message).toBe("'Resource' and 'Operation' cannot be expressions here");
			}
			expect(service.sandbox.requests).toEqual([]);
		},
	);
});
