import type { Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { INodeParameters } from 'n8n-workflow';
import * as selfsigned from 'selfsigned';
import { ActiveTrigger } from '../support/n8nServer/ActiveTrigger';
import { createLoadOptionsContext } from '../support/n8nServer/createLoadOptionsContext';
import { OPERATIONS } from '../support/engine/OPERATIONS';
import { NODE_TYPE, runNode } from '../support/engine/runNode';
import type { Behaviour } from '../support/engine/TestNetwork';
import { createSystemError, HOST, TestNetwork } from '../support/engine/TestNetwork';

/** Sets up how an add will fail. @returns the address to send it to, with Request Options */
type Failure = (network: TestNetwork) => Promise<Arranged> | Arranged;

interface Arranged {
	baseUrl: string;
	requestOptions?: INodeParameters;
}

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const atPort = (port: number, host = HOST) => ({ baseUrl: `http://${host}:${port}` });

const serve =
	(behaviour: Behaviour, requestOptions = {}): Failure =>
	async (network) => ({ ...atPort(await network.serve(behaviour)), requestOptions });

const answer = (text: string) => serve({ onRequest: (socket) => socket.end(text) });

const serveTls =
	(behaviour: Behaviour, requestOptions = {}): Failure =>
	async (network) => ({
		...{ baseUrl: `https://localhost:${await network.serve(behaviour)}`, requestOptions },
	});

/** A service behind a proxy that answers like this. */
const serveProxy =
	(text: string): Failure =>
	async (network) => {
		const behaviour = { isProxy: true, onRequest: (socket: Socket) => socket.end(text) };
		const proxy = `http://${HOST}:${await network.serve(behaviour)}`;
		return { baseUrl: 'https://service.test', requestOptions: { proxy } };
	};

/** @returns a certificate for localhost, and its private key */
async function certify(): Promise<{ key: string; cert: string }> {
	const host = 'localhost';
	const { private: key, cert } = await selfsigned.generate([{ name: 'commonName', value: host }], {
		...{ keyType: 'ec', algorithm: 'sha256' },
		extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: host }] }],
	});
	return { key, cert };
}

const serveSelfSigned: Failure = async (network) =>
	await serveTls({ tls: await certify() })(network);

/** A service with a certificate that n8n does not check. */
const serveUntrusted =
	(tls: NonNullable<Behaviour['tls']>, behaviour: Behaviour = {}): Failure =>
	async (network) => {
		const certified = { ...(await certify()), ...tls };
		const unchecked = { allowUnauthorizedCerts: true };
		return await serveTls({ ...behaviour, tls: certified }, unchecked)(network);
	};

const PLAIN_TEXT = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n';

const hasIPv6 = Object.values(networkInterfaces())
	.flat()
	.some((address) => address?.address === '::1');

const atBothAddresses: Failure = async (network) => {
	network.resolve('dual.test', ['::1', HOST]);
	return atPort(await network.findPort(), 'dual.test');
};

/** Simulated: the DNS's response. */
const atUnknownHost: Failure = (network) => {
	const hostname = 'unknown.test';
	network.resolve(hostname, createSystemError('getaddrinfo', 'ENOTFOUND', { hostname }));
	return atPort(9, hostname);
};

/** Failures before anything was sent, which every n8n lets a node recognize; others are in unit/failures/fate.test.ts. */
const NOT_SENT: Record<string, Failure> = {
	'connection refused': async (network) => atPort(await network.findPort()),
	...(hasIPv6 && { 'connection refused at both addresses of a name': atBothAddresses }),
	'unknown host': atUnknownHost,
	'a self-signed certificate': serveSelfSigned,
	'plain text instead of a handshake': serveTls({ onConnection: (raw) => raw.end(PLAIN_TEXT) }),
	'closed in the handshake': serveTls({
		onConnection: (raw) => raw.once('data', () => raw.end()),
	}),
};

/** Failures after the request has arrived, or that look alike. */
const UNKNOWN: Record<string, Failure> = {
	'closed after the request': answer(''),
	'a response that is not HTTP': answer('220 mail.test ESMTP\r\n'),
	'a body whose compression is damaged': answer(
		`${HEAD}Content-Encoding: gzip\r\nContent-Length: 9\r\n\r\nnot gzip!`,
	),
	'a timeout': serve({}, { timeout: 200 }),
	'a missing client certificate': serveUntrusted({ requestCert: true, rejectUnauthorized: true }),
	'plain text after the request, TLS 1.3': serveUntrusted(
		{ maxVersion: 'TLSv1.3' },
		{
			onRequest: (_socket, raw) =>
				raw.write('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n'),
		},
	),
	'a proxy that closes the connection': serveProxy(''),
};

let network = new TestNetwork();
beforeEach(() => {
	network = new TestNetwork();
});
afterEach(async () => {
	await network.end();
});

/** Runs one add that fails. @returns whether the node says that the video may have been queued */
async function add(fail: Failure): Promise<boolean> {
	const { baseUrl, requestOptions = {} } = await fail(network);
	const { error } = await runNode({
		parameters: { ...OPERATIONS['queue.add'], requestOptions, options: { maxTries: 1 } },
		credentials: { baseUrl, apiKey: 'key-1' },
	});
	expect(error?.description).toBeDefined();
	return error?.context.mayBeQueued === true;
}

describe('An add that fails before anything is sent', () => {
	test.each(Object.entries(NOT_SENT))('was not queued: %s', async (_failure, fail) => {
		expect(await add(fail)).toBe(false);
		expect(network.received).not.toContain('request');
	});
});

describe('An add without proof that nothing was sent', () => {
	test.each(Object.entries(UNKNOWN))('may have been queued: %s', async (_failure, fail) => {
		expect(await add(fail)).toBe(true);
	});
});

describe('A service with a private certificate', () => {
	test("shows its projects where the node's 'Request Options' ignore that", async () => {
		const list = '{"status":"success","projects":[{"id":"p","name":"P"}]}';
		const onRequest = (socket: Socket) => socket.end(`${HEAD}Connection: close\r\n\r\n${list}`);
		const { baseUrl, requestOptions = {} } = await serveUntrusted({}, { onRequest })(network);
		const credentials = { baseUrl, apiKey: 'key-1' };
		const { context, nodeTypes } = await createLoadOptionsContext(credentials, NODE_TYPE, {
			requestOptions,
		});
		const search = nodeTypes.getByNameAndVersion(NODE_TYPE).methods?.listSearch?.searchProjects;
		expect(await search?.call(context)).toEqual({ results: [{ name: 'P', value: 'p' }] });
	});

	test('has a poll say what to do, for the trigger has no such option', async () => {
		const { baseUrl } = await serveSelfSigned(network);
		const trigger = await ActiveTrigger.create({
			...{ credentials: { baseUrl, apiKey: 'key-1' }, storage: 'static data', parameters: {} },
		});
		const { error } = await trigger.poll();
		expect(error).toMatchObject({
			description: expect.stringContaining('NODE_EXTRA_CA_CERTS') as string,
		});
	});
});
