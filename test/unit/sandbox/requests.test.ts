import { useSandboxClient } from '../../support/sandbox/useSandboxClient';

const service = useSandboxClient();

it('Every request is recorded as it came, but no control request', async () => {
	service.sandbox.clock.advance(5);
	const before = Date.now();
	const headers = { 'X-Mine': 'yes' };
	await service.client.post('/v1/queue/add?a=%2F', { projectId: 'x' }, { headers });
	const text = { headers: { 'Content-Type': 'text/plain' } };
	await service.client.post('/v1/queue/add', 'projectId=1', text);
	await service.client.get('/_sandbox/state');
	expect(service.sandbox.requests).toMatchObject([
		{
			...{ method: 'POST', url: '/v1/queue/add?a=%2F', operation: 'queue.add', status: 400 },
			headers: { authorization: `Bearer ${service.sandbox.apiKey}`, 'x-mine': 'yes' },
			body: { projectId: 'x' },
			at: Date.parse('2026-01-15T12:00:00.005Z'),
			clientPort: expect.any(Number) as number,
		},
		{ body: 'projectId=1' },
	]);
	expect(service.sandbox.requests[0]?.realAt).toBeGreaterThanOrEqual(before);
	service.sandbox.clearRequests();
	expect(service.sandbox.requests).toEqual([]);
});
it('Listeners are told of a request before its processing, and of each reply as it is sent', async () => {
	const { sandbox, client } = service;
	const heard: unknown[] = [];
	const stops = [
		sandbox.onRequest(({ url }) => heard.push(url)),
		sandbox.onReply((_, outcome) =>
			heard.push(typeof outcome === 'object' && 'status' in outcome ? outcome.status : outcome),
		),
	];
	await client.get('/v1/videos');
	sandbox.addFault({ kind: 'status', status: 503, times: 1 });
	await client.get('/v1/projects');
	sandbox.addFault({ kind: 'reset', phase: 'after' });
	await client.get('/v1/user/account').catch(() => undefined);
	for (const stop of stops) stop();
	await client.get('/v1/videos').catch(() => undefined);
	expect(heard).toEqual([...['/v1/videos', 200, '/v1/projects', 503, '/v1/user/account', 'reset']]);
});
it('The record names the queue item that an add made or a clear removed', async () => {
	const queueId = await service.queue();
	await service.client.post('/v1/queue/clear', { queueId });
	await service.client.post('/v1/queue/clear', { queueId });
	const ids = service.sandbox.requests.map((request) => request.queueId);
	expect(ids).toEqual([queueId, queueId, undefined]);
});
it('waitForRequests waits for requests of an operation, and says what did not come in time', async () => {
	const waiting = service.sandbox.waitForRequests({ count: 2, operation: 'video.getAll' });
	for (const url of ['/v1/videos', '/v1/projects', '/v1/videos']) await service.client.get(url);
	expect((await waiting).map(({ url }) => url)).toEqual(['/v1/videos', '/v1/videos']);
	await expect(
		service.sandbox.waitForRequests({ count: 2, operation: 'project.getAll', timeoutMs: 1 }),
	).rejects.toThrow('1 of 2 requests (project.getAll) within 1 ms');
});
it('The record shows a client that left', async () => {
	service.sandbox.addFault({ kind: 'hang' });
	const leaving = new AbortController();
	const sent = service.client.get('/v1/videos', { signal: leaving.signal }).catch(() => 'left');
	await service.sandbox.waitForRequests({ count: 1 });
	leaving.abort();
	expect(await sent).toBe('left');
	const [request] = await service.sandbox.waitForRequests({ count: 1, closed: true });
	expect(request).toMatchObject({ closed: true, url: '/v1/videos' });
	expect(request).not.toHaveProperty('status');
});
