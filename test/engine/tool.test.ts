import { runTools } from '../support/engine/runTools';
import { PROJECT } from '../support/engine/OPERATIONS';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();
const ADD = {
	resource: 'queue',
	operation: 'add',
	projectId: {
		__rl: true,
		mode: 'id',
		value: "={{ $fromAI('project', 'the project', 'string') }}",
	},
	customPrompt: "={{ $fromAI('prompt', 'the prompt', 'string') }}",
};
const call = (prompt: string) => ({ project: PROJECT, prompt });
const credentials = () => ({ baseUrl: service.sandbox.url, apiKey: service.sandbox.apiKey });

function sentPrompts() {
	return service.sandbox.requests.map(
		({ body }) => (body as { customPrompt?: string }).customPrompt,
	);
}

describe('As a tool of an agent', () => {
	test('the node queues one video for each call, also for two calls that are alike', async () => {
		const answers = await runTools({
			parameters: ADD,
			credentials: credentials(),
			calls: [[call('a')], [call('a')], [call('b')]],
		});
		expect(sentPrompts()).toEqual(['a', 'a', 'b']);
		expect(
			new Set(answers.map((answer) => (JSON.parse(answer) as { queueId: string }[])[0]?.queueId))
				.size,
		).toBe(3);
	});

	test('the node keeps calls that run at the same time apart', async () => {
		const answers = await runTools({
			parameters: ADD,
			credentials: credentials(),
			calls: [[call('a'), call('b'), call('c')]],
		});
		expect(sentPrompts().sort()).toEqual(['a', 'b', 'c']);
		expect(answers).toHaveLength(3);
	});

	test('the node pays once for a call that Retry On Fail repeats', async () => {
		service.sandbox.addFault({ kind: 'status', status: 400, nth: 1 });
		await runWithoutWaiting(() =>
			runTools({
				parameters: ADD,
				credentials: credentials(),
				calls: [[call('a')]],
				settings: { retryOnFail: true, maxTries: 2 },
			}),
		);
		expect(sentPrompts()).toEqual(['a', 'a']);
		expect(service.sandbox.readState().queue).toHaveLength(1);
	});

	test('the node answers a failure with what happened and what to do', async () => {
		service.sandbox.setCredits('main', 0);
		const [answer] = await runTools({
			parameters: ADD,
			credentials: credentials(),
			calls: [[call('a')]],
		});
		expect(answer).toMatch(/not enough credits.*Details: The account has 0 credits left/s);
	});
});
