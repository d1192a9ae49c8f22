import { request as sendRequest, type RequestListener } from 'node:http';
import type { INodeProperties, NodeParameterValueType } from 'n8n-workflow';
import { VideoGeneration } from '../../nodes/VideoGeneration/VideoGeneration.node';
import { ALL_OPERATIONS, byId, GENERATE, OPERATIONS, PROJECT } from '../support/engine/OPERATIONS';
import { ERROR_OUTPUT } from '../support/engine/runNode';
import { hasFeature } from '../support/engine/testWith';
import { useBinaryStore } from '../support/engine/useBinaryStore';
import { useFileHost } from '../support/engine/useFileHost';
import { useSandbox } from '../support/engine/useSandbox';
import { like } from '../support/like';

const service = useSandbox();
useBinaryStore();
const proxy = useFileHost();
const ADD = OPERATIONS['queue.add'];
const GET_PROGRESS = OPERATIONS['queue.getProgress'];
const BATCHES = { batching: { batch: { batchSize: 2, batchInterval: 7000 } } };

/** Does what a proxy does: sends a request on, and its response back. */
const forward: RequestListener = (request, response) => {
	const { method = '', headers, url = '' } = request;
	const onward = sendRequest(url, { method, headers }, (reply) => {
		response.writeHead(reply.statusCode ?? 0, reply.headers);
		reply.pipe(response);
	});
	request.pipe(onward);
};

describe('The items of a run', () => {
	test('fail alone, linked to their input, when the expression of an option cannot be evaluated', async () => {
		const timeout = "={{ $json.id ? 5000 : $('Nowhere').item.json.x }}";
		const [first, third] = await service.queueVideos(2);
		const { items, errorItems, found } = await service.run(
			{ ...GET_PROGRESS, queueId: "={{ $json.id ?? 'none' }}", requestOptions: { timeout } },
			{ items: [{ id: first }, {}, { id: third }], settings: ERROR_OUTPUT },
		);
		expect(items.map(({ json, pairedItem }) => [json.queueId, pairedItem])).toEqual([
			[first, { item: 0 }],
			[third, { item: 2 }],
		]);
		expect(errorItems).toEqual([
			{
				json: {
					error: "Referenced node doesn't exist",
					message: like(/./),
					details: { queueId: 'none' },
				},
				pairedItem: { item: 1 },
			},
		]);
		expect(found.errorItems).toEqual([{}]);
	});

	test.each([
		['reads', GET_PROGRESS],
		['adds', ADD],
	])('are sent in batches, with pauses, as the user sets them: %s', async (_what, parameters) => {
		const items = (await service.queueVideos(5)).map((queueId) => ({ queueId }));
		await service.run({ ...parameters, requestOptions: BATCHES }, { items });
		const [first = 0, ...others] = service.sandbox.requests.map(({ at }) => at);
		const seconds = others.map((at) => Math.round((at - first) / 1000));
		expect(seconds).toEqual([0, 7, 7, 14]);
	});

	test('in later batches are not sent when one of an earlier batch fails and the node stops', async () => {
		const [queueId] = await service.queueVideos(1);
		const items = [{ queueId: 'unknown' }, { queueId }, { queueId }];
		const { error } = await service.run({ ...GET_PROGRESS, requestOptions: BATCHES }, { items });
		expect(error).toMatchObject({ httpCode: '400', context: { itemIndex: 0 } });
		expect(service.sandbox.requests).toHaveLength(2);
	});

	describe('behind a proxy', () => {
		const getProxy = (login: string) => proxy.url.replace('//', `//${login}@`);

		test.each(['Proxy', 'HTTP_PROXY'])(
			'are all sent by way of the one in %s, with its name and password: add, progress, list and file',
			async (where) => {
				proxy.answer(forward);
				const address = getProxy('us%40er:secret');
				if (where === 'HTTP_PROXY') {
					jest.replaceProperty(process, 'env', { ...process.env, HTTP_PROXY: address });
				}
				const requestOptions = where === 'Proxy' ? { proxy: address } : {};
				const parameters = { ...GENERATE, downloadVideo: true, requestOptions };
				const { error } = await service.run(parameters);
				jest.restoreAllMocks();
				expect(error).toBeUndefined();
				const operations = ['video.getAll', 'queue.add', 'queue.getProgress', 'video.file'];
				expect(new Set(service.listSent())).toEqual(new Set(operations));
				expect(proxy.requests).toHaveLength(service.sandbox.requests.length);
				const authorization = `Basic ${Buffer.from('us@er:secret').toString('base64')}`;
				for (const { headers } of proxy.requests) {
					expect(headers['proxy-authorization']).toBe(authorization);
				}
			},
		);

		const UNREACHED = /nothing accepts connections.*'Proxy'/;
		test.each([
			['cannot be reached', 'http://user:s3cret@127.0.0.1:1', UNREACHED, 2],
			['wants another password', undefined, /A proxy refused .*\(407\).*'Proxy'/, 1],
		])('that %s are not sent', async (_what, address = getProxy('user:s3cret'), error, tries) => {
			proxy.answer((_request, response) => response.writeHead(407).end());
			const options = { maxTries: 2 };
			const parameters = { ...ADD, options, requestOptions: { proxy: address } };
			const { errorItems, run } = await service.run(parameters, { settings: ERROR_OUTPUT });
			const { json } = errorItems[0] ?? {};
			expect(JSON.stringify([json?.error, json?.message])).toMatch(error);
			expect(json?.details).toMatchObject({ mayBeQueued: false, tries });
			const kept = run.data.resultData.runData['Video Generation'];
			expect(JSON.stringify(kept)).not.toContain('s3cret');
			expect(service.sandbox.requests).toEqual([]);
		});
	});
});

const open = { now: 0, most: 0 };
const slow = useSandbox({
	wait: async () => {
		open.now += 1;
		open.most = Math.max(open.most, open.now);
		// Each request waits until no more requests arrive.
		for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
		open.now -= 1;
	},
});

test('The requests of 150 items are not all on their way at once, but many are', async () => {
	slow.sandbox.addFault({ kind: 'latency', delayMs: 1, operation: 'account.get' });
	const items = Array.from({ length: 150 }, () => ({}));
	const { items: accounts } = await slow.run(OPERATIONS['account.get'], { items });
	expect(accounts).toHaveLength(150);
	expect(open.most).toBeGreaterThan(10);
	expect(open.most).toBeLessThanOrEqual(64);
});

test('A failed item has its details beside its error, and before n8n 2.36, which takes it for a success otherwise, in it', async () => {
	const row = { queueId: '00000000-0000-4000-8000-000000000000', row: 1 };
	const { run } = await service.run(GET_PROGRESS, { items: [row], settings: ERROR_OUTPUT });
	const message = 'The video service has no queue item with this ID';
	const details = expect.objectContaining({ httpCode: '404' }) as object;
	const json = {
		...row,
		...(hasFeature('errorDetails') ? { error: message, details } : { error: { message, details } }),
		message: like(/Check 'Queue ID'/),
	};
	const { main } = run.data.resultData.runData['Video Generation']?.[0]?.data ?? {};
	expect(main).toEqual([[], [{ json, pairedItem: { item: 0 } }]]);
});

test('Every output item belongs to its own input item when 3 of them get 0, 2 and 5 videos', async () => {
	service.sandbox.addVideos('main', [
		...Array.from({ length: 2 }, () => ({ projectId: PROJECT })),
		...Array.from({ length: 5 }, () => ({ projectId: 'project-city-tour' })),
	]);
	const wanted = ['project-launch-film', PROJECT, 'project-city-tour'].map((id) => ({ id }));
	const { items, found } = await service.run(
		{ ...OPERATIONS['video.getAll'], filters: { projectId: byId('={{ $json.id }}') } },
		{ items: wanted },
	);
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
		[1, 1, 2, 2, 2, 2, 2].map((item) => ({ item })),
	);
	expect(found.items).toEqual([1, 1, 2, 2, 2, 2, 2].map((index) => wanted[index]));
	expect(items.map(({ json }) => json.projectId)).toEqual(
		found.items.map((item) => (item as { id: string }).id),
	);
});

describe('A parameter is', () => {
	test.each([
		['what was typed, beside a column without a name', 'The sea', { '': 'Not this' }, 'The sea'],
		[
			'the text of its field, which n8n does not evaluate',
			'={{ $json.topic }}',
			{ topic: '={{ 1 }} and {{ undefined }}' },
			'={{ 1 }} and {{ undefined }}',
		],
	])('%s', async (_what, customPrompt, json, sent) => {
		const { error } = await service.run({ ...ADD, customPrompt }, { items: [json] });
		expect(error).toBeUndefined();
		expect(service.sandbox.requests).toMatchObject([{ body: { customPrompt: sent } }]);
	});

	test('the ID that was typed, so that nothing else is deleted, beside a column without a name', async () => {
		const [typed, other] = await service.queueVideos(2);
		const clear = { ...OPERATIONS['queue.clear'], queueId: typed };
		await service.run(clear, { items: [{ '': other }] });
		const { queue } = service.sandbox.readState();
		expect(queue.map(({ queueId }) => queueId)).toEqual([other]);
	});
});

/**
 * Expressions for a column that the row lacks, and for a value that no field takes. Not tried here: other values
 * (tables/item/parameters.test.ts), expressions that fail, and the fields of the trigger (trigger.test.ts).
 */
const NOTHING = '={{ $json.misspelt }}';
const OBJECT = '={{ ({ a: 1 }) }}';

/** Without a value, these fields mean what they mean when they are left out. */
const OPTIONAL = new Set([
	...['overwriteSettings', 'downloadVideo', 'queuedAt', 'returnAll', 'limit'],
	...['options.maxTries', 'options.fileName', 'sort.sort', 'sort.order'],
]);
const isOptional = (operation: string, path: string) =>
	OPTIONAL.has(path) ||
	path.startsWith('waitOptions.') ||
	`${operation} ${path}` === 'queue.wait projectId';

/** The fields of an operation: those of a collection by their path. */
function listFields(operation: string) {
	const [resource = '', name = ''] = operation.split('.');
	const isOf = ({ displayOptions: { show = {} } = {} }: INodeProperties) =>
		show.resource?.includes(resource) && show.operation?.includes(name);
	const isShown = ({ displayOptions }: INodeProperties) =>
		displayOptions?.show?.['/operation']?.includes(name) ?? true;
	return new VideoGeneration().description.properties.filter(isOf).flatMap((property) => {
		if (property.type !== 'collection') return [{ ...property, path: property.name }];
		const fields = (property.options as INodeProperties[]).filter(isShown);
		return fields.map((field) => ({ ...field, path: `${property.name}.${field.name}` }));
	});
}

test.each(Object.keys(ALL_OPERATIONS) as (keyof typeof ALL_OPERATIONS)[])(
	'%s with a field without a value, unless it may be left out, or with an object sends nothing and names the field',
	async (operation) => {
		service.sandbox.configure({ videoUrlInDetails: true });
		const fields = listFields(operation);
		if (operation !== 'account.get') expect(fields.length).toBeGreaterThan(1);
		for (const { path, displayName, type } of fields) {
			for (const value of [NOTHING, OBJECT]) {
				const items = await service.createInput(operation);
				const [field = '', entry] = path.split('.');
				const given = type === 'resourceLocator' ? byId(value) : value;
				const parameters: Record<string, NodeParameterValueType> = {
					...ALL_OPERATIONS[operation],
					downloadVideo: true,
					[field]: entry === undefined ? given : { [entry]: given },
				};
				const { error } = await service.run(parameters, { items });
				const text = `${error?.message} ${error?.description}`;
				const isTaken = value === NOTHING && isOptional(operation, path);
				const names = isTaken ? error === undefined : text.includes(`'${displayName}'`);
				const requests = isTaken ? 0 : service.sandbox.requests.length;
				const isAsPromised = { path, value, text, names: true, requests: 0 };
				expect({ path, value, text, names, requests }).toEqual(isAsPromised);
			}
		}
	},
);

test('An expression of 100 KB takes no longer because it looks like many fields', async () => {
	/** The processor time of a run, in milliseconds: others may be busy. */
	const measure = async (part: string) => {
		const text = part.repeat(100_000 / part.length);
		const customPrompt = `={{ $json.prompt /* ${text} */ }}`;
		const before = process.cpuUsage();
		const parameters = { ...ADD, customPrompt };
		const { items } = await service.run(parameters, { items: [{ prompt: 'A film' }] });
		expect(items).toHaveLength(1);
		return process.cpuUsage(before).user / 1000;
	};
	const plainMs = Math.max(await measure('a field '), await measure('a field '));
	for (const part of ['$json["', '$json["a" ', '$json["a"   "   ']) {
		expect(await measure(part)).toBeLessThan(3 * plainMs + 500);
	}
});
