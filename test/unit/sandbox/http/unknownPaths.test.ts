import type { AxiosInstance } from 'axios';
import type { Sandbox } from '../../../../sandbox/Sandbox';
import { startSandbox } from '../../../../sandbox/startSandbox';
import { createBareClient } from '../../../support/sandbox/createBareClient';

let sandbox: Sandbox;
let client: AxiosInstance;
beforeAll(async () => {
	sandbox = await startSandbox();
	client = createBareClient(sandbox);
});
afterAll(() => sandbox.close());

it.each([
	['GET', '/'],
	['GET', '/user/account'],
	['POST', '/v1/videos/queue/add'],
	['GET', '/v1/queue/add'],
	['GET', '/v1/projects/'],
	['GET', '/v1/queue/progress/a/b'],
	['HEAD', '/v1/videos'],
])('%s %s is no endpoint: 404, in the words of the API, and recorded', async (method, url) => {
	sandbox.clearRequests();
	const reply = await client.request({ method, url });
	expect(reply.status).toBe(404);
	if (method !== 'HEAD') expect(reply.data).toMatchObject({ status: 'error' });
	expect(sandbox.requests).toMatchObject([{ method, url, operation: undefined, status: 404 }]);
});

it('a path that cannot be decoded is a bad request', async () => {
	const reply = await client.get('/v1/queue/progress/%zz');
	expect(reply.status).toBe(400);
	expect(reply.data).toMatchObject({ status: 'error' });
});
