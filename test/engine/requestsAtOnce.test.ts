import { OPERATIONS } from '../support/engine/OPERATIONS';
import { runNode } from '../support/engine/runNode';
import type { Sandbox } from '../../sandbox/Sandbox';
import { startSandbox } from '../../sandbox/startSandbox';

const ITEMS = 300;

let sandbox: Sandbox;
const open = { now: 0, most: 0 };
beforeAll(async () => {
	sandbox = await startSandbox({
		rateLimit: false,
		wait: async () => {
			open.now += 1;
			open.most = Math.max(open.most, open.now);
			// Each request waits until no more requests arrive.
			for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
			open.now -= 1;
		},
	});
});
afterAll(async () => {
	await sandbox.close();
});

test('Of many items, not all requests are on their way at once', async () => {
	sandbox.addFault({ kind: 'latency', delayMs: 1, operation: 'account.get' });
	const { items, error } = await runNode({
		parameters: OPERATIONS['account.get'],
		credentials: { baseUrl: sandbox.url, apiKey: sandbox.apiKey },
		items: Array.from({ length: ITEMS }, () => ({})),
	});
	expect(error).toBeUndefined();
	expect(items).toHaveLength(ITEMS);
	expect(open.most).toBeGreaterThan(10);
	expect(open.most).toBeLessThanOrEqual(64);
});
