import { OPERATIONS } from '../support/engine/OPERATIONS';
import { startNode } from '../support/engine/runNode';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();

/** Presses Stop after this number of requests, and measures how long the execution takes to end. */
async function stopAfter(requests: number, parameters: object, items = [{}]) {
	const started = await startNode({ ...service.setup({ ...parameters }), items });
	await service.sandbox.waitForRequests({ count: requests });
	await new Promise((resolve) => setImmediate(resolve));
	const stoppedAt = performance.now();
	started.stop();
	const { run } = await started.result;
	return { status: run.status, tookMs: performance.now() - stoppedAt };
}

describe('Pressing stop', () => {
	test('ends the wait between two tries within a second, and nothing more is sent', async () => {
		service.sandbox.addFault({ kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 100 });
		const { status, tookMs } = await stopAfter(3, OPERATIONS['account.get'], [{}, {}, {}]);
		expect(status).toBe('canceled');
		expect(tookMs).toBeLessThan(1000);
		expect(service.sandbox.requests).toHaveLength(3);
	});

	test('ends a request that is never answered', async () => {
		service.sandbox.addFault({ kind: 'hang' });
		const { status, tookMs } = await stopAfter(1, OPERATIONS['project.getAll']);
		expect(status).toBe('canceled');
		expect(tookMs).toBeLessThan(1000);
		expect(service.sandbox.requests).toHaveLength(1);
	});

	test("ends an execution beside another one whose request is never answered, in each one's own time", async () => {
		const { sandbox } = service;
		sandbox.addFault({ kind: 'hang', nth: 1, operation: 'video.getAll' });
		const waiting = { ...OPERATIONS['queue.add'], waitForCompletion: true };
		const other = await startNode({ ...service.setup({ ...waiting }), items: [{}] });
		await sandbox.waitForRequests({ operation: 'video.getAll', count: 1 });
		const started = await startNode({ ...service.setup({ ...waiting }), items: [{}] });
		// It has read the log itself, and waits for its video.
		await sandbox.waitForRequests({ operation: 'queue.add', count: 1 });
		const stoppedAt = performance.now();
		started.stop();
		expect((await started.result).run.status).toBe('canceled');
		expect(performance.now() - stoppedAt).toBeLessThan(1000);
		other.stop();
		expect((await other.result).run.status).toBe('canceled');
		expect(sandbox.requests.map(({ operation }) => operation)).toEqual([
			...['video.getAll', 'video.getAll', 'queue.add'],
		]);
	});

	test('lets no further add be sent', async () => {
		service.sandbox.addFault({ kind: 'hang', nth: 2, operation: 'queue.add' });
		const { status } = await stopAfter(2, OPERATIONS['queue.add'], [{}, {}, {}, {}]);
		expect(status).toBe('canceled');
		expect(service.sandbox.requests).toHaveLength(2);
	});

	test('while 30,000 items are prepared ends the execution within a second, and nothing is sent', async () => {
		const parameters = {
			...OPERATIONS['queue.add'],
			customPrompt: '={{ $json.a + " " + $json.b }}',
			overwriteSettings: '={{ $json.a.length > 0 }}',
		};
		const items = Array.from({ length: 30_000 }, (_, i) => ({ a: `a${i}`, b: `b${i}` }));
		const { status, tookMs } = await stopAfter(0, parameters, items);
		expect(status).toBe('canceled');
		expect(tookMs).toBeLessThan(1000);
		expect(service.sandbox.requests).toEqual([]);
	});
});
