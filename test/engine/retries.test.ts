import { API_OPERATIONS, OPERATIONS } from '../support/engine/OPERATIONS';
import { runNode } from '../support/engine/runNode';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();
const READS = API_OPERATIONS.filter((name) => !['queue.add', 'queue.clear'].includes(name));
const REPEATED = API_OPERATIONS.filter((name) => name !== 'queue.add');

async function queueVideo() {
	const { items } = await service.run(OPERATIONS['queue.add']);
	service.sandbox.clearRequests();
	return items[0]?.json.queueId as string;
}

/**
 * Runs with skipped waits, and measures the time between consecutive requests on the fake clock.
 */
async function runTimed(start: () => ReturnType<typeof service.run>) {
	const times: number[] = [];
	const stopListening = service.sandbox.onRequest(() => times.push(jest.now()));
	const result = await runWithoutWaiting(start);
	stopListening();
	return { ...result, waits: times.slice(1).map((time, i) => time - (times[i] ?? 0)) };
}

describe('A request that changes nothing or does no harm twice', () => {
	describe.each(REPEATED)('%s', (name) => {
		test.each([
			['429', { kind: 'tooManyRequests', retryAfter: 'none' }],
			['500', { kind: 'status', status: 500 }],
			['502', { kind: 'status', status: 502 }],
			['503', { kind: 'status', status: 503 }],
			['504', { kind: 'status', status: 504 }],
			['a reset', { kind: 'reset' }],
			['an answer that breaks off', { kind: 'cutOff', ending: 'break' }],
		] as const)('is sent again after %s', async (_what, fault) => {
			const queueId = await queueVideo();
			service.sandbox.addFault({ ...fault, times: 1 });
			const { items, error } = await runTimed(() =>
				service.run(OPERATIONS[name], { items: [{ queueId }] }),
			);
			expect(error).toBeUndefined();
			expect(service.sandbox.requests.map(({ operation }) => operation)).toEqual([name, name]);
			if (name !== 'video.getAll') expect(items.length).toBeGreaterThan(0);
		});

		test('is sent 4 times at the most, or as often as Max Tries says', async () => {
			const queueId = await queueVideo();
			service.sandbox.addFault({ kind: 'status', status: 503 });
			const four = await runTimed(() => service.run(OPERATIONS[name], { items: [{ queueId }] }));
			expect(service.sandbox.requests).toHaveLength(4);
			expect(four.error).toMatchObject({
				httpCode: '503',
				description: expect.stringContaining('The request was sent 4 times.') as string,
			});

			service.sandbox.clearRequests();
			await runTimed(() =>
				service.run({ ...OPERATIONS[name], options: { maxTries: 2 } }, { items: [{ queueId }] }),
			);
			expect(service.sandbox.requests).toHaveLength(2);
		});

		test('is sent again after a timeout', async () => {
			const queueId = await queueVideo();
			service.sandbox.addFault({ kind: 'hang', times: 1 });
			const parameters = { ...OPERATIONS[name], requestOptions: { timeout: 150 } };
			const { error } = await runTimed(() => service.run(parameters, { items: [{ queueId }] }));
			expect(error).toBeUndefined();
			expect(service.sandbox.requests).toHaveLength(2);
		});
	});

	test.each([
		['401', { kind: 'status', status: 401 }],
		['404', { kind: 'status', status: 404 }],
		['418', { kind: 'status', status: 418 }],
		['501', { kind: 'status', status: 501 }],
		['a redirect', { kind: 'redirect', location: 'http://127.0.0.1:1/' }],
		['a web page', { kind: 'html' }],
		['a 200 that reports a failure', { kind: 'errorEnvelope' }],
	] as const)('is sent once when the answer is %s', async (_what, fault) => {
		service.sandbox.addFault(fault);
		for (const name of READS) await service.run(OPERATIONS[name], { items: [{ queueId: 'q' }] });
		expect(service.sandbox.requests).toHaveLength(READS.length);
	});
});

describe('Between two tries', () => {
	test.each(['seconds', 'date'] as const)(
		'of a 429 with Retry-After in %s there is the wait that the service asks for',
		async (retryAfter) => {
			service.sandbox.addFault({ kind: 'tooManyRequests', retryAfter, seconds: 1, times: 2 });
			const { waits, error } = await runTimed(() => service.run(OPERATIONS['project.getAll']));
			expect(error).toBeUndefined();
			expect(waits).toEqual([1000, 1000]);
		},
	);

	test('there is a growing random wait when the service asks for none', async () => {
		jest.spyOn(Math, 'random').mockReturnValue(0.5);
		service.sandbox.addFault({ kind: 'reset' });
		const { waits } = await runTimed(() => service.run(OPERATIONS['project.getAll']));
		jest.restoreAllMocks();
		expect(waits).toEqual([500, 1000, 2000]);
	});

	test('there is no wait of more than two minutes: the error says when to come back', async () => {
		service.sandbox.addFault({ kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 600 });
		const { error } = await service.run(OPERATIONS['project.getAll']);
		expect(service.sandbox.requests).toHaveLength(1);
		expect(error).toMatchObject({
			httpCode: '429',
			description: expect.stringContaining('in 10 minutes') as string,
		});
	});
});

describe('A service that is not there', () => {
	test.each(API_OPERATIONS)('is tried 4 times by %s, and named as the reason', async (name) => {
		const setup = service.setup(OPERATIONS[name]);
		const { error } = await runWithoutWaiting(() =>
			runNode({
				...setup,
				items: [{ queueId: 'q' }],
				credentials: { ...setup.credentials, baseUrl: 'http://127.0.0.1:1' },
			}),
		);
		expect(error).toMatchObject({
			httpCode: 'ECONNREFUSED',
			message: 'The video service could not be reached: nothing accepts connections there',
		});
		expect(error?.description).toContain("'Base URL'");
	});
});

describe('A clear', () => {
	test('whose first try may have been carried out is a success when the next one finds nothing', async () => {
		const queueId = await queueVideo();
		service.sandbox.addFault({ kind: 'reset', phase: 'after', times: 1 });
		const { items, error } = await runTimed(() =>
			service.run(OPERATIONS['queue.clear'], { items: [{ queueId }] }),
		);
		expect(
			service.sandbox.requests.map(({ status, broken }) => status ?? (broken && 'broken')),
		).toEqual(['broken', 404]);
		expect(error).toBeUndefined();
		expect(items[0]?.json).toEqual({ queueId, deleted: true });
	});

	test('of nothing is an error, also after a try that was refused', async () => {
		const queueId = await queueVideo();
		service.sandbox.removeQueueItem(queueId);
		service.sandbox.addFault({ kind: 'tooManyRequests', retryAfter: 'none', times: 1 });
		const { error } = await runTimed(() =>
			service.run(OPERATIONS['queue.clear'], { items: [{ queueId }] }),
		);
		expect(service.sandbox.requests).toHaveLength(2);
		expect(error?.httpCode).toBe('404');
	});
});

describe('Reads', () => {
	test('run side by side', async () => {
		service.sandbox.addFault({ kind: 'hang', times: 2 });
		const running = service.run(
			{ ...OPERATIONS['account.get'], requestOptions: { timeout: 300 }, options: { maxTries: 1 } },
			{ items: [{}, {}] },
		);
		await service.sandbox.waitForRequests({ count: 2 });
		expect((await running).error?.httpCode).toBe('ECONNABORTED');
	});

	test('are not sent for nobody when n8n gives up on the node before it has started all of them', async () => {
		const parameters = {
			...OPERATIONS['queue.getProgress'],
			queueId: "={{ $json.queueId ?? $('Nowhere').item.json.x }}",
		};
		const { error } = await service.run(parameters, { items: [{ queueId: 'q' }, {}] });
		expect(error).toBeDefined();
		expect(service.sandbox.requests).toEqual([]);
	});

	test('give up their waits when one of them fails and the node stops', async () => {
		const waiting = await queueVideo();
		const missing = await queueVideo();
		service.sandbox.removeQueueItem(missing);
		service.sandbox.addFault({
			kind: 'tooManyRequests',
			retryAfter: 'seconds',
			seconds: 100,
			containing: waiting,
		});
		const { error, waits } = await runTimed(() =>
			service.run(OPERATIONS['queue.getProgress'], {
				items: [{ queueId: waiting }, { queueId: missing }],
			}),
		);
		expect(error).toMatchObject({ httpCode: '404', context: { itemIndex: 1 } });
		expect(service.sandbox.requests).toHaveLength(2);
		expect(waits).toEqual([0]);
	});
});
