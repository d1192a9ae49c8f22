/*
 * Connections that fail or are slow: what is known of a video whose add fails, what a certificate changes, and that the
 * slow responses of one execution hold up no other one.
 */

import dns from 'node:dns';
import type { AddressInfo, Socket } from 'node:net';
import net from 'node:net';
import { networkInterfaces } from 'node:os';
import tls from 'node:tls';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import * as selfsigned from 'selfsigned';
import { searchList } from '../support/n8nServer/createLoadOptionsContext';
import type { RecordedRequest } from '../../sandbox/control/requestLog';
import { byId, GENERATE, OPERATIONS, PROJECT, WAIT } from '../support/engine/OPERATIONS';
import { playTogether } from '../support/engine/playTogether';
import { runNode } from '../support/engine/runNode';
import { useSandbox } from '../support/engine/useSandbox';

/** Requests whose responses are slow, by the clock of the executions. */
const sleeping = new Set<RecordedRequest>();

const service = useSandbox({
	wait: async (delayMs, request) => {
		sleeping.add(request);
		await new Promise<void>((resolve) => setTimeout(resolve, delayMs));
		sleeping.delete(request);
	},
});

const HOST = '127.0.0.1';

/** What a service does with a connection. `raw` is the TCP connection, below `socket` if that is encrypted. */
interface Behaviour {
	onConnection?: (raw: Socket) => void;
	/** Called once the whole request has arrived. */
	onRequest?: (socket: Socket, raw: Socket) => void;
	tls?: tls.TlsOptions;
	/** Whether this is a proxy: what it receives has not reached the service. */
	isProxy?: boolean;
}

/** Whether a part of a request has reached a service in this test. */
let isReceived = false;
beforeEach(() => {
	isReceived = false;
	sleeping.clear();
});

const endings: (() => unknown)[] = [];
afterEach(async () => {
	// The last first: a server closes only after its connections.
	for (const end of endings.splice(0).reverse()) await end();
	jest.restoreAllMocks();
});

/** Has a server listen on the loopback interface, for this test. @returns its port */
async function open(server: net.Server): Promise<number> {
	await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
	endings.push(async () => await new Promise((resolve) => server.close(resolve)));
	return (server.address() as AddressInfo).port;
}

/** Starts a service. @returns its port */
async function listen({ onConnection, onRequest, tls: options, isProxy }: Behaviour = {}) {
	const server = net.createServer((raw) => {
		endings.push(() => raw.destroy());
		const socket = options ? new tls.TLSSocket(raw, { isServer: true, ...options }) : raw;
		for (const each of [raw, socket]) each.on('error', () => undefined);
		let text = '';
		socket.on('data', (data: Buffer) => {
			text += data.toString('latin1');
			// The first bytes of an encrypted connection are no request.
			isReceived ||= !isProxy && /^[A-Z]/.test(text);
			const head = text.indexOf('\r\n\r\n');
			const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
			if (head >= 0 && text.length >= head + 4 + length) onRequest?.(socket, raw);
		});
		onConnection?.(raw);
	});
	return await open(server);
}

/** @returns a port at which nothing listens */
async function findPort(): Promise<number> {
	const port = await listen();
	await endings.pop()?.();
	return port;
}

/** Sets up how an add will fail. @returns the address to send it to, with Request Options */
type Failure = () => Promise<Arranged> | Arranged;

interface Arranged {
	baseUrl: string;
	requestOptions?: INodeParameters;
}

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const atPort = (port: number, host = HOST) => ({ baseUrl: `http://${host}:${port}` });

const serve =
	(behaviour: Behaviour, requestOptions = {}): Failure =>
	async () => ({ ...atPort(await listen(behaviour)), requestOptions });

const answer = (text: string) => serve({ onRequest: (socket) => socket.end(text) });

const serveTls =
	(behaviour: Behaviour, requestOptions = {}): Failure =>
	async () => ({ baseUrl: `https://localhost:${await listen(behaviour)}`, requestOptions });

/** A service behind a proxy that closes its connection. */
const serveProxy: Failure = async () => {
	const port = await listen({ isProxy: true, onRequest: (socket) => socket.end('') });
	const requestOptions = { proxy: `http://${HOST}:${port}` };
	return { baseUrl: 'https://service.test', requestOptions };
};

/** @returns a certificate for localhost, and its private key */
async function certify(): Promise<{ key: string; cert: string }> {
	const host = 'localhost';
	const { private: key, cert } = await selfsigned.generate([{ name: 'commonName', value: host }], {
		keyType: 'ec',
		algorithm: 'sha256',
		extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: host }] }],
	});
	return { key, cert };
}

/** A service with a certificate that n8n does not check. */
const serveUntrusted =
	(options: tls.TlsOptions, behaviour: Behaviour = {}): Failure =>
	async () => {
		const certified = { ...(await certify()), ...options };
		return await serveTls({ ...behaviour, tls: certified }, { allowUnauthorizedCerts: true })();
	};

/** A server with TLS that passes all on to the sandbox. */
const createFront = (certified: tls.TlsOptions) =>
	tls.createServer(certified, (socket) => {
		const back = net.connect(Number(new URL(service.sandbox.url).port), HOST);
		for (const each of [socket, back]) each.on('error', () => undefined);
		socket.pipe(back).pipe(socket);
	});

const PLAIN_TEXT = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n';

const hasIPv6 = Object.values(networkInterfaces())
	.flat()
	.some((address) => address?.address === '::1');

/** A name of two addresses, as if in the DNS, at which nothing listens. */
const atBothAddresses: Failure = async () => {
	const port = await findPort();
	const addresses = [
		{ address: '::1', family: 6 },
		{ address: HOST, family: 4 },
	];
	const lookup = (_name: string, _options: object, done: (...found: unknown[]) => void) => {
		process.nextTick(done, null, addresses);
	};
	jest.spyOn(dns, 'lookup').mockImplementation(lookup as never);
	return atPort(port, 'dual.test');
};

/** Failures before anything was sent, by real connections; other errors are in tables/failures/errors.test.ts. */
const NOT_SENT: Record<string, Failure> = {
	'connection refused': async () => atPort(await findPort()),
	...(hasIPv6 && { 'connection refused at both addresses of a name': atBothAddresses }),
	'a self-signed certificate': async () => await serveTls({ tls: await certify() })(),
	'plain text instead of a handshake': serveTls({ onConnection: (raw) => raw.end(PLAIN_TEXT) }),
	'closed in the handshake': serveTls({
		onConnection: (raw) => raw.once('data', () => raw.end()),
	}),
};

/** Failures after the request has arrived, or that look alike; those of the sandbox are in paidOnce.test.ts. */
const UNKNOWN: Record<string, Failure> = {
	'closed after the request': answer(''),
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
	'a proxy that closes the connection': serveProxy,
};

/** Runs one add that fails. @returns whether the node says that the video may have been queued */
async function add(fail: Failure): Promise<boolean> {
	const { baseUrl, requestOptions = {} } = await fail();
	const { error } = await runNode({
		parameters: { ...OPERATIONS['queue.add'], requestOptions, options: { maxTries: 1 } },
		credentials: { baseUrl, apiKey: 'key-1' },
	});
	expect(error?.description).toBeDefined();
	return error?.context.mayBeQueued === true;
}

test.each(Object.entries(NOT_SENT))(
	'An add that fails before anything is sent was not queued: %s',
	async (_failure, fail) => {
		expect(await add(fail)).toBe(false);
		expect(isReceived).toBe(false);
	},
);

test.each(Object.entries(UNKNOWN))(
	'An add without proof that nothing was sent may have been queued: %s',
	async (_failure, fail) => {
		expect(await add(fail)).toBe(true);
	},
);

test.each(['account.get', 'queue.add'] as const)(
	'%s is sent again after the connection was closed before it was secure, as while a service is deployed',
	async (name) => {
		const secure = createFront(await certify());
		let connections = 0;
		const front = net.createServer((raw) => {
			raw.on('error', () => undefined);
			connections += 1;
			if (connections === 1) raw.once('data', () => raw.destroy());
			else secure.emit('connection', raw);
		});
		const port = await open(front);
		const { items } = await service.run(
			{ ...OPERATIONS[name], requestOptions: { allowUnauthorizedCerts: true } },
			{ credentials: { apiKey: service.sandbox.apiKey, baseUrl: `https://localhost:${port}` } },
		);
		expect(items).toHaveLength(1);
		expect(service.listPaidIds()).toHaveLength(name === 'queue.add' ? 1 : 0);
	},
);

describe('A service with a private certificate', () => {
	test("shows its projects where the node's 'Request Options' ignore that", async () => {
		const list = '{"status":"success","projects":[{"id":"p","name":"P"}]}';
		const onRequest = (socket: Socket) => socket.end(`${HEAD}Connection: close\r\n\r\n${list}`);
		const { baseUrl, requestOptions = {} } = await serveUntrusted({}, { onRequest })();
		const credentials = { baseUrl, apiKey: 'key-1' };
		const projects = await searchList(credentials, 'searchProjects', undefined, { requestOptions });
		expect(projects).toEqual([{ name: 'P', value: 'p' }]);
	});

	test.each([
		['a paid video is waited for until it is', GENERATE, 'success'],
		['a wait that has never found its item fails', { ...WAIT, projectId: byId('') }, 'error'],
	])('while it is not accepted, %s', async (_what, parameters, status) => {
		const { sandbox } = service;
		const { key, cert } = await certify();
		let isTrusted = parameters === GENERATE;
		const { createSecureContext } = tls;
		jest
			.spyOn(tls, 'createSecureContext')
			.mockImplementation((options) =>
				createSecureContext({ ...options, ...(isTrusted && { ca: cert }) }),
			);
		const front = createFront({ key, cert });
		const port = await open(front);
		const queueId = sandbox.queueVideo(PROJECT);
		const tries: number[] = [];
		front.on('tlsClientError', () => tries.push(jest.now()));
		const stopListening = sandbox.onRequest(({ operation }) => {
			if (operation !== 'queue.add') return;
			setTimeout(() => (isTrusted = false), 1_000);
			setTimeout(() => (isTrusted = true), 601_000);
		});
		endings.push(stopListening);
		const credentials = { baseUrl: `https://localhost:${port}`, apiKey: sandbox.apiKey };
		const { run } = await service.run(parameters, { items: [{ queueId }], credentials });
		expect(run.status).toBe(status);
		const lastedMs = (tries.at(-1) ?? 0) - (tries[0] ?? 0);
		if (status === 'success') expect(lastedMs).toBeGreaterThan(590_000);
		else expect(lastedMs).toBeLessThan(60_000);
	});
});

/** An item of another project. */
const other = { project: 'project-city-tour' };

/** Runs the node with each of these, so long after the first one, by a clock that waits for slow responses. */
async function play(
	...runs: [afterMs: number, parameters: INodeParameters, items: IDataObject[]][]
) {
	const { clock, onRequest } = service.sandbox;
	const countSleeping = () => [...sleeping].filter(({ closed }) => closed !== true).length;
	const executions = runs.map(([afterMs, parameters, items]) =>
		service.begin(parameters, { afterMs, items }),
	);
	return await playTogether({ clock, onRequest, countSleeping }, executions);
}

test('An entry of a list that another execution waits for is not new to an item that is added meanwhile', async () => {
	const { sandbox } = service;
	sandbox.addVideos('main', [{ projectId: PROJECT, createdAt: 'never' }]);
	const slow = { kind: 'latency', delayMs: 12_000, phase: 'after', nth: 1 } as const;
	sandbox.addFault({ ...slow, operation: 'video.getAll' });
	service.planVideos(15, 15);
	const [, ending] = await play([0, GENERATE, [other]], [1_000, GENERATE, [{}]]);
	expect(service.listGiven(ending?.result.items ?? [])).toEqual(['own']);
});

test('An execution with many slow looks holds up no other one', async () => {
	const { sandbox } = service;
	sandbox.setCredits('main', 201);
	const rows = (await service.queueVideos(200)).map((queueId) => ({ queueId, project: PROJECT }));
	for (const { queueId } of rows) {
		sandbox.changeQueueItem(queueId, { durations: { processingMs: 3_000_000 } });
		sandbox.addFault({ kind: 'latency', delayMs: 50_000, containing: queueId });
	}
	const waits = { ...WAIT, waitOptions: { timeout: 120, listingDelay: 1 } };
	const [, ending] = await play([0, waits, rows], [103_000, GENERATE, [other]]);
	// It is looked at after 5 and 10 s, and settled after 20 s.
	expect((ending?.endedAt ?? Infinity) - (ending?.startedAt ?? 0)).toBeLessThan(23_000);
});
