import type {
	IDataObject,
	INodeListSearchResult,
	INodeParameters,
	INodePropertyOptions,
	NodeHint,
} from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';
import { TRIGGER_TYPE } from '../support/n8nServer/ActiveTrigger';
import { createLoadOptionsContext } from '../support/n8nServer/createLoadOptionsContext';
import { createNodeTypes } from '../support/n8nServer/createNodeTypes';
import { loadPackage } from '../support/engine/loadPackage';
import { byId, GENERATE, OPERATIONS } from '../support/engine/OPERATIONS';
import { planVideos } from '../support/engine/planVideos';
import { NODE_TYPE } from '../support/engine/runNode';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { testCredential } from '../support/n8nServer/testCredential';
import { testWith } from '../support/engine/testWith';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();

const NEWEST_FIRST = [
	{ name: 'Launch film (3 credits)', value: 'project-launch-film' },
	{ name: 'Product teaser', value: 'project-product-teaser' },
	{ name: 'Broken storyboard (always fails)', value: 'project-broken-storyboard' },
	{ name: 'City tour', value: 'project-city-tour' },
];

async function search(
	filter?: string,
	apiKey = service.sandbox.apiKey,
): Promise<INodeListSearchResult> {
	const { context, nodeTypes } = await createLoadOptionsContext({
		baseUrl: service.sandbox.url,
		apiKey,
	});
	const type = nodeTypes.getByNameAndVersion(NODE_TYPE);
	const searchProjects = type.methods?.listSearch?.searchProjects;
	if (!searchProjects) throw new Error('The node has no list of projects');
	return await searchProjects.call(context, filter);
}

async function load(apiKey = service.sandbox.apiKey): Promise<INodePropertyOptions[]> {
	const credentials = { baseUrl: service.sandbox.url, apiKey };
	const { context, nodeTypes } = await createLoadOptionsContext(credentials, TRIGGER_TYPE);
	const { methods } = nodeTypes.getByNameAndVersion(TRIGGER_TYPE);
	const getProjects = methods?.loadOptions?.getProjects;
	if (!getProjects) throw new Error('The trigger has no list of projects');
	return await getProjects.call(context);
}

const testIt = async (more: { apiKey?: string; baseUrl?: string } = {}) =>
	await testCredential({ apiKey: service.sandbox.apiKey, baseUrl: service.sandbox.url, ...more });

async function getHints(): Promise<NodeHint[]> {
	const { nodes } = await loadPackage();
	return nodes[NODE_TYPE]?.description.hints ?? [];
}

/** Lists the hints that the editor shows before a run, and evaluates conditions as it does. */
async function listShown(parameters: INodeParameters, items: IDataObject[] = [{}]) {
	const { nodes } = await loadPackage();
	const workflow = new Workflow({
		active: false,
		nodeTypes: createNodeTypes(nodes),
		nodes: [
			{
				id: '1',
				name: 'Video Generation',
				type: NODE_TYPE,
				typeVersion: 1,
				position: [0, 0],
				parameters,
			},
		],
		connections: {},
	});
	const input = items.map((json) => ({ json }));
	return (await getHints())
		.filter(({ displayCondition = '' }) => {
			const value = workflow.expression.getParameterValue(
				displayCondition,
				null,
				0,
				0,
				'Video Generation',
				input,
				'manual',
				{},
			);
			// The editor ignores a condition that is not a boolean.
			expect(typeof value).toBe('boolean');
			return value === true;
		})
		.map(({ message }) => message);
}

const WAIT = { resource: 'queue', operation: 'wait', queueId: 'q', downloadVideo: false };
const LANES = /^Videos of one project are made one after the other.*'Videos at Once'/;
const TOGETHER = /cannot be told apart when they finish close together\. Video > Generate/;
const NO_PROMPT = /^The expression of 'Custom Prompt' has no value for the first item/;
const COST = /each video costs credits/;
const PROJECT_WANTED = /Set 'Project' and 'Queued At'/;

describe('The list of projects to pick from', () => {
	test('shows the names, last updated first', async () => {
		const { results } = await search();
		expect(results).toEqual(NEWEST_FIRST);
		expect(service.sandbox.requests).toMatchObject([
			{ url: '/v1/projects?sort=updatedAt&order=desc' },
		]);
	});

	test.each([
		['tour', ['City tour']],
		[' PRODUCT ', ['Product teaser']],
		['project-city-tour', ['City tour']],
		['nothing like it', []],
	])('narrows with %j to %j', async (filter, expected) => {
		expect((await search(filter)).results.map(({ name }) => name)).toEqual(expected);
	});

	test('shows the ID of a project without a name', async () => {
		const projects = [{ id: 'p1', name: '' }, { id: 7 }, { name: 'without an ID' }];
		service.sandbox.addFault({
			kind: 'status',
			status: 200,
			body: { status: 'success', projects },
		});
		expect((await search()).results).toEqual([
			{ name: 'p1', value: 'p1' },
			{ name: '7', value: '7' },
		]);
	});

	test('shows a key problem as an error, not as an empty list', async () => {
		await expect(search(undefined, 'wrong-key')).rejects.toMatchObject({
			httpCode: '401',
			message: expect.stringMatching(/did not accept the API key\. .*'API Key'/) as string,
		});
	});

	test.each([
		[{ kind: 'html' }, '200'],
		[{ kind: 'missingField', field: 'projects' }, '200'],
		[{ kind: 'tooManyRequests', retryAfter: 'none' }, '429'],
	] as const)('shows what is wrong when the service answers with %j', async (fault, httpCode) => {
		service.sandbox.addFault(fault);
		await expect(runWithoutWaiting(() => search())).rejects.toMatchObject({ httpCode });
	});
});

describe("The trigger's list of projects to choose from", () => {
	test('shows the names, last updated first', async () => {
		expect(await load()).toEqual(NEWEST_FIRST);
	});

	test('shows a key problem as an error, not as an empty list', async () => {
		await expect(load('wrong-key')).rejects.toMatchObject({
			httpCode: '401',
			message: expect.stringContaining("'API Key'") as string,
		});
	});
});

describe('The credential test', () => {
	test('reads the account, which is free, at the address as it was pasted', async () => {
		expect(await testIt({ baseUrl: ` ${service.sandbox.url}/v1/ ` })).toBe('OK');
		expect(service.sandbox.requests).toMatchObject([{ method: 'GET', url: '/v1/user/account' }]);
	});

	testWith('errorCauses', 'says that the key is wrong', async () => {
		expect(await testIt({ apiKey: 'wrong-key' })).toMatch(
			/^The service does not accept this key\. Copy it again/,
		);
	});

	testWith(
		'errorCauses',
		'says that nothing can be reached, in the words of the network that n8n shows',
		async () => {
			expect(await testIt({ baseUrl: 'http://127.0.0.1:1' })).toBe('ECONNREFUSED');
		},
	);

	test.each([
		[{ kind: 'html' }, /not the address of the video generation service. Check 'Base URL'/],
		[
			{ kind: 'status', status: 200, body: { status: 'ok' } },
			/not the address of the video generation service/,
		],
		[{ kind: 'errorEnvelope' }, /does not accept this key/],
	] as const)('says what is wrong when the service answers with %j', async (fault, expected) => {
		service.sandbox.addFault(fault);
		expect(await testIt()).toMatch(expected);
	});

	for (const [fault, expected] of [
		[{ kind: 'status', status: 403 }, /does not accept this key/],
		[{ kind: 'status', status: 404 }, /not the address of the video generation service/],
		[{ kind: 'status', status: 429 }, /Too Many Requests/],
		[{ kind: 'status', status: 500 }, /Internal Server Error/],
		[{ kind: 'redirect', location: 'http://127.0.0.1:1/' }, /redirects.*'Base URL'/],
	] as const) {
		const name = `says what is wrong when the service answers with ${JSON.stringify(fault)}`;
		testWith('errorCauses', name, async () => {
			service.sandbox.addFault(fault);
			expect(await testIt()).toMatch(expected);
		});
	}

	test('fails in n8n of every age when the key is wrong or nothing can be reached', async () => {
		expect(await testIt({ apiKey: 'wrong-key' })).toMatch(/key|credentials/);
		expect(await testIt({ baseUrl: 'http://127.0.0.1:1' })).toMatch(/refused/i);
	});

	test.each([
		[{ baseUrl: '' }, /^'Base URL' is empty/],
		[{ baseUrl: 'my service' }, /^'Base URL' is not a web address/],
		[{ apiKey: '' }, /^'API Key' is empty/],
	])('says what is missing in %j before any request', async (part, expected) => {
		expect(await testIt(part)).toMatch(expected);
		expect(service.sandbox.requests).toEqual([]);
	});
});

describe('Before a run, the editor says', () => {
	const KNOWN = { projectId: byId('p'), queuedAt: '2026-01-31T12:00:00Z' };
	const MISSPELT = { customPrompt: '={{ $json.promt }}' };
	test.each([
		['nothing about a single video', GENERATE, 1, []],
		['nothing about a single add', OPERATIONS['queue.add'], 1, []],
		['what several items cost, and that they take turns', GENERATE, 2, [COST, LANES]],
		['what several adds cost and lose', OPERATIONS['queue.add'], 2, [COST, TOGETHER]],
		['what several waits lose', { ...WAIT, ...KNOWN }, 2, [TOGETHER]],
		['that a prompt names no field', { ...GENERATE, ...MISSPELT }, 1, [NO_PROMPT]],
		['the same of an add', { ...OPERATIONS['queue.add'], ...MISSPELT }, 1, [NO_PROMPT]],
		['nothing of a prompt that is empty', { ...GENERATE, customPrompt: '' }, 1, []],
		['that clearing cannot be undone', OPERATIONS['queue.clear'], 1, [/cannot be undone/]],
		['what a project is good for', { ...WAIT, projectId: byId('') }, 1, [PROJECT_WANTED]],
		['what a project is good for, left as it was', WAIT, 1, [PROJECT_WANTED]],
		['what a date is good for', { ...WAIT, projectId: byId('p') }, 1, [PROJECT_WANTED]],
		['nothing to a wait with a project and a date', { ...WAIT, ...KNOWN }, 1, []],
		['nothing about many reads', OPERATIONS['video.getAll'], 9, []],
		['nothing about many downloads', { resource: 'video', operation: 'download' }, 9, []],
	])('%s', async (_what, parameters, count, expected) => {
		const shown = await listShown(
			parameters,
			Array.from({ length: count }, () => ({})),
		);
		expect(shown).toEqual(expected.map((text) => expect.stringMatching(text) as string));
	});
});

test('A run of the node looks at no condition: they cost no item anything', async () => {
	const hints = await getHints();
	const kept = hints.map(({ displayCondition }) => displayCondition);
	let reads = 0;
	for (const [index, hint] of hints.entries()) {
		Object.defineProperty(hint, 'displayCondition', {
			configurable: true,
			get: () => {
				reads += 1;
				return kept[index];
			},
		});
	}
	const { items } = await service.run(OPERATIONS['queue.add'], { items: [{}, {}, {}] });
	expect(items).toHaveLength(3);
	expect(hints.length).toBeGreaterThan(0);
	expect(reads).toBe(0);
});

describe('After a run, the output panel says', () => {
	const runForHints = async (
		parameters: INodeParameters,
		items: IDataObject[],
		customPrompt = 'A sea',
	) => {
		const settings = { onError: 'continueErrorOutput' as const };
		const { run } = await runWithoutWaiting(
			async () => await service.run({ ...parameters, customPrompt }, { items, settings }),
			service.sandbox,
		);
		const [task] = run.data.resultData.runData['Video Generation'] ?? [];
		return (task?.hints ?? []).map(({ message }) => message);
	};
	const ITEMS = [{}, {}, {}];

	test('how many videos may have been queued', async () => {
		for (const nth of [1, 3]) {
			service.sandbox.addFault({ kind: 'reset', phase: 'after', operation: 'queue.add', nth });
		}
		const [hint, ...others] = await runForHints(OPERATIONS['queue.add'], ITEMS);
		expect(hint).toMatch(
			/^2 videos may have been queued and paid for.*queue them again.*Account > Get/,
		);
		expect(others).toEqual([]);
	});

	test('how many videos could not be told apart, and what helps', async () => {
		const parameters = { ...GENERATE, waitOptions: { videosAtOnce: 3 } };
		const [hint, ...others] = await runForHints(parameters, ITEMS);
		expect(hint).toMatch(
			/^3 videos could not be told apart.* among 3 videos of project "project-product-teaser", listed (at|from) 2026-.*'Videos at Once'.*'Listing Delay'/,
		);
		expect(others).toEqual([]);
	});

	test('which item was not confirmed, where its video may be taken for that of the next one', async () => {
		service.sandbox.addFault({ kind: 'reset', phase: 'after', operation: 'queue.add', nth: 1 });
		const hints = await runForHints(GENERATE, [{}, {}]);
		expect(hints).toEqual([
			expect.stringMatching(/^1 video may have been queued/),
			expect.stringMatching(
				/^1 video could not be told apart.*One of them may be the video of item 0/,
			),
		]);
	});

	test("which videos were made with the project's own prompt, though an expression was meant to give one", async () => {
		const rows = [{ prompt: 'A sea' }, {}, { prompt: null }, { prompt: '  ' }];
		const hints = await runForHints(OPERATIONS['queue.add'], rows, '={{ $json.prompt }}');
		expect(hints).toEqual([
			expect.stringMatching(
				/^3 videos were made with the project's own prompt.*: items 1, 2, 3\.$/,
			),
		]);
		expect(await runForHints(OPERATIONS['queue.add'], [{}], '')).toEqual([]);
	});

	test('which prompts lack a value', async () => {
		const rows = [{ topic: 'the sea' }, {}, { topic: null }, { topic: { name: 'sea' } }];
		const hints = await runForHints(OPERATIONS['queue.add'], rows, '=A film of {{ $json.topic }}');
		expect(hints).toEqual([
			expect.stringMatching(/^3 prompts seem to lack.*: items 1, 2, 3\. Check.*'Custom Prompt'/),
		]);
		const joined = "={{ 'A film of ' + $json.topic }}";
		expect(await runForHints(OPERATIONS['queue.add'], rows.slice(0, 2), joined)).toEqual([
			expect.stringMatching(/^1 prompt seems to lack.*'undefined'.*: item 1\./),
		]);
		const words = [{ topic: 'nullity' }, { topic: 'an undefined_name' }];
		expect(await runForHints(OPERATIONS['queue.add'], words, joined)).toEqual([]);
	});

	test('that a wait needs the project and the date of the add', async () => {
		const [queueId] = await service.queueVideos(2);
		const [hint] = await runForHints({ ...WAIT, queueId }, [{}]);
		expect(hint).toMatch(/^1 video could not be told apart.*Set 'Project' and 'Queued At'/);
	});

	test('that the service lists its videos late, if the list has shown it', async () => {
		planVideos(service.sandbox, { processingMs: 3_000, logDelayMs: 10_000_000 });
		const [hint, ...others] = await runForHints(GENERATE, [{}]);
		expect(hint).toMatch(
			/^1 video could not be told apart.*'Listing Delay'.*'Project'.*'Queued At'/,
		);
		expect(others).toEqual([]);
	});

	test.each([false, true])(
		'that the list could not be read when it had to show a video (with Download Video: %p)',
		async (downloadVideo) => {
			service.sandbox.addFault({
				...{ kind: 'status', status: 503, operation: 'video.getAll', skip: 1 },
			});
			const [hint, ...others] = await runForHints({ ...GENERATE, downloadVideo }, [{}]);
			expect(hint).toMatch(
				/^1 video is finished, but.*did not show it, or could not be read\. Look for it in Video > Get Many/,
			);
			expect(others).toEqual([]);
		},
	);

	test('nothing about payments when it is not known whether an item was cleared', async () => {
		const { items } = await service.run(OPERATIONS['queue.add']);
		service.sandbox.addFault({ kind: 'reset', operation: 'queue.clear' });
		const parameters = { ...OPERATIONS['queue.clear'], queueId: items[0]?.json.queueId as string };
		expect(await runForHints(parameters, [{}])).toEqual([]);
	});

	test('nothing when all went well, or when an item was refused', async () => {
		service.sandbox.addFault({ kind: 'status', status: 400, operation: 'queue.add', nth: 2 });
		expect(await runForHints(OPERATIONS['queue.add'], ITEMS)).toEqual([]);
	});
});
