import { readFileSync } from 'node:fs';
import { getGlobalState, type IDataObject, setGlobalState, tryToParseDateTime } from 'n8n-workflow';
import {
	ALL_OPERATIONS,
	API_OPERATIONS,
	DOWNLOAD,
	GENERATE,
	OPERATIONS,
	PROJECT,
} from '../support/engine/OPERATIONS';
import { ERROR_OUTPUT } from '../support/engine/runNode';
import { searchList } from '../support/n8nServer/createLoadOptionsContext';
import { useBinaryStore } from '../support/engine/useBinaryStore';
import { useSandbox } from '../support/engine/useSandbox';
import { like } from '../support/like';

const service = useSandbox();
useBinaryStore();

/** Returns the method, URL and body of each request that the service received. */
function sent() {
	return service.sandbox.requests.map(({ method, url, body }) => ({ method, url, body }));
}

const ADD = OPERATIONS['queue.add'];

const listBodies = () =>
	service.sandbox.requests
		.filter(({ operation }) => operation === 'queue.add')
		.map(({ body }) => body);

// n8n describes "None" of a credential as "when used in the HTTP Request or GraphQL node".
test.each(API_OPERATIONS)(
	'%s sends one request with the key, also where other nodes may not use it, and passes on fields that the specification does not name',
	async (name) => {
		const items = await service.createInput(name);
		service.sandbox.addFault({ kind: 'extraFields', fields: { addedLater: { a: 1 } } });
		const { credentials } = service.setup({});
		const { items: output, error } = await service.run(OPERATIONS[name], {
			items,
			credentials: { ...credentials, allowedHttpRequestDomains: 'none' },
		});
		expect(error).toBeUndefined();
		expect(service.sandbox.requests).toHaveLength(1);
		const { headers, operation, method, status } = service.sandbox.requests[0] ?? {};
		expect(headers?.authorization).toBe(`Bearer ${service.sandbox.apiKey}`);
		expect(headers?.accept).toBe('application/json');
		expect(headers?.['content-type']).toBe(method === 'POST' ? 'application/json' : undefined);
		expect(operation).toBeDefined();
		expect(status).toBe(200);
		for (const { json } of output) {
			// The output of a deletion is the node's own.
			expect(json.addedLater).toEqual('deleted' in json ? undefined : { a: 1 });
		}
	},
);

describe('Queue > Add', () => {
	test('sends one request, with the project alone, and returns the queue item at once', async () => {
		const { items } = await service.run(ADD);
		expect(sent()).toEqual([
			{ method: 'POST', url: '/v1/queue/add', body: { projectId: PROJECT } },
		]);
		expect(items.map(({ json }) => json)).toEqual([
			{
				queueId: expect.any(String) as string,
				projectId: PROJECT,
				status: 'pending',
				generationProgress: 0,
				renderProgress: 0,
				videoUrl: null,
				createdAt: expect.any(String) as string,
			},
		]);
	});

	test('sends its settings beside the project: a prompt as it is, a number as text, an empty one not at all', async () => {
		const parameters = { ...ADD, overwriteSettings: '={{ $json.overwrite }}' };
		const items = [
			{ overwrite: true, prompt: ' Rain\non glass ' },
			{ overwrite: false, prompt: 2024 },
			{ overwrite: false, prompt: ' ' },
		];
		expect((await service.run(parameters, { items })).error).toBeUndefined();
		// An item that a node has output without its json.
		await service.run({ ...ADD, customPrompt: '' }, { items: [undefined] });
		expect(listBodies()).toEqual([
			{ projectId: PROJECT, overwriteSettings: true, customPrompt: ' Rain\non glass ' },
			{ projectId: PROJECT, customPrompt: '2024' },
			{ projectId: PROJECT },
			{ projectId: PROJECT },
		]);
	});

	test.each([
		["a database's or a Data Table's", '={{ $json.date }}', /^2026-01-31T00:00:00\.000Z$/],
		["n8n's own", '={{ $json.time }}', /^2026-01-31T00:00:00\.000\+09:00$/],
		['today', '={{ $today }}', /^\d{4}-\d\d-\d\dT00:00:00\.000-0[45]:00$/],
	])(
		'takes a date as the same text as a prompt and as a key, live, saved and pinned: %s',
		async (_whose, customPrompt, text) => {
			const time = tryToParseDateTime('2026-01-31', 'Asia/Tokyo');
			const live = [{ date: new Date('2026-01-31'), time } as unknown as IDataObject];
			const pinned = JSON.parse(JSON.stringify(live)) as IDataObject[];
			const parameters = { ...ADD, customPrompt, options: { uniqueKey: customPrompt } };
			// The first add is refused, and its execution saved, which Retry reads.
			service.sandbox.addFault({ kind: 'status', status: 400, operation: 'queue.add', times: 1 });
			const { run: failed } = await service.run(parameters, { items: live });
			await service.run(parameters, { items: live, failed });
			const [prompt] = service.listPaid();
			expect(prompt).toMatch(text);
			expect(listBodies()).toMatchObject([{ customPrompt: prompt }, { customPrompt: prompt }]);
			for (const items of [live, pinned]) {
				const { errorItems } = await service.run(parameters, { items, settings: ERROR_OUTPUT });
				expect(errorItems).toMatchObject([{ json: { details: { uniqueKey: prompt } } }]);
			}
			expect(service.listPaid()).toEqual([prompt]);
		},
	);

	test('with settings to overwrite and no prompt fails before any request', async () => {
		const parameters = { ...ADD, overwriteSettings: true, customPrompt: '' };
		const { error } = await service.run(parameters);
		expect(error?.message).toBe("'Custom Prompt' is empty");
		expect(error?.description).toMatch(/Nothing was (queued|sent)/);
		expect(sent()).toEqual([]);
	});

	test('is not sent with a prompt that was typed as text and not as an expression, or with an object in it', async () => {
		const braces = 'Braces {{ like these }}, and $json';
		const typed = [
			'{{ $json.a }}',
			"A {{$('Sheet').item.json.a}}",
			'{{ $node.Sheet }}',
			'{{ $now.toISODate() }}',
			'A {{ DateTime.now() }}',
		];
		const items = [...typed, braces, 'A [object Object]'].map((prompt) => ({ prompt }));
		const { errorItems } = await service.run(ADD, { items, settings: ERROR_OUTPUT });
		expect(listBodies()).toMatchObject([{ customPrompt: braces }]);
		expect(errorItems.map(({ json }) => json)).toMatchObject([
			...typed.map(() => ({
				error: "'Custom Prompt' contains an expression that was typed as text",
				message: like(/select 'Expression'/),
			})),
			{ error: "'Custom Prompt' contains an object instead of text" },
		]);
	});

	const ITEM = {
		topic: 'Rain',
		'the topic': 'Snow',
		empty: '',
		nothing: null,
		a: { b: 'Sun' },
		word: 'What undefined means',
		rows: [{ topic: 'Fog' }],
	};
	const lacks = (field: string) =>
		`'Custom Prompt' names the field '${field}', which this item does not have`;
	const NO_VALUE = "An expression in 'Custom Prompt' has no value";

	test.each([
		['{{ $json.topc }}', lacks('topc')],
		['A film about {{ $json.topc }}', lacks('topc')],
		['{{ $json.topic }} and {{ $json["the topc"] }}', lacks('the topc')],
		["{{ $json['topc'] }}", lacks('topc')],
		['{{ $json.topc.trim() }}', lacks('topc')],
		['About {{ $json?.topc }}', lacks('topc')],
		['About {{ $json.größe }}', lacks('größe')],
		['{{ "About " + $json.topc }}', lacks('topc')],
		['{{ $json.topic && $json.topc }}', lacks('topc')],
		['About {{ $json.a.c }}', NO_VALUE],
		["About {{ $('Input').item.json.topc }}", NO_VALUE],
		["{{ 'About ' + $('Input').item.json.topc }}", NO_VALUE],
		["{{ 'About ' + $input.item.json.topc }}", NO_VALUE],
		['A {{ $json.secs / 60 }} minute film', lacks('secs')],
		['{{ Math.round($json.secs / 60) }} minutes', lacks('secs')],
		["News of {{ DateTime.fromISO($json.day).toFormat('cccc') }}", lacks('day')],
		["{{ [$json.topic, $json.topc].join(': ') }}", lacks('topc')],
		['{{ $json.topic ? $json.topic + $json.topc : 1 }}', lacks('topc')],
		['A {{ $json.topic * 2 }} minute film', NO_VALUE],
		['{{ `About ${$json.rows[0].topc}` }}', NO_VALUE],
		["{{ $json.rows.map((row) => 'About ' + row.topc).join() }}", NO_VALUE],
		["{{ 'About ' + $input.all()[0].json.topc }}", NO_VALUE],
		["{{ 'About ' + $('Input').itemMatching(0)?.json?.topc }}", NO_VALUE],
		["{{ 'About ' + $node.Input.json.topc }}", NO_VALUE],
		["{{ 'About ' + $vars.topc }}", NO_VALUE],
		["{{ [$json.topc?.trim(), $json.topic].join(': ') }}", lacks('topc')],
		['On {{ DateTime.fromISO($json.topic) }}', NO_VALUE],
	])('is not sent with the prompt %s, and names what is misspelt', async (prompt, message) => {
		const parameters = { ...ADD, customPrompt: `=${prompt}` };
		const { error } = await service.run(parameters, { items: [ITEM] });
		expect(error?.message).toBe(message);
		if (message !== NO_VALUE)
			expect(error?.description).toContain(': this item has topic, the topic, ');
		expect(error?.description).toMatch(/^Check \{\{ .* \}\}[.:].*no credit was spent/);
		// A default helps where a field is missing, and not where what is made of fields has no value.
		const helps = !/\* 2|map|ISO\(\$json\.topic/.test(prompt);
		expect(/ write \{\{ .* \?\? '' \}\}: an empty /.test(error?.description ?? '')).toBe(helps);
		expect(service.sandbox.requests).toEqual([]);
	});

	test.each([
		['{{ $json.topic }}', 'Rain'],
		['A {{ $json["the topic"] }}, {{ $json.a.b }}', 'A Snow, Sun'],
		["A{{ $json.topc ?? '' }}", 'A'],
		["{{ $json?.topc || 'x' }}", 'x'],
		["{{ $json.topc ? 'y' : 'z' }}", 'z'],
		["{{ $ifEmpty($json.topc, 'x') }}", 'x'],
		["{{ 'An undefined ' + ($json.topc ?? 'shape') }}", 'An undefined shape'],
		["{{ $json.word + ($json.topc ?? '') }}", 'What undefined means'],
		["{{ $json.word + $json.keys().length + ' fields' }}", 'What undefined means7 fields'],
		["{{ $json['the ' + $json['word'].slice(0, 0) + 'topic'] }}", 'Snow'],
		["{{ [$json.topc, $json.topic].compact().join(': ') }}", 'Rain'],
		['{{ $json.rows[0].topic /* not $json.topc */ }}', 'Fog'],
		["{{ [$json.topc, $json.topic].filter(Boolean).join(': ') }}", 'Rain'],
		["{{ $('After').isExecuted ? $('After').item.json.topic : $json.topic }}", 'Rain'],
		['{{ $json.empty }}', undefined],
		['{{ $json.nothing }}', undefined],
		["{{ $json.topc ?? '' }}", undefined],
	])('takes the value or the default of the prompt %s', async (prompt, customPrompt) => {
		const parameters = { ...ADD, customPrompt: `=${prompt}` };
		const { error } = await service.run(parameters, { items: [ITEM] });
		expect(error).toBeUndefined();
		expect(listBodies()).toEqual([{ projectId: PROJECT, ...(customPrompt && { customPrompt }) }]);
	});
});

describe('Video > Get', () => {
	const get = async (value: string, mode = 'id') =>
		await service.run({ ...OPERATIONS['video.get'], video: { __rl: true, mode, value } });

	test('returns the entry of a video by its ID, whatever the mode, or by its address', async () => {
		const added = service.sandbox.addVideos('main', [{ id: 'a' }, { id: '7' }, { id: 'c' }]);
		const urls = added.map(({ id }) => `${service.sandbox.url}/files/${id}.mp4`);
		for (const [value, mode] of [
			['a', 'list'],
			['={{ 7 }}', 'id'],
			[urls[2] ?? '', 'id'],
		]) {
			const { items } = await get(value ?? '', mode);
			expect(items[0]?.json).toMatchObject({ url: urls.shift(), projectId: PROJECT });
		}
		expect(sent()[0]).toEqual({ method: 'GET', url: '/v1/videos', body: undefined });
	});

	test('refuses a number that JavaScript rounds, if it is that of several', async () => {
		service.sandbox.addVideos('main', [{ id: '7' }, { id: 'one' }, { id: 'two' }]);
		const numbers = { 7: '7', one: '9007199254740992001', two: '9007199254740992002' };
		const rewrite = (body: object) =>
			Object.entries(numbers).reduce(
				(json, [id, number]) => json.replace(`"id":"${id}"`, `"id":${number}`),
				JSON.stringify(body),
			);
		service.sandbox.addFault({ kind: 'rewrittenBody', rewrite, operation: 'video.getAll' });
		expect((await get('7')).items).toMatchObject([{ json: { id: 7 } }]);
		expect((await get(numbers.two)).error?.message).toBe(
			'The account has no finished video with this ID',
		);
		const { error } = await get(`={{ ${numbers.two} }}`);
		expect(error?.message).toBe('Several finished videos have this ID');
		expect(error?.description).toMatch(/rounds them\. Enter the video's address/);
	});

	test('says which video it does not find', async () => {
		const setup = { items: [{ id: 'gone' }], settings: ERROR_OUTPUT };
		const { errorItems } = await service.run(OPERATIONS['video.get'], setup);
		expect(errorItems[0]?.json).toMatchObject({
			error: 'The account has no finished video with this ID',
			message: like(/Check 'Video'/),
			details: { videoId: 'gone' },
		});
	});
});

test('Video > Download takes an ID, whatever the mode, for an address that is fresh, and reads the list once for all items', async () => {
	const added = service.sandbox.addVideos('main', [{}, {}, {}]);
	const video = { __rl: true, mode: '={{ $json.mode }}', value: '={{ $json.id }}' };
	const { items } = await service.run(
		{ ...DOWNLOAD, video },
		{ items: added.map(({ id }, row) => ({ id, row, mode: ['url', 'id', 'list'][row] })) },
	);
	expect(items.map(({ json }) => json.row)).toEqual([0, 1, 2]);
	expect(items.map(({ binary }) => binary?.data?.fileName)).toEqual(
		added.map(({ id }) => `${id}.mp4`),
	);
	const files = Array<string>(3).fill('video.file');
	expect(service.listSent().sort()).toEqual([...files, 'video.getAll']);
});

test.each(['video.generate', 'queue.wait', 'video.download'] as const)(
	'The files of one run never have the same name, and are numbered in the order of the items: %s',
	async (name) => {
		service.sandbox.configure({ videoUrlInDetails: true });
		const rows: IDataObject[] = [];
		while (rows.length < 3) rows.push(...(await service.createInput(name)));
		const names = ['Output', 'output.mp4', 'other'];
		const { items, error } = await service.run(
			{
				...ALL_OPERATIONS[name],
				downloadVideo: true,
				options: { fileName: '={{ $json.file }}' },
			},
			{ items: rows.map((row, index) => ({ ...row, file: names[index] })) },
		);
		expect(error).toBeUndefined();
		const files = items.map(({ binary }) => binary?.data?.fileName);
		expect(files).toEqual(['Output.mp4', 'output-2.mp4', 'other.mp4']);
	},
);

describe('The list of videos in the editor', () => {
	const search = async (filter?: string) =>
		await searchList(service.setup({}).credentials, 'searchVideos', filter);

	test('shows the newest 100, by date and project, and finds the others by those or by their ID', async () => {
		service.sandbox.addVideos(
			'main',
			Array.from({ length: 120 }, (_, minute) => ({
				id: `v${minute}`,
				createdAt: new Date(Date.UTC(2026, 0, 1, 12, minute, 5)).toISOString(),
				projectId: minute === 0 ? 'project-city-tour' : PROJECT,
			})),
		);
		const shown = await search();
		expect(shown).toHaveLength(100);
		expect(shown[0]).toEqual({
			name: '2026-01-01 08:59:05 GMT-5, Product teaser',
			value: 'v119',
		});
		expect(await search(' City ')).toMatchObject([{ value: 'v0' }]);
		expect(await search('V7')).toMatchObject([{ value: 'v7' }]);
		expect(await search('2026-01-01T12:3')).toHaveLength(10);
		const { name = '' } = shown[0] ?? {};
		for (const part of [name, name.slice(0, 16)]) {
			expect(await search(part)).toMatchObject([{ value: 'v119' }]);
		}
	});

	test.each([
		['Asia/Kolkata', '2026-01-01 17:30:05 GMT+5:30'],
		// n8n knows it, and JavaScript does not.
		['UTC+3', '2026-01-01 15:00:05 GMT+3'],
	])(
		'shows dates with the zone of an n8n whose zone is %s, and finds them as they are shown',
		async (zone, shown) => {
			service.sandbox.addVideos('main', [{ id: 'v', createdAt: '2026-01-01T12:00:05.000Z' }]);
			const state = getGlobalState();
			setGlobalState({ ...state, defaultTimezone: zone });
			try {
				const found = await search(shown);
				const name = expect.stringContaining(`${shown}, `) as string;
				expect(found).toMatchObject([{ name }]);
			} finally {
				setGlobalState(state);
			}
		},
	);
});

describe('Video > Get Many', () => {
	const video = (id: string, createdAt: string, projectId = PROJECT) => ({
		id,
		createdAt,
		projectId,
	});
	const getIds = async (parameters: IDataObject) => {
		const { items, error } = await service.run({
			...OPERATIONS['video.getAll'],
			...(parameters as object),
		});
		expect(error).toBeUndefined();
		return items.map(({ json }) => json.id);
	};

	beforeEach(() => {
		service.sandbox.addVideos('main', [
			video('b', '2026-01-02T00:00:00Z'),
			video('c', '2026-01-03T00:00:00Z', 'project-city-tour'),
			video('a', '2026-01-01T00:00:00Z'),
		]);
	});

	test('returns one item for each video log, newest first', async () => {
		expect(await getIds({})).toEqual(['c', 'b', 'a']);
		expect(sent()).toEqual([{ method: 'GET', url: '/v1/videos', body: undefined }]);
	});

	test('returns 50 videos, or as many as the limit says, or all', async () => {
		service.sandbox.addVideos(
			'main',
			Array.from({ length: 100 }, (_, i) => video(`v${i}`, '2025-01-01T00:00:00Z')),
		);
		expect(await getIds({})).toHaveLength(50);
		expect(await getIds({ limit: 2 })).toEqual(['c', 'b']);
		expect(await getIds({ returnAll: true })).toHaveLength(103);
	});

	const BEFORE = { createdBefore: '2026-01-02T12:00:00Z' };
	const AFTER = { createdAfter: "={{ DateTime.fromISO('2026-01-01T12:00:00Z') }}" };
	const TOUR = { projectId: { __rl: true, mode: 'list', value: 'project-city-tour' } };
	test.each([
		[{ filters: TOUR }, ['c']],
		[{ filters: { ...AFTER, ...BEFORE } }, ['b']],
		[{ filters: null }, ['c', 'b', 'a']],
		[{ filters: BEFORE, limit: 1 }, ['b']],
	])('with %j returns %j', async (parameters, expected) => {
		expect(await getIds(parameters)).toEqual(expected);
	});
});

describe('Project > Get Many', () => {
	test.each([
		[{}, '/v1/projects'],
		[{ sort: 'createdAt' }, '/v1/projects?sort=createdAt'],
		[{ sort: 'updatedAt', order: 'desc' }, '/v1/projects?sort=updatedAt&order=desc'],
	])('sorted as in %j asks for %s', async (sort, url) => {
		await service.run({ ...OPERATIONS['project.getAll'], sort });
		expect(sent()).toEqual([{ method: 'GET', url, body: undefined }]);
	});

	test('returns one item for each project up to the limit, in the order of the service', async () => {
		const sort = { sort: 'createdAt', order: 'asc' };
		const parameters = { ...OPERATIONS['project.getAll'], sort };
		const { items } = await service.run({ ...parameters, limit: 3 });
		const names = ['Launch film (3 credits)', 'Product teaser', 'City tour'];
		expect(items.map(({ json }) => json.name)).toEqual(names);
	});
});

test('Account > Get returns the account without its envelope, and begins with the credits that are left', async () => {
	const { items } = await service.run(OPERATIONS['account.get']);
	expect(sent()).toEqual([{ method: 'GET', url: '/v1/user/account', body: undefined }]);
	expect(items[0]?.json).toMatchObject({
		name: 'Ada Example',
		email: 'ada@example.com',
		usage: { remainingCredits: 100 },
	});
	expect(items[0]?.json).not.toHaveProperty('status');
	expect(items[0]?.json).not.toHaveProperty('message');
	expect(JSON.stringify(items[0]?.json)).toMatch(/^{"usage":{"remainingCredits":100}/);
});

test('A queue ID is exactly one segment of the path, or fails before the request', async () => {
	const parameters = OPERATIONS['queue.getProgress'];
	await service.run(parameters, { items: [{ queueId: ' ../a?b#c\r\nX-Injected: 1 ' }] });
	const [request] = service.sandbox.requests;
	expect(request?.url).toBe('/v1/queue/progress/..%2Fa%3Fb%23c%0D%0AX-Injected%3A%201');
	expect(request?.headers).not.toHaveProperty('x-injected');
	const { error } = await service.run(parameters, { items: [{ queueId: '..' }] });
	expect(error?.message).toBe("'Queue ID' must be the ID of a queue item");
	expect(service.sandbox.requests).toHaveLength(1);
});

test('Get Progress outputs the queue ID that was asked for, whatever its details have', async () => {
	const details = { queueId: null, status: 'pending' };
	const body = { status: 'success', details };
	service.sandbox.addFault({ kind: 'status', status: 200, body });
	const get = { ...OPERATIONS['queue.getProgress'], queueId: '9007199254740993' };
	expect((await service.run(get)).items[0]?.json).toMatchObject({ queueId: '9007199254740993' });
});

describe("n8n's Request Options", () => {
	test("fail every item if 'Items per Batch' is no number, and none comes out as a success", async () => {
		// n8n reads it of the first item.
		const batch = { batchSize: '={{ $json.size ?? "all" }}', batchInterval: 0 };
		const requestOptions = { batching: { batch } };
		const setup = { items: [{}, { size: 1 }], settings: ERROR_OUTPUT };
		const { items, errorItems } = await service.run({ ...ADD, requestOptions }, setup);
		const error = "'Items per Batch' must be a number";
		expect(errorItems.map(({ json }) => json.error)).toEqual([error, error]);
		expect(items).toEqual([]);
		expect(service.sandbox.requests).toEqual([]);
	});

	test('and Options may be there without a value', async () => {
		for (const parameters of [
			{ options: null, requestOptions: null },
			{ options: { maxTries: '={{ undefined }}' }, requestOptions: { timeout: null, proxy: null } },
			{ requestOptions: { batching: { batch: null } } },
		]) {
			const { items, error } = await service.run({ ...OPERATIONS['account.get'], ...parameters });
			expect(error).toBeUndefined();
			expect(items).toHaveLength(1);
		}
	});
});

/*
 * The recipes of examples/README.md that decide what is paid or counted, with their expressions as the page has them.
 * n8n's own nodes run in "e2e/workflows".
 */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The expressions of a recipe, in their order. */
function readRecipe(title: string): string[] {
	const lines = readFileSync('examples/README.md', 'utf8').split('\n');
	const recipe = lines.find((line) => line.startsWith(`- **${title}**`)) ?? '';
	return [...recipe.matchAll(/`(\{\{[^`]+\}\})`/g)].map(([, expression]) => `=${expression}`);
}

test("What this month's videos have cost: lists those of the month, with the project that they are counted by", async () => {
	const [createdAfter] = readRecipe("What this month's videos have cost");
	const now = service.sandbox.clock.now();
	const ages: [id: string, projectId: string, ageDays: number][] = [
		['a', PROJECT, 0],
		['b', 'project-city-tour', 0],
		['c', PROJECT, 0],
		['last month', PROJECT, 31],
		['last year', PROJECT, 365],
	];
	service.sandbox.addVideos(
		'main',
		ages.map(([id, projectId, days]) => {
			return { id, projectId, createdAt: new Date(now - days * DAY_MS).toISOString() };
		}),
	);
	const list = { ...OPERATIONS['video.getAll'], returnAll: true, filters: { createdAfter } };
	const { items } = await service.run(list);
	const counted = items.map(({ json: { id, projectId } }) => [id, projectId]);
	const expected = ages.slice(0, 3).map(([id, projectId]) => [id, projectId]);
	expect(counted.sort()).toEqual(expected);
});

describe('One video a day for each person: a further one is left out, whoever asked first,', () => {
	const [daily = '', hourly = ''] = readRecipe('One video a day for each person');
	const people = ['ada', 'bob'].map((name) => ({ email: `${name}@example.com` }));

	const ask = async (uniqueKey: string, items: IDataObject[]) => {
		const parameters = { ...GENERATE, customPrompt: '={{ $json.email }}', options: { uniqueKey } };
		const { items: made } = await service.run(parameters, { items, settings: ERROR_OUTPUT });
		return made.map(({ json }) => service.listPaidIds().indexOf(json.queueId as string));
	};

	test('until the next day', async () => {
		expect(await ask(daily, people)).toEqual([0, 1]);
		expect(await ask(daily, people)).toEqual([]);
		service.sandbox.clock.advance(DAY_MS);
		expect(await ask(daily, people.slice(0, 1))).toEqual([2]);
		expect(service.listPaid()).toEqual(['ada', 'bob', 'ada'].map((name) => `${name}@example.com`));
	});

	test('and with one an hour for all, until the next hour', async () => {
		const [ada, bob] = people.map((person) => [person]);
		expect(await ask(hourly, ada ?? [])).toEqual([0]);
		expect(await ask(hourly, bob ?? [])).toEqual([]);
		service.sandbox.clock.advance(HOUR_MS);
		expect(await ask(hourly, bob ?? [])).toEqual([1]);
	});
});
