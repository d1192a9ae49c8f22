import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { OPERATIONS, PROJECT } from '../support/engine/OPERATIONS';
import { runNode } from '../support/engine/runNode';
import { runTools } from '../support/engine/runTools';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();
const CONTINUE = { onError: 'continueErrorOutput' } as const;

const getOperations = () => service.sandbox.requests.map(({ operation }) => operation);
const countAdds = () => getOperations().filter((name) => name === 'queue.add').length;
const makeItems = (count: number) => Array.from({ length: count }, () => ({}));

async function add(
	options: IDataObject,
	items: IDataObject[] = [{}],
	settings: Partial<INode> = {},
) {
	const parameters = { ...OPERATIONS['queue.add'], options } as INodeParameters;
	return await service.run(parameters, { items, settings });
}

beforeEach(() => {
	service.sandbox.setCredits('main', 10);
});

describe('Credits to Keep', () => {
	test('queues nothing when a run would leave fewer, with the node set to stop', async () => {
		const { items, error } = await add({ creditsToKeep: 0 }, makeItems(50));
		expect(items).toEqual([]);
		expect(error?.message).toBe('There are not enough credits to queue this video');
		expect(error?.description).toContain(
			'The account has 10 credits. The 50 videos in this run cost 50',
		);
		expect(getOperations()).toEqual(['account.get']);
	});

	test('queues exactly those that fit with an error output, and says why of the others', async () => {
		const { items, errorItems } = await add({ creditsToKeep: 3 }, makeItems(50), CONTINUE);
		expect(items).toHaveLength(7);
		expect(errorItems).toHaveLength(43);
		expect(errorItems[0]?.json).toMatchObject({
			error: 'There are not enough credits to queue this video',
			details: { remainingCredits: 10, mayBeQueued: false },
			message: expect.stringMatching(/'Credits to Keep' is 3\. Nothing was queued/) as string,
		});
		expect(getOperations().filter((name) => name === 'account.get')).toHaveLength(1);
		expect(countAdds()).toBe(7);
	});

	test('counts what a video costs', async () => {
		const options = { creditsToKeep: '1', creditsPerVideo: '2' };
		const { items } = await add(options, makeItems(6), CONTINUE);
		expect(items).toHaveLength(4);
	});

	test('lets a run through that leaves as many as are to be kept', async () => {
		const { items, error } = await add({ creditsToKeep: 5 }, makeItems(5));
		expect(error).toBeUndefined();
		expect(items).toHaveLength(5);
	});

	test('queues nothing when the account cannot be read, and says so in one sentence', async () => {
		service.sandbox.addFault({ kind: 'status', status: 500, operation: 'account.get' });
		const options = { creditsToKeep: 0, maxTries: 1 };
		const { errorItems } = await add(options, makeItems(3), CONTINUE);
		expect(errorItems).toHaveLength(3);
		expect(errorItems[0]?.json).toMatchObject({
			error: "The account's credits could not be read, so nothing was queued",
			details: { httpCode: '500', mayBeQueued: false },
		});
		expect(countAdds()).toBe(0);
	});

	test('queues nothing when the account does not tell its credits', async () => {
		const body = { status: 'success', usage: {} };
		service.sandbox.addFault({ kind: 'status', status: 200, body, operation: 'account.get' });
		const { error } = await add({ creditsToKeep: 0 });
		expect(error?.description).toContain("has no 'usage.remainingCredits'");
		expect(countAdds()).toBe(0);
	});

	test.each([[{}], [{ creditsPerVideo: 5 }]])(
		'is off with %j: the account is not read',
		async (options) => {
			const { items } = await add(options, makeItems(2));
			expect(items).toHaveLength(2);
			expect(getOperations()).toEqual(['queue.add', 'queue.add']);
		},
	);

	test.each([
		[{ creditsToKeep: '' }, "'Credits to Keep' is empty"],
		[{ creditsToKeep: null }, "'Credits to Keep' is empty"],
		[{ creditsToKeep: '={{ $json.misspelt }}' }, "'Credits to Keep' is empty"],
		[{ creditsToKeep: -1 }, "'Credits to Keep' must be a number of 0 or more"],
		[{ creditsToKeep: '={{ 1 / 0 }}' }, "'Credits to Keep' must be a number of 0 or more"],
		[{ creditsToKeep: '={{ NaN }}' }, "'Credits to Keep' must be a number of 0 or more"],
		[{ creditsToKeep: 'many' }, "'Credits to Keep' must be a number of 0 or more"],
		[{ creditsToKeep: true }, "'Credits to Keep' must be a number of 0 or more"],
		[{ creditsPerVideo: '={{ [1] }}' }, "'Credits per Video' must be a number above 0"],
		[{ creditsPerVideo: 0 }, "'Credits per Video' must be a number above 0"],
		[{ creditsToKeep: 1, creditsPerVideo: '' }, "'Credits per Video' is empty"],
	])('refuses %j before anything is sent', async (options, message) => {
		const { error } = await add(options, makeItems(4));
		expect(error?.message).toBe(message);
		expect(service.sandbox.requests).toEqual([]);
	});

	test('is not weakened by a row without a value: that row fails, and the others are guarded', async () => {
		service.sandbox.setCredits('main', 10);
		const items = [{ keep: 8 }, {}, { keep: 8 }, { keep: 8 }];
		const { items: added, errorItems } = await add({ creditsToKeep: '={{ $json.keep }}' }, items, {
			onError: 'continueErrorOutput',
		});
		expect(added).toHaveLength(2);
		expect(errorItems.map(({ json }) => json.error)).toEqual([
			"'Credits to Keep' is empty",
			'There are not enough credits to queue this video',
		]);
	});

	test('counts nothing twice that an earlier try has queued', async () => {
		service.sandbox.addFault({ kind: 'status', status: 400, operation: 'queue.add', nth: 3 });
		const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 };
		const { items, error } = await add({ creditsToKeep: 7 }, makeItems(3), settings);
		expect(error).toBeUndefined();
		expect(items).toHaveLength(3);
		expect(service.sandbox.charges).toHaveLength(3);
	});

	test('is counted for each account alone', async () => {
		const { main, other } = service.sandbox.accounts;
		service.sandbox.setCredits('other', 1);
		service.sandbox.addProjects('other', [{ id: 'theirs' }]);
		const ours = { key: main.apiKey, project: PROJECT };
		const theirs = { key: other.apiKey, project: 'theirs' };
		const { items, errorItems } = await runNode({
			parameters: {
				...OPERATIONS['queue.add'],
				projectId: { __rl: true, mode: 'id', value: '={{ $json.project }}' },
				options: { creditsToKeep: 0 },
			},
			items: [theirs, ours, theirs],
			settings: CONTINUE,
			credentials: { baseUrl: service.sandbox.url, apiKey: '={{ $json.key }}' },
		});
		expect(items).toHaveLength(2);
		expect(errorItems.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 2 }]);
	});
});

test.each([false, true])(
	'An agent with 100 calls is stopped at the credits to keep (as steps: %s)',
	async (asSteps) => {
		const calls = Array.from({ length: 100 }, (_, index) => [{ prompt: `Film ${index}` }]);
		const { parameters, credentials } = service.setup({
			...OPERATIONS['queue.add'],
			customPrompt: "={{ $fromAI('prompt', 'the prompt', 'string') }}",
			options: { creditsToKeep: 4 },
		});
		const settings = { onError: 'continueRegularOutput' } as const;
		const answers = await runTools({ parameters, credentials, calls, settings, asSteps });
		expect(countAdds()).toBe(6);
		expect(answers).toHaveLength(100);
		expect(answers.at(-1)).toContain('There are not enough credits to queue this video');
	},
);
