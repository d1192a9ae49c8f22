import { startSandbox } from '../../../sandbox/startSandbox';
import { createBareClient } from '../../support/sandbox/createBareClient';
import { useSandboxClient } from '../../support/sandbox/useSandboxClient';

const ACCOUNT = '/v1/user/account';
/** The delays that the sandbox requested; the tests do not wait for them. */
const delays: number[] = [];

const service = useSandboxClient({
	wait: async (delayMs) => {
		delays.push(delayMs);
		return Promise.resolve();
	},
});
beforeEach(() => {
	delays.length = 0;
});

it('latency delays one reply, or all of them as a setting', async () => {
	service.sandbox.addFault({ kind: 'latency', delayMs: 4000 });
	service.sandbox.configure({ latencyMs: 3000 });
	expect((await service.client.get(ACCOUNT)).status).toBe(200);
	expect(delays).toEqual([3000, 4000]);
});

it('A slow body arrives in pieces after its head', async () => {
	service.sandbox.addFault({ kind: 'slowBody', pieceBytes: 50, delayMs: 1000 });
	const { headers } = await service.client.get(ACCOUNT);
	expect(delays).toEqual(Array(Math.ceil(Number(headers['content-length']) / 50)).fill(1000));
});

it('A sandbox closes at once, with requests that hang or are slow', async () => {
	const sandbox = await startSandbox();
	sandbox.addFault({ kind: 'hang', times: 1 });
	sandbox.addFault({ kind: 'slowBody', pieceBytes: 1, delayMs: 60_000 });
	const client = createBareClient(sandbox);
	const open = ['/v1/videos', '/v1/projects'].map((path) => client.get(path));
	const ends = Promise.allSettled(open);
	await sandbox.waitForRequests({ count: 2 });
	await sandbox.close();
	for (const { status } of await ends) expect(status).toBe('rejected');
	await expect(client.get(ACCOUNT)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
