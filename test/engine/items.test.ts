import type { IncomingMessage, ServerResponse } from 'node:http';
import { request as sendRequest } from 'node:http';
import type { INode } from 'n8n-workflow';
import {
	API_OPERATIONS,
	byId,
	GENERATE,
	OPERATIONS,
	PROJECT,
} from '../support/engine/OPERATIONS';
import { runNode } from '../support/engine/runNode';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { hasFeature } from '../support/engine/testWith';
import { useFileHost } from '../support/engine/useFileHost';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();
const CONTINUE: Partial<INode> = { onError: 'continueErrorOutput' };
const GET_PROGRESS = OPERATIONS['queue.getProgress'];

/** Does what a proxy does: sends a request on, and its response back. */
function forward(request: IncomingMessage, response: ServerResponse): void {
	const { method = '', headers, url = '' } = request;
	const onward = sendRequest(url, { method, headers }, (reply) => {
		response.writeHead(reply.statusCode ?? 0, reply.headers);
		reply.pipe(response);
	});
	request.pipe(onward);
}

describe('The items of a run', () => {
	test('fail alone, linked to their input, when the expression of an option cannot be evaluated', async () => {
		const timeout = "={{ $json.id ? 5000 : $('Nowhere').item.json.x }}";
		const [first, third] = await service.queueVideos(2);
		const { items, errorItems, found } = await service.run(
			{ ...GET_PROGRESS, queueId: "={{ $json.id ?? 'none' }}", requestOptions: { timeout } },
			{ items: [{ id: first }, {}, { id: third }], settings: CONTINUE },
		);
		expect(items.map(({ json, pairedItem }) => [json.queueId, pairedItem])).toEqual([
			[first, { item: 0 }],
			[third, { item: 2 }],
		]);
		expect(errorItems).toEqual([
			{
				json: {
					error: "Referenced node doesn't exist",
					message: expect.stringMatching(/./) as string,
					details: { queueId: 'none' },
				},
				pairedItem: { item: 1 },
			},
		]);
		expect(found.errorItems).toEqual([{}]);
	});

	// n8n describes this restriction as "when used in the HTTP Request or GraphQL node".
	test('are sent with a credential that other nodes may not use', async () => {
		const { credentials } = service.setup({});
		for (const name of API_OPERATIONS) {
			const { error } = await runNode({
				parameters: OPERATIONS[name],
				credentials: { ...credentials, allowedHttpRequestDomains: 'none' },
				items: await service.createInput(name),
			});
			expect(error).toBeUndefined();
		}
	});

	test.each([
		['reads', GET_PROGRESS],
		['adds', OPERATIONS['queue.add']],
	])('are sent in batches, with pauses, as the user sets them: %s', async (_what, parameters) => {
		const items = (await service.queueVideos(5)).map((queueId) => ({ queueId }));
		const requestOptions = { batching: { batch: { batchSize: 2, batchInterval: 7000 } } };
		const startedAt = service.sandbox.clock.now();
		await runWithoutWaiting(
			async () => await service.run({ ...parameters, requestOptions }, { items }),
			service.sandbox,
		);
		expect(service.sandbox.requests).toHaveLength(5);
		// A millisecond more where n8n does other work between two items.
		const elapsedMs = service.sandbox.clock.now() - startedAt;
		expect([14_000, 14_001, 14_002]).toContain(elapsedMs);
	});

	test('in later batches are not sent when one of an earlier batch fails and the node stops', async () => {
		const [queueId] = await service.queueVideos(1);
		const requestOptions = { batching: { batch: { batchSize: 1, batchInterval: 7000 } } };
		const { error } = await runWithoutWaiting(
			async () =>
				await service.run(
					{ ...GET_PROGRESS, requestOptions },
					{ items: [{ queueId: 'unknown' }, { queueId }, { queueId }] },
				),
		);
		expect(error).toMatchObject({ httpCode: '400', context: { itemIndex: 0 } });
		expect(service.sandbox.requests).toHaveLength(1);
	});

	describe('behind a proxy', () => {
		const proxy = useFileHost();
		const getProxy = (login: string) => proxy.url.replace('//', `//${login}@`);

		test('are all sent by way of it, with its name and password: add, progress, list and file', async () => {
			proxy.answer(forward);
			const requestOptions = { proxy: getProxy('us%40er:secret') };
			const parameters = { ...GENERATE, downloadVideo: true, requestOptions };
			const { error } = await runWithoutWaiting(() => service.run(parameters), service.sandbox);
			expect(error).toBeUndefined();
			expect(new Set(service.sandbox.requests.map(({ operation }) => operation))).toEqual(
				new Set(['video.getAll', 'queue.add', 'queue.getProgress', 'video.file']),
			);
			expect(proxy.requests).toHaveLength(service.sandbox.requests.length);
			const authorization = `Basic ${Buffer.from('us@er:secret').toString('base64')}`;
			for (const { headers } of proxy.requests) {
				expect(headers['proxy-authorization']).toBe(authorization);
			}
		});

		test.each([
			[
				'cannot be reached',
				'http://user:s3cret@127.0.0.1:1',
				/nothing accepts connections.*'Proxy'/,
				2,
			],
			['wants another password', undefined, /\(407\)/, 1],
		])('that %s are not sent', async (_what, address = getProxy('user:s3cret'), error, tries) => {
			proxy.answer((_request, response) => response.writeHead(407).end());
			const { errorItems, run } = await runWithoutWaiting(() =>
				service.run(
					{
						...{ ...OPERATIONS['queue.add'], requestOptions: { proxy: address } },
						options: { maxTries: 2 },
					},
					{ settings: CONTINUE },
				),
			);
			const { json } = errorItems[0] ?? {};
			expect(JSON.stringify([json?.error, json?.message])).toMatch(error);
			expect(json?.details).toMatchObject({ mayBeQueued: false, tries });
			const kept = run.data.resultData.runData['Video Generation'];
			expect(JSON.stringify(kept)).not.toContain('s3cret');
			expect(service.sandbox.requests).toEqual([]);
		});

		test('are not sent when its address cannot be used', async () => {
			const { items, errorItems } = await service.run(
				{
					...OPERATIONS['queue.add'],
					requestOptions: { proxy: '={{ $json.proxy }}' },
				},
				{ items: [{ proxy: 'no address' }, { proxy: '' }], settings: CONTINUE },
			);
			expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 1 }]);
			expect(errorItems[0]).toMatchObject({
				json: {
					error: "'Proxy' must be an address",
					message: expect.stringContaining('Nothing was sent') as string,
				},
				pairedItem: { item: 0 },
			});
			expect(service.sandbox.requests).toHaveLength(1);
		});
	});
});

describe('The requests of 300 items', () => {
	const open = { now: 0, most: 0 };
	const slow = useSandbox({
		wait: async () => {
			open.now += 1;
			open.most = Math.max(open.most, open.now);
			// Each request waits until no more requests arrive.
			for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
			open.now -= 1;
		},
	});

	test('are not all on their way at once, but many are', async () => {
		slow.sandbox.addFault({ kind: 'latency', delayMs: 1, operation: 'account.get' });
		const items = Array.from({ length: 300 }, () => ({}));
		const { items: accounts } = await slow.run(OPERATIONS['account.get'], { items });
		expect(accounts).toHaveLength(300);
		expect(open.most).toBeGreaterThan(10);
		expect(open.most).toBeLessThanOrEqual(64);
	});
});

test('A failed item has its details beside its error, and before n8n 2.36, which takes it for a success otherwise, in it', async () => {
	const row = { queueId: '00000000-0000-4000-8000-000000000000', row: 1 };
	const setup = { items: [row], settings: CONTINUE };
	const { run } = await service.run(GET_PROGRESS, setup);
	const message = 'The video service has no queue item with this ID';
	const details = expect.objectContaining({ httpCode: '404' }) as object;
	const json = {
		...row,
		...(hasFeature('errorDetails') ? { error: message, details } : { error: { message, details } }),
		message: expect.stringContaining("Check 'Queue ID'") as string,
	};
	expect(run.data.resultData.runData['Video Generation']?.[0]?.data?.main).toEqual([
		...[[], [{ json, pairedItem: { item: 0 } }]],
	]);
});

describe('Every output item', () => {
	test('belongs to its own input item when 3 of them get 0, 2 and 5 videos', async () => {
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

	test('of both branches can look back when 2 of 4 items fail: failed ones with what a repair needs', async () => {
		const queueIds = await service.queueVideos(4);
		service.sandbox.removeQueueItem(queueIds[1] ?? '');
		const teapot = { kind: 'status', status: 418, message: 'Teapot' } as const;
		service.sandbox.addFault({ ...teapot, containing: queueIds[3] ?? '' });
		const input = queueIds.map((queueId, row) => ({ queueId, row }));
		const { items, errorItems, found, error } = await service.run(GET_PROGRESS, {
			...{ items: input, settings: CONTINUE },
		});
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.queueId)).toEqual([queueIds[0], queueIds[2]]);
		expect(found.items).toEqual([input[0], input[2]]);
		expect(found.errorItems).toEqual([input[1], input[3]]);
		expect(errorItems.map(({ json }) => json)).toEqual([
			expect.objectContaining({
				...input[1],
				error: 'The video service has no queue item with this ID',
			}),
			{
				...input[3],
				error: 'The video service rejected the request (418)',
				message: 'Check \'Queue ID\' of this item. The service said: "Teapot".',
				details: { queueId: queueIds[3], httpCode: '418', serviceMessage: 'Teapot', tries: 1 },
			},
		]);
	});
});
