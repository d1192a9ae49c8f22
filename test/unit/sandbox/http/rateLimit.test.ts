import type { AxiosInstance } from 'axios';
import type { Sandbox } from '../../../../sandbox/Sandbox';
import { startSandbox } from '../../../../sandbox/startSandbox';
import { createSandboxClient } from '../../../support/sandbox/createSandboxClient';

const LIMITED = ['/v1/videos', '/v1/projects', '/v1/user/account'];

let sandbox: Sandbox;
let client: AxiosInstance;
beforeAll(async () => {
	sandbox = await startSandbox({ rateLimit: { max: 2, windowMs: 10_000 } });
	client = createSandboxClient(sandbox);
});
beforeEach(() => {
	sandbox.reset();
});
afterAll(() => sandbox.close());

/** Statuses of `count` requests, one after the other. */
async function request(count: number, url: string, by = client): Promise<number[]> {
	const statuses: number[] = [];
	for (let sent = 0; sent < count; sent++) statuses.push((await by.get(url)).status);
	return statuses;
}

it.each(LIMITED)('%s is refused when its window is full, until the window ends', async (url) => {
	expect(await request(3, url)).toEqual([200, 200, 429]);
	sandbox.clock.advance(9_999);
	expect(await request(1, url)).toEqual([429]);
	sandbox.clock.advance(1);
	expect(await request(3, url)).toEqual([200, 200, 429]);
});
it('says how much is left, and when to come back by the clock', async () => {
	const [url = ''] = LIMITED;
	const first = await client.get(url);
	expect(first.headers).toMatchObject({
		...{ 'x-ratelimit-limit': '2', 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': '10' },
	});
	await client.get(url);
	sandbox.clock.advance(4_000);
	const refused = await client.get(url);
	expect(refused.headers).toMatchObject({ 'retry-after': '6', 'x-ratelimit-remaining': '0' });
	expect(refused.data).toEqual({
		status: 'error',
		message: 'Too many requests, try again in 6 seconds',
	});
});
it('counts each endpoint and each account on its own', async () => {
	for (const url of LIMITED) expect(await request(3, url)).toEqual([200, 200, 429]);
	const other = createSandboxClient(sandbox, sandbox.accounts.other.apiKey);
	for (const url of LIMITED) expect(await request(2, url, other)).toEqual([200, 200]);
});
it('does not count requests with a wrong key', async () => {
	const stranger = createSandboxClient(sandbox, 'wrong');
	expect(await request(3, '/v1/videos', stranger)).toEqual([401, 401, 401]);
	expect(await request(2, '/v1/videos')).toEqual([200, 200]);
});
it('leaves the queue alone', async () => {
	const url = '/v1/queue/progress/00000000-0000-4000-8000-000000000000';
	expect(await request(5, url)).toEqual([404, 404, 404, 404, 404]);
});
it('can be changed and switched off', async () => {
	sandbox.configure({ rateLimit: { max: 3, windowMs: 1000 } });
	expect(await request(4, '/v1/videos')).toEqual([200, 200, 200, 429]);
	sandbox.configure({ rateLimit: false });
	expect(await request(4, '/v1/videos')).toEqual([200, 200, 200, 200]);
});
