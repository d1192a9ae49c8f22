import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { N8nClient } from '../../../scripts/n8n/N8nClient';

interface Call {
	method: string;
	path: string;
	cookie: string | undefined;
	body: unknown;
}

type Reply = (call: Call) => { status?: number; body: unknown; headers?: Record<string, string> };

let server: Server;
let calls: Call[];

async function listen(reply: Reply): Promise<N8nClient> {
	calls = [];
	server = createServer((request: IncomingMessage, response: ServerResponse) => {
		let text = '';
		request.on('data', (chunk: Buffer) => (text += chunk.toString()));
		request.on('end', () => {
			const { method = '', url = '', headers } = request;
			const call = {
				method,
				path: url,
				cookie: headers.cookie,
				body: text ? (JSON.parse(text) as unknown) : undefined,
			};
			calls.push(call);
			const { status = 200, body, headers: extra } = reply(call);
			response.writeHead(status, { 'content-type': 'application/json', ...extra });
			response.end(typeof body === 'string' ? body : JSON.stringify(body));
		});
	});
	await new Promise<void>((resolve) => {
		server.listen(0, '127.0.0.1', resolve);
	});
	return new N8nClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

afterEach(async () => {
	await new Promise((resolve) => server.close(resolve));
});

const OWNER = { email: 'a@example.com', password: 'Secret12', firstName: 'A', lastName: 'B' };
const SESSION = { 'set-cookie': 'n8n-auth=token; Path=/; HttpOnly' };

function makeSettings(showSetupOnFirstLoad: boolean) {
	return { data: { userManagement: { showSetupOnFirstLoad } } };
}

describe("the client of n8n's REST interface", () => {
	it('sets the owner up the first time, logs in, and shows its cookie from then on', async () => {
		const client = await listen(({ path }) =>
			path === '/rest/settings'
				? { body: makeSettings(true) }
				: { body: { data: [] }, headers: SESSION },
		);
		await client.setUpOwner(OWNER);
		await client.listCredentials();
		expect(calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
			'GET /rest/settings',
			'POST /rest/owner/setup',
			'POST /rest/login',
			'GET /rest/credentials',
		]);
		expect(calls[2]?.body).toEqual({ emailOrLdapLoginId: OWNER.email, password: OWNER.password });
		expect(calls[3]?.cookie).toBe('n8n-auth=token');
	});

	it('only logs in when there is an owner', async () => {
		const client = await listen(({ path }) =>
			path === '/rest/settings' ? { body: makeSettings(false) } : { body: { data: {} } },
		);
		await client.setUpOwner(OWNER);
		expect(calls.map(({ path }) => path)).toEqual(['/rest/settings', '/rest/login']);
	});

	it('brings the credential of the same name to the new content instead of making a second one', async () => {
		const content = { name: 'Mine', type: 'api', data: { key: 'k' } };
		const client = await listen(({ method }) =>
			method === 'GET'
				? {
						body: {
							data: [
								{ id: '1', name: 'Mine', type: 'other' },
								{ id: '2', name: 'Mine', type: 'api' },
							],
						},
					}
				: { body: { data: { id: '2' } } },
		);
		await client.saveCredential(content);
		expect(calls[1]).toMatchObject({ method: 'PATCH', path: '/rest/credentials/2', body: content });
	});

	it.each([
		[false, 'POST', '/rest/workflows'],
		[true, 'PATCH', '/rest/workflows/w1'],
	])('saves a workflow (already there: %s) with %s %s', async (exists, method, path) => {
		const content = { name: 'W', nodes: [], connections: {} };
		const client = await listen((call) =>
			call.path.endsWith('/exists')
				? { body: { data: { exists } } }
				: { body: { data: { id: 'w1' } } },
		);
		await client.saveWorkflow('w1', content);
		expect(calls.at(-1)).toMatchObject({ method, path, body: content });
	});

	it('waits for an execution to end, and reads its data', async () => {
		const statuses = ['new', 'running', 'success'];
		const client = await listen(() => {
			const status = statuses.shift();
			return {
				body: {
					data: { id: '1', status, data: '[{"resultData":"1"},{"lastNodeExecuted":"2"},"End"]' },
				},
			};
		});
		const execution = await client.waitForExecution('1', 60_000);
		expect(execution.status).toBe('success');
		expect(execution.data.resultData.lastNodeExecuted).toBe('End');
	});

	it('gives up waiting with a message that says for what', async () => {
		const client = await listen(() => ({ body: { data: { status: 'running', data: '[{}]' } } }));
		await expect(client.waitForExecution('1', 0)).rejects.toThrow(
			'for execution 1 to end, in vain',
		);
	});

	it('waits while n8n is starting', async () => {
		const replies = [
			{ body: 'n8n is starting up' },
			{ status: 503, body: {} },
			{ body: makeSettings(true) },
		];
		const client = await listen(() => replies.shift() ?? { body: {} });
		await client.waitUntilReady(60_000);
		expect(replies).toEqual([]);
	});

	it("says what was refused, in n8n's own words", async () => {
		const client = await listen(() => ({ status: 400, body: { message: 'Not like this' } }));
		await expect(client.getExecution('9')).rejects.toThrow(
			'n8n did not accept GET /rest/executions/9: 400, Not like this',
		);
	});

	it('says it when n8n is not there', async () => {
		await listen(() => ({ body: {} }));
		const client = new N8nClient('http://127.0.0.1:1');
		await expect(client.listCredentials()).rejects.toThrow(
			/GET \/rest\/credentials: .*ECONNREFUSED/,
		);
	});
});
