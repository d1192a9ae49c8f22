import https from 'node:https';
import { generate } from 'selfsigned';
import type { FaultSpec } from '../../../sandbox/faults/FaultSpec';
import type { Sandbox } from '../../../sandbox/Sandbox';
import { startSandbox } from '../../../sandbox/startSandbox';

const held = {} as { sandbox: Sandbox };
beforeAll(async () => {
	const { cert, private: key } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
		keyType: 'ec',
	});
	held.sandbox = await startSandbox({ certificate: { cert, key } });
});
beforeEach(() => {
	held.sandbox.reset();
});
afterAll(async () => {
	await held.sandbox.close();
});

interface Received {
	status: number | undefined;
	body: string;
	/** The code of the error that ended the response, or the request. */
	code: string | undefined;
}

async function add(trusts = true): Promise<Received> {
	const { sandbox } = held;
	return await new Promise((resolve) => {
		const received: Received = { status: undefined, body: '', code: undefined };
		const fail = ({ code }: NodeJS.ErrnoException) => {
			received.code ??= code;
			resolve(received);
		};
		const request = https.request(`${sandbox.tlsUrl ?? ''}/v1/queue/add`, {
			method: 'POST',
			rejectUnauthorized: !trusts,
			headers: { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' },
		});
		request.on('error', fail);
		request.on('response', (response) => {
			received.status = response.statusCode;
			response.setEncoding('utf8');
			response.on('data', (piece: string) => (received.body += piece));
			response.on('error', fail);
			response.on('end', () => {
				resolve(received);
			});
		});
		request.end(JSON.stringify({ projectId: sandbox.projects.teaser.id }));
	});
}

it('serves the same service over HTTPS, with its own addresses', async () => {
	const { sandbox } = held;
	expect(await add()).toMatchObject({ status: 200, code: undefined });
	expect(sandbox.charges).toHaveLength(1);
	expect(sandbox.requests).toMatchObject([
		{ operation: 'queue.add', queueId: sandbox.charges[0]?.queueId },
	]);
	expect(sandbox.tlsUrl).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
});
it('has a certificate that nobody trusts, and sees no request of those who look', async () => {
	expect(await add(false)).toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
	expect(held.sandbox.requests).toEqual([]);
});
it('resets a connection with TLS', async () => {
	held.sandbox.addFault({ kind: 'reset', phase: 'after' });
	expect(await add()).toMatchObject({ status: undefined, code: 'ECONNRESET' });
	expect(held.sandbox.charges).toHaveLength(1);
});
it.each<FaultSpec>([
	{ kind: 'brokenTls' },
	{ kind: 'brokenTls', part: 'damagedRecord' },
	{ kind: 'brokenTls', part: 'alert' },
])('%j processes the request, and breaks the encryption before the head', async (fault) => {
	held.sandbox.addFault(fault);
	const { status, code } = await add();
	expect([status, code]).toEqual([undefined, expect.stringMatching(/^(ERR_SSL_|EPROTO)/)]);
	expect(held.sandbox.charges).toHaveLength(1);
});
it('breaks the encryption in the middle of a body', async () => {
	held.sandbox.addFault({ kind: 'brokenTls', keepBytes: 20 });
	const { status, body, code } = await add();
	expect(status).toBe(200);
	expect('{"status":"success",').toContain(body);
	expect(code).toBeDefined();
});
