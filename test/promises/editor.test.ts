import fs from 'node:fs';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import type { IDataObject, INodeParameters, INodePropertyOptions } from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';
import { VideoGeneration } from '../../nodes/VideoGeneration/VideoGeneration.node';
import { TRIGGER_TYPE } from '../support/n8nServer/ActiveTrigger';
import {
	createLoadOptionsContext,
	searchList,
} from '../support/n8nServer/createLoadOptionsContext';
import { createNodeTypes } from '../support/n8nServer/createNodeTypes';
import { createTestNode } from '../support/engine/createTestNode';
import { loadPackage } from '../support/engine/loadPackage';
import { ALL_OPERATIONS, byId, GENERATE, OPERATIONS, PROJECT } from '../support/engine/OPERATIONS';
import { ERROR_OUTPUT, NODE_TYPE } from '../support/engine/runNode';
import { passTime, runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { testCredential } from '../support/n8nServer/testCredential';
import { testWith } from '../support/engine/testWith';
import { useBinaryStore } from '../support/engine/useBinaryStore';
import { useSandbox } from '../support/engine/useSandbox';
import { like } from '../support/like';
import { type JsonObject, loadOpenApi } from '../support/sandbox/loadOpenApi';
import { listFields, listPromisedFields } from '../support/schemas/listFields';
import { loadSchema, type OutputSchema } from '../support/schemas/loadSchema';

const service = useSandbox();
useBinaryStore();

const NEWEST_FIRST = [
	{ name: 'Product teaser', value: 'project-product-teaser' },
	{ name: 'Launch film (3 credits)', value: 'project-launch-film' },
	{ name: 'Broken storyboard (always fails)', value: 'project-broken-storyboard' },
	{ name: 'City tour', value: 'project-city-tour' },
];

const search = async (filter?: string) =>
	await searchList(service.setup({}).credentials, 'searchProjects', filter);

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

/** Evaluates an expression of the node as the editor does. */
async function evaluate(
	expression: string,
	parameters: INodeParameters,
	items: IDataObject[] = [{}],
) {
	const { nodes } = await loadPackage();
	const name = 'Video Generation';
	const workflow = new Workflow({
		active: false,
		nodeTypes: createNodeTypes(nodes),
		nodes: [createTestNode(name, NODE_TYPE, { parameters })],
		connections: {},
	});
	const input = items.map((json) => ({ json }));
	return workflow.expression.getParameterValue(expression, null, 0, 0, name, input, 'manual', {});
}

/** Lists the hints that the editor shows before a run. */
async function listShown(parameters: INodeParameters, items?: IDataObject[]) {
	const shown: string[] = [];
	const { nodes } = await loadPackage();
	const { hints = [] } = nodes[NODE_TYPE]?.description ?? {};
	for (const { displayCondition = '', location, message, whenToDisplay } of hints) {
		if (location !== 'outputPane' || whenToDisplay !== 'beforeExecution') continue;
		const value = await evaluate(displayCondition, parameters, items);
		// The editor ignores a condition that is not a boolean.
		expect(typeof value).toBe('boolean');
		if (value === true) shown.push(message);
	}
	return shown;
}

test.each([
	['queue', 'clear', 'Queue: Delete'],
	['video', 'getAll', 'Video: Get Many'],
	['video', 'shorten', 'shorten'],
])('The canvas says what a node does: %s %s is "%s"', async (resource, operation, expected) => {
	const { nodes } = await loadPackage();
	const { subtitle = '' } = nodes[NODE_TYPE]?.description ?? {};
	expect(await evaluate(subtitle, { resource, operation })).toBe(expected);
});

const WAIT = { resource: 'queue', operation: 'wait', queueId: 'q', downloadVideo: false };
const LANES =
	/^Videos of one project are made one after the other, so .*'Videos at Once'.*a row's columns/;
const TOGETHER = /cannot be told apart when they finish close together\. Video > Generate/;
const MINUTES =
	/^A video usually costs 1 credit, and takes minutes.* is made and paid for even if you stop .*Video > Get Many/;
const COST = /one video, which costs credits/;

describe('The list of projects to pick from', () => {
	test('shows the names, last updated first', async () => {
		expect(await search()).toEqual(NEWEST_FIRST);
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
		expect((await search(filter)).map(({ name }) => name)).toEqual(expected);
	});

	test('says what to do if the account has no projects', async () => {
		const { accounts, url } = service.sandbox;
		const credentials = { baseUrl: url, apiKey: accounts.empty.apiKey };
		const list = searchList(credentials, 'searchProjects');
		await expect(list).rejects.toThrow(/has no projects\. Create one/);
	});

	test('says what to correct in Request Options, and names no option without effect when it is limited', async () => {
		const list = async (parameters = {}) =>
			await searchList(service.setup({}).credentials, 'searchProjects', undefined, parameters);
		const wrong = list({ requestOptions: { proxy: 'proxy.example.com:3128' } });
		await expect(wrong).rejects.toThrow(
			/^'Proxy' must be an address\. .*under 'Request Options'(?!.*Base URL)/,
		);
		service.sandbox.addFault({ kind: 'tooManyRequests', retryAfter: 'none' });
		await expect(list()).rejects.toThrow(
			/too many requests\. (?!.*Max Tries).*Open this list again later/,
		);
	});
});

describe('A list of the editor offers no ID that n8n would save as an expression, nor markup', () => {
	const HIDDEN = [
		'',
		'={{ $("Secret").first().json.token }}',
		'=1',
		'a {{ $json.secret }}',
		'<img src="https://evil.example">',
	];
	test('of a project, and shows its name as text, or without one its ID', async () => {
		const { sandbox } = service;
		sandbox.addProjects('main', [
			...HIDDEN.map((id) => ({ id, name: 'Evil' })),
			{ id: 'e', name: '={{ $("Nowhere").first().json.x }}' },
			{ id: 'm', name: 'A <a href="https://evil.example">B</a>\n<img' },
			{ id: 'nothing', name: '<br>' },
			{ id: 'long', name: 'x'.repeat(1_000_000) },
		]);
		const results = await searchList(service.setup({}).credentials, 'searchProjects');
		const added = results.filter(({ value }) => !String(value).startsWith('project-'));
		expect(added).toEqual([
			{ value: 'e', name: ' ={{ $("Nowhere").first().json.x }}' },
			{ value: 'long', name: `${'x'.repeat(299)}…` },
			{ value: 'm', name: 'A B < img' },
			{ value: 'nothing', name: 'nothing' },
		]);
	});

	test('of a video, and shows its project as text', async () => {
		const createdAt = '2026-01-15T12:00:00Z';
		service.sandbox.addVideos('main', [
			...HIDDEN.map((id) => ({ id, projectId: PROJECT })),
			{ id: 'plain', projectId: '<b>p</b>', createdAt },
		]);
		expect(await searchList(service.setup({}).credentials, 'searchVideos')).toEqual([
			{ value: 'plain', name: '2026-01-15 07:00:00 GMT-5, p' },
		]);
	});
});

test('The list of videos names projects by their IDs while the service refuses to list those', async () => {
	service.sandbox.addVideos('main', [{ id: 'v', projectId: PROJECT }]);
	const operation = 'project.getAll';
	service.sandbox.addFault({ kind: 'tooManyRequests', retryAfter: 'none', operation });
	const { credentials } = service.setup({});
	const list = await runWithoutWaiting(() => searchList(credentials, 'searchVideos'));
	expect(list).toMatchObject([{ value: 'v', name: like(new RegExp(PROJECT)) }]);
});

test("The trigger's list of projects shows the names, last updated first, and a key problem as an error", async () => {
	expect(await load()).toEqual(NEWEST_FIRST);
	await expect(load('wrong-key')).rejects.toMatchObject({
		httpCode: '401',
		message: like(/'API Key'/),
	});
});

describe('The credential test', () => {
	test('reads the account, which is free, at the address as it was pasted', async () => {
		expect(await testIt({ baseUrl: ` ${service.sandbox.url}/v1/projects ` })).toBe('OK');
		expect(service.sandbox.requests).toMatchObject([{ method: 'GET', url: '/v1/user/account' }]);
	});

	const NOT_THE_SERVICE =
		/not the address of the video generation service\. In 'Base URL', enter .* of its API/;
	for (const [isInEveryN8n, fault, expected] of [
		[true, { kind: 'html' }, NOT_THE_SERVICE],
		[true, { kind: 'status', status: 200, body: { status: 'ok' } }, NOT_THE_SERVICE],
		[true, { kind: 'errorEnvelope' }, /does not accept this key/],
		[
			false,
			{ kind: 'status', status: 401 },
			/^The service does not accept this key, or a firewall/,
		],
		[false, { kind: 'status', status: 403 }, /does not accept this key/],
		[false, { kind: 'status', status: 404 }, NOT_THE_SERVICE],
		[false, { kind: 'status', status: 429 }, /Too Many Requests/],
		[false, { kind: 'status', status: 500 }, /Internal Server Error/],
		[false, { kind: 'redirect', location: 'http://127.0.0.1:1/' }, /redirects.*'Base URL'/],
	] as const) {
		const name = `says what is wrong when the service answers with ${JSON.stringify(fault)}`;
		const run = async () => {
			service.sandbox.addFault(fault);
			expect(await testIt()).toMatch(expected);
		};
		if (isInEveryN8n) test(name, run);
		else testWith('errorCauses', name, run);
	}

	testWith('errorCauses', 'says in the words of the network that nothing is there', async () => {
		expect(await testIt({ baseUrl: 'http://127.0.0.1:1' })).toBe('ECONNREFUSED');
	});

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
	test.each([
		['that a video takes minutes, and goes on after Stop', GENERATE, 1, [MINUTES]],
		['nothing about a single add', OPERATIONS['queue.add'], 1, []],
		['what several items cost, and that they take turns', GENERATE, 2, [COST, MINUTES, LANES]],
		['what several adds cost and lose', OPERATIONS['queue.add'], 2, [COST, TOGETHER]],
		['what several waits lose', WAIT, 2, [TOGETHER]],
		['nothing about a single wait', WAIT, 1, []],
		['nothing about many reads', OPERATIONS['video.getAll'], 9, []],
		['nothing about many downloads', { resource: 'video', operation: 'download' }, 9, []],
	])('%s', async (_what, parameters, count, expected) => {
		const shown = await listShown(
			parameters,
			Array.from({ length: count }, () => ({})),
		);
		expect(shown).toEqual(expected.map(like));
	});
});

describe('After a run, the output panel says', () => {
	const expectHints = async (
		parameters: INodeParameters,
		items: IDataObject[],
		hints: RegExp[],
	) => {
		const { run } = await service.run(parameters, { items, settings: ERROR_OUTPUT });
		const [task] = run.data.resultData.runData['Video Generation'] ?? [];
		expect((task?.hints ?? []).map(({ message }) => message)).toEqual(hints.map(like));
	};
	const ADD = OPERATIONS['queue.add'];
	const ITEMS = [{}, {}, {}];

	test('how many videos may have been queued', async () => {
		for (const nth of [1, 3]) {
			service.sandbox.addFault({ kind: 'reset', phase: 'after', operation: 'queue.add', nth });
		}
		await expectHints(ADD, ITEMS, [
			/^Videos that may have been queued and paid for.*: 2\. .*queue them again.*Account > Get/,
		]);
	});

	test('how many videos could not be told apart, and what helps', async () => {
		await expectHints({ ...GENERATE, waitOptions: { videosAtOnce: 3 } }, ITEMS, [
			/told apart.*: 3\. .* among the 3 newest videos of project "project-product-teaser"\. .*'Videos at Once'.*several workers.*'Listing Delay'/,
		]);
	});

	test('that the service lists its videos late, if the list has shown it', async () => {
		service.planVideos({ processingMs: 3_000, logDelayMs: 10_000_000 });
		await expectHints(
			GENERATE,
			[{}],
			[/are finished, but.*: 1\. .*'Listing Delay'.*'Project'.*'Queued At'/],
		);
	});

	test.each([false, true])(
		'that the list could not be read when it had to show a video (with Download Video: %p)',
		async (downloadVideo) => {
			const operation = 'video.getAll';
			service.sandbox.addFault({ kind: 'status', status: 503, operation, skip: 1 });
			await expectHints(
				{ ...GENERATE, downloadVideo },
				[{}],
				[/are finished, but.*could not be read: 1\. Look for them in Video > Get Many/],
			);
		},
	);

	test('nothing about payments when it is not known whether an item was cleared', async () => {
		const [queueId] = await service.queueVideos(1);
		service.sandbox.addFault({ kind: 'reset', operation: 'queue.clear' });
		await expectHints({ ...OPERATIONS['queue.clear'], queueId }, [{}], []);
	});

	test('names of the service as text', async () => {
		const { sandbox } = service;
		const [queueId = ''] = await service.queueVideos(1);
		const fields = { projectId: '<a href="https://evil.example">Log in</a><img src=x' };
		sandbox.addFault({ kind: 'extraFields', fields, operation: 'queue.getProgress' });
		sandbox.addFault({ kind: 'extraFields', fields, operation: 'video.getAll' });
		sandbox.addVideos('main', [{}, {}]);
		const wait = { ...WAIT, queueId, queuedAt: '2020-01-01T00:00:00Z' };
		await expectHints(wait, [{}], [/among the \d newest videos of project "Log in < img src=x"\./]);
	});

	test('nothing when all went well, or when an item was refused', async () => {
		service.sandbox.addFault({ kind: 'status', status: 400, operation: 'queue.add', nth: 2 });
		await expectHints(ADD, ITEMS, []);
	});
});

const operations = new VideoGeneration().description.properties
	.filter(({ name }) => name === 'operation')
	.flatMap(({ options, displayOptions }) =>
		(options as INodePropertyOptions[]).map(
			({ value }) => `${displayOptions?.show?.resource?.[0] as string}.${String(value)}`,
		),
	);

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });
addFormats(ajv);
// n8n's own schemas state the version of their format.
ajv.addKeyword('version');

/** Queues videos that finish at the same time. */
const queue = async (count: number) => {
	const { items } = await service.run(OPERATIONS['queue.add'], { items: Array(count).fill({}) });
	return items.map(({ json }) => json);
};
const makeVideo = async () => {
	await queue(1);
	service.sandbox.clock.advance(60_000);
	return [{}];
};

const WAIT_LONG = { projectId: byId(PROJECT), queuedAt: '={{ $json.createdAt }}' };

/** Runs after which an operation has returned everything that it can return; others return it with their usual input. */
const RUNS: Record<string, [parameters: INodeParameters, prepare: () => unknown][]> = {
	'video.generate': [
		[{}, () => [{}]],
		[{ waitOptions: { videosAtOnce: 2 } }, () => [{}, {}]],
	],
	'queue.wait': [
		[WAIT_LONG, () => queue(1)],
		[WAIT_LONG, () => queue(2)],
		[
			// The video is finished before the wait, which does not know its project.
			{ ...WAIT_LONG, projectId: '' },
			async () => {
				service.sandbox.addVideos('main', [{ projectId: 'project-city-tour' }]);
				const items = await queue(1);
				service.sandbox.clock.advance(60_000);
				return items;
			},
		],
	],
	'video.getAll': [[{}, makeVideo]],
};

async function runFully(name: keyof typeof ALL_OPERATIONS): Promise<IDataObject[]> {
	const all: IDataObject[] = [];
	for (const [parameters, prepare] of RUNS[name] ?? [[{}, () => service.createInput(name)]]) {
		service.sandbox.reset();
		// What a process knows of an account's videos counts for half an hour.
		passTime(60 * 60 * 1000);
		const items = (await prepare()) as IDataObject[];
		const output = await service.run({ ...ALL_OPERATIONS[name], ...parameters }, { items });
		if (output.error) throw output.error;
		all.push(...output.items.map(({ json }) => json));
	}
	return all;
}

const outputs = new Map<string, Promise<IDataObject[]>>();
/** Runs an operation once. An operation that fails fails its own tests alone. */
async function getOutputs(name: string): Promise<IDataObject[]> {
	const running = outputs.get(name) ?? runFully(name as keyof typeof ALL_OPERATIONS);
	outputs.set(name, running);
	return await running;
}

/** Lists all fields inside a schema. */
function walk({ properties = {}, items }: OutputSchema): OutputSchema[] {
	const inside = [...Object.values(properties), ...(items ? [items] : [])];
	return inside.flatMap((field) => [field, ...walk(field)]);
}

test('The output schemas are one for each operation and no other', () => {
	const sources = 'nodes/VideoGeneration/__schema__';
	const files = fs
		.readdirSync(sources, { recursive: true, encoding: 'utf8' })
		.filter((file) => fs.statSync(`${sources}/${file}`).isFile())
		.map((file) => file.replaceAll('\\', '/'));
	expect(files.sort()).toEqual(
		operations.map((name) => `v1.0.0/${name.replace('.', '/')}.json`).sort(),
	);
});

describe.each(operations)('The output schema of %s', (operation) => {
	const schema = loadSchema(operation);

	test('is in the form that the editor shows: an object with typed fields, each explained in one sentence', () => {
		expect(schema.type).toBe('object');
		expect(Object.keys(schema.properties ?? {}).length).toBeGreaterThan(1);
		for (const field of walk(schema)) {
			const keys = ['type', 'description', 'format', 'nullable', 'properties', 'items'];
			expect(keys).toEqual(expect.arrayContaining(Object.keys(field)));
			// The editor uses only the first of several types, and shows no field of an object among
			// them.
			if (field.properties) expect(field.type).toBe('object');
			if (field.items) expect(field.type).toBe('array');
			else expect(field.description).toMatch(/^[A-Z].{8,}[^.]$/);
		}
	});

	test('holds for everything that the operation returns', async () => {
		const validate = ajv.compile(schema);
		const returned = await getOutputs(operation);
		expect(returned).not.toEqual([]);
		for (const output of returned) {
			validate(output);
			expect({ output, errors: validate.errors }).toEqual({ output, errors: null });
		}
	});

	test('promises every field that the operation returns, and no other, whatever becomes of a video, with what people use first', async () => {
		const promised = listPromisedFields(schema);
		const all = await getOutputs(operation);
		const returned = all.map((output) => listFields(output));
		expect([...new Set(returned.flat())].sort()).toEqual([...promised].sort());
		// The account's are in the order of the service.
		if (operation !== 'account.get') expect(returned[0]).toEqual(promised);
		const fields = Object.keys(schema.properties ?? {}).sort();
		for (const output of all) expect(Object.keys(output).sort()).toEqual(fields);
	});
});

/** The path to an operation's output in the response of the service. */
const REPLIES: Record<string, [request: string, ...path: string[]]> = {
	'queue.add': ['POST /v1/queue/add', 'newQueueItem'],
	'queue.getProgress': ['GET /v1/queue/progress/{queueId}', 'details'],
	'video.getAll': ['GET /v1/videos', 'videos', '[]'],
	'project.getAll': ['GET /v1/projects', 'projects', '[]'],
	'account.get': ['GET /v1/user/account'],
};

/** The fields of the envelope that mean success; the node removes them. */
const ENVELOPE = ['status', 'message'];

async function findReply(operation: string): Promise<JsonObject> {
	const [request, ...steps] = REPLIES[operation] ?? [];
	const described = (await loadOpenApi()).find(
		({ method, path }) => `${method} ${path}` === request,
	);
	const body = described?.responses['200']?.content?.['application/json']?.schema;
	return steps.reduce<JsonObject>(
		(schema, step) =>
			(step === '[]' ? schema.items : (schema.properties as JsonObject)[step]) as JsonObject,
		body ?? {},
	);
}

test.each(Object.keys(REPLIES))(
	"The output schema of %s has all fields of the API's description, with the same types",
	async (name) => {
		const replied = (await findReply(name)).properties as Record<string, OutputSchema>;
		const promised = loadSchema(name).properties ?? {};
		const fields = Object.keys(replied).filter(
			(field) => name !== 'account.get' || !ENVELOPE.includes(field),
		);
		expect(fields.length).toBeGreaterThan(2);
		for (const field of fields) {
			expect({ field, type: promised[field]?.type }).toEqual({ field, type: replied[field]?.type });
			// The specification calls a video's address a URI; n8n's users call it a string.
			if (field !== 'url') expect(promised[field]?.format).toBe(replied[field]?.format);
		}
	},
);

test('The output in docs/operations.md has the fields of a finished video', async () => {
	const document = fs.readFileSync('docs/operations.md', 'utf8');
	const [, json = ''] = /```json\n(.+?)```/s.exec(document) ?? [];
	expect(listFields(JSON.parse(json))).toEqual(listFields((await getOutputs('video.generate'))[0]));
});
