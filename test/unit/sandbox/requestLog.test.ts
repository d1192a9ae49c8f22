import { useSandboxClient } from '../../support/sandbox/useSandboxClient';

const service = useSandboxClient();

it('every request is written down as it came', async () => {
	service.sandbox.clock.advance(5);
	const before = Date.now();
	await service.client.post(
		'/v1/queue/add?a=%2F',
		{ projectId: 'x' },
		{ headers: { 'X-Mine': 'yes' } },
	);
	expect(service.sandbox.requests).toEqual([
		expect.objectContaining({
			...{ method: 'POST', url: '/v1/queue/add?a=%2F', operation: 'queue.add', status: 400 },
			body: { projectId: 'x' },
			at: Date.parse('2026-01-15T12:00:00.005Z'),
		}),
	]);
	const [request] = service.sandbox.requests;
	expect(request?.headers).toMatchObject({
		...{ authorization: `Bearer ${service.sandbox.apiKey}`, 'x-mine': 'yes' },
	});
	expect(request?.realAt).toBeGreaterThanOrEqual(before);
});
it('a body that is no JSON is written down as text, no body as undefined', async () => {
	await service.client.post('/v1/queue/add', 'projectId=1', {
		headers: { 'Content-Type': 'text/plain' },
	});
	await service.client.get('/v1/videos');
	expect(service.sandbox.requests.map(({ body }) => body)).toEqual(['projectId=1', undefined]);
});
it('control requests are not', async () => {
	await service.client.get('/_sandbox/state');
	expect(service.sandbox.requests).toEqual([]);
});
it('can be cleared', async () => {
	await service.client.get('/v1/videos');
	service.sandbox.clearRequests();
	expect(service.sandbox.requests).toEqual([]);
});
it('tells listeners of a request before it is answered', async () => {
	const heard: string[] = [];
	const stop = service.sandbox.onRequest(({ url, status }) =>
		heard.push(`${url} ${String(status)}`),
	);
	await service.client.get('/v1/videos');
	stop();
	await service.client.get('/v1/videos');
	expect(heard).toEqual(['/v1/videos undefined']);
});
it('tells listeners of each reply as it is sent, with what a fault made of it', async () => {
	const { sandbox, client } = service;
	const heard: unknown[] = [];
	const stop = sandbox.onReply(({ url }, outcome) =>
		heard.push([
			url,
			typeof outcome === 'object' && 'status' in outcome ? outcome.status : outcome,
		]),
	);
	await client.get('/v1/videos');
	sandbox.addFault({ kind: 'status', status: 503, times: 1 });
	await client.get('/v1/projects');
	sandbox.addFault({ kind: 'reset', phase: 'after' });
	await client.get('/v1/user/account').catch(() => undefined);
	stop();
	expect(heard).toEqual([
		['/v1/videos', 200],
		['/v1/projects', 503],
		['/v1/user/account', 'reset'],
	]);
});
it('shows which queue item an add made and a clear removed, and from which port', async () => {
	const queueId = await service.queue();
	await service.client.post('/v1/queue/clear', { queueId });
	await service.client.post('/v1/queue/clear', { queueId });
	const { requests } = service.sandbox;
	expect(requests.map((request) => request.queueId)).toEqual([queueId, queueId, undefined]);
	for (const { clientPort } of requests) expect(clientPort).toBeGreaterThan(1024);
});
it('tells when the expected requests are there', async () => {
	const waiting = service.sandbox.waitForRequests({ count: 2, operation: 'video.getAll' });
	await service.client.get('/v1/videos');
	await service.client.get('/v1/projects');
	await service.client.get('/v1/videos');
	expect((await waiting).map(({ url }) => url)).toEqual(['/v1/videos', '/v1/videos']);
});
it('says what did not come in time', async () => {
	await service.client.get('/v1/projects');
	await expect(
		service.sandbox.waitForRequests({ count: 2, operation: 'project.getAll', timeoutMs: 1 }),
	).rejects.toThrow('1 of 2 requests (project.getAll) within 1 ms');
});
it('shows a client that went away', async () => {
	service.sandbox.addFault({ kind: 'hang' });
	const leaving = new AbortController();
	const request = service.client.get('/v1/videos', { signal: leaving.signal }).catch(() => 'left');
	await service.sandbox.waitForRequests({ count: 1 });
	leaving.abort();
	expect(await request).toBe('left');
	expect(await service.sandbox.waitForRequests({ count: 1, closed: true })).toMatchObject([
		{ closed: true, url: '/v1/videos' },
	]);
	expect(service.sandbox.requests[0]).not.toHaveProperty('status');
});
