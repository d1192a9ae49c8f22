import { createSandboxClient } from '../../support/sandbox/createSandboxClient';
import { useSandboxClient } from '../../support/sandbox/useSandboxClient';

const LIMITED = ['/v1/videos', '/v1/projects', '/v1/user/account'];

const service = useSandboxClient({ rateLimit: { max: 2, windowMs: 10_000 } }, createSandboxClient);

/** Sends `count` requests one after the other, and returns their statuses. */
async function send(count: number, url: string, by = service.client): Promise<number[]> {
	const statuses: number[] = [];
	for (let sent = 0; sent < count; sent++) statuses.push((await by.get(url)).status);
	return statuses;
}

it.each(LIMITED)('%s is refused when its window is full, until the window ends', async (url) => {
	expect(await send(3, url)).toEqual([200, 200, 429]);
	service.sandbox.clock.advance(9_999);
	expect(await send(1, url)).toEqual([429]);
	service.sandbox.clock.advance(1);
	expect(await send(3, url)).toEqual([200, 200, 429]);
});
it('says how much is left, and when to come back by the clock', async () => {
	const [url = ''] = LIMITED;
	const first = await service.client.get(url);
	expect(first.headers).toMatchObject({
		...{ 'x-ratelimit-limit': '2', 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': '10' },
	});
	await service.client.get(url);
	service.sandbox.clock.advance(4_000);
	const refused = await service.client.get(url);
	expect(refused.headers).toMatchObject({ 'retry-after': '6', 'x-ratelimit-remaining': '0' });
	expect(refused.data).toEqual({
		status: 'error',
		message: 'Too many requests, try again in 6 seconds',
	});
});
it('counts each endpoint and each account on its own', async () => {
	for (const url of LIMITED) expect(await send(3, url)).toEqual([200, 200, 429]);
	const other = createSandboxClient(service.sandbox, service.sandbox.accounts.other.apiKey);
	for (const url of LIMITED) expect(await send(2, url, other)).toEqual([200, 200]);
});
it('does not count requests with a wrong key', async () => {
	const stranger = createSandboxClient(service.sandbox, 'wrong');
	expect(await send(3, '/v1/videos', stranger)).toEqual([401, 401, 401]);
	expect(await send(2, '/v1/videos')).toEqual([200, 200]);
});
it('leaves the queue alone', async () => {
	const url = '/v1/queue/progress/00000000-0000-4000-8000-000000000000';
	expect(await send(5, url)).toEqual([404, 404, 404, 404, 404]);
});
it('can be changed and switched off', async () => {
	service.sandbox.configure({ rateLimit: { max: 3, windowMs: 1000 } });
	expect(await send(4, '/v1/videos')).toEqual([200, 200, 200, 429]);
	service.sandbox.configure({ rateLimit: false });
	expect(await send(4, '/v1/videos')).toEqual([200, 200, 200, 200]);
});
