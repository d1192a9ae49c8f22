import http from 'node:http';
import type { Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { IHttpRequestOptions } from 'n8n-workflow';
import { SsrfProtectionConfig } from '@n8n/config';
import { Container } from '@n8n/di';
import * as selfsigned from 'selfsigned';
import { hasFeature } from '../testWith';
import { TestCredentialsHelper } from '../TestCredentialsHelper';
import type { Request } from './sendFromNode';
import type { Stage } from './Stage';
import { createSystemError } from './Stage';

/** What a failure changes in the request that `sendFromNode` sends. */
export interface Arranged extends Partial<Omit<Request, 'options' | 'credential'>> {
	baseUrl?: string;
	apiKey?: string;
	options?: Partial<IHttpRequestOptions>;
}

export interface Failure {
	name: string;
	/** What is simulated: everything else really happens. */
	simulated?: string;
	/** Whether it needs a machine with IPv6. */
	needsIPv6?: true;
	arrange(stage: Stage): Promise<Arranged> | Arranged;
}

const HOST = '127.0.0.1';
const http1 = (port: number, host = HOST) => ({ baseUrl: `http://${host}:${port}` });
const https1 = (port: number, host = 'localhost') => ({ baseUrl: `https://${host}:${port}` });

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const BODY = '{"status":"success","newQueueItem":{"queueId":"queue-1"';
/** A response that is cut off in its body. */
const HALF = `${HEAD}Content-Length: 500\r\n\r\n${BODY}`;

/** A certificate's private key and itself. */
const created = new Map<string, Promise<selfsigned.GenerateResult>>();
async function certify(
	host: string,
	options: selfsigned.SelfsignedOptions = {},
): Promise<{ key: string; cert: string; ca: string }> {
	const id = JSON.stringify([host, options]);
	const pems =
		created.get(id) ??
		selfsigned.generate([{ name: 'commonName', value: host }], {
			keyType: 'ec',
			algorithm: 'sha256',
			extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: host }] }],
			...options,
		});
	created.set(id, pems);
	const { private: key, cert } = await pems;
	return { key, cert, ca: cert };
}

const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

/** A fatal alert, "internal error", that is not encrypted. */
const PLAIN_ALERT = Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x50]);
const DAMAGED_RECORD = Buffer.concat([
	Buffer.from([0x17, 0x03, 0x03, 0x00, 0x40]),
	Buffer.alloc(0x40, 7),
]);

/** @returns a host name that cannot be looked up */
function failLookup(stage: Stage, code: string): string {
	const hostname = 'unknown.test';
	stage.resolve({ [hostname]: createSystemError('getaddrinfo', code, { hostname }) });
	return hostname;
}

const CONNECTING: Failure[] = [
	{
		name: 'connection refused, IPv4',
		arrange: async (stage) => http1(await stage.findClosedPort()),
	},
	{
		name: 'connection refused, IPv6',
		needsIPv6: true,
		arrange: async (stage) => http1(await stage.findClosedPort('::1'), '[::1]'),
	},
	{
		name: 'connection refused at both addresses of a name',
		needsIPv6: true,
		arrange: async (stage) => {
			stage.resolve({ 'dual.test': ['::1', HOST] });
			return http1(await stage.findClosedPort(), 'dual.test');
		},
	},
	{
		name: 'connection refused at both addresses of a name, https',
		needsIPv6: true,
		arrange: async (stage) => {
			stage.resolve({ 'dual.test': ['::1', HOST] });
			return https1(await stage.findClosedPort(), 'dual.test');
		},
	},
	{
		name: 'connection refused, https',
		arrange: async (stage) => https1(await stage.findClosedPort(), HOST),
	},
	{
		name: 'unknown host',
		simulated: "the DNS's response",
		arrange: (stage) => http1(9, failLookup(stage, 'ENOTFOUND')),
	},
	{
		name: 'no DNS server',
		simulated: "the DNS's response",
		arrange: (stage) => https1(9, failLookup(stage, 'EAI_AGAIN')),
	},
	...['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ECONNRESET'].map((code): Failure => ({
		name: `connect ${code}`,
		simulated: "the socket's error",
		arrange: async (stage) => {
			const port = await stage.findClosedPort();
			stage.watchClient((socket) =>
				socket.destroy(createSystemError('connect', code, { address: HOST, port })),
			);
			return http1(port);
		},
	})),
	{
		name: 'one address of a name does not respond, the other one refuses',
		simulated: "the errors of the attempts, in Node.js's own aggregate",
		arrange: async (stage) => {
			const port = await stage.findClosedPort();
			stage.watchClient((socket) =>
				socket.destroy(
					Object.assign(
						new AggregateError([
							createSystemError('connect', 'ETIMEDOUT', { address: HOST, port }),
							createSystemError('connect', 'ECONNREFUSED', { address: '::1', port }),
						]),
						{ code: 'ETIMEDOUT' },
					),
				),
			);
			return http1(port);
		},
	},
];

/** Errors of a connection over which an add was sent. */
const CONNECTED: Failure[] = [
	{
		name: 'reset before the request was read',
		arrange: async (stage) =>
			http1(await stage.serve({ isDeaf: true, onConnection: (raw) => raw.resetAndDestroy() })),
	},
	{
		name: 'reset after the request',
		arrange: async (stage) =>
			http1(await stage.serve({ onRequest: (socket) => socket.resetAndDestroy() })),
	},
	{
		name: 'closed after the request',
		arrange: async (stage) => http1(await stage.serve({ onRequest: (socket) => socket.end() })),
	},
	breakOff('reset in the body', (socket) => socket.resetAndDestroy()),
	breakOff('closed in the body', (socket) => socket.end()),
	{
		name: 'closed in the body, which n8n collects',
		arrange: async (stage) => ({
			...http1(await stage.serve({ onRequest: (socket) => socket.end(HALF) })),
			options: { encoding: 'json' },
		}),
	},
	...[
		['read', 'EHOSTUNREACH'],
		['read', 'ENETUNREACH'],
		['read', 'ETIMEDOUT'],
		['read', 'ECONNREFUSED'],
		['write', 'EPIPE'],
		['write', 'ECONNABORTED'],
	].map(([syscall = '', code = '']): Failure => ({
		name: `${syscall} ${code} after the request`,
		simulated: "the socket's error",
		arrange: async (stage) => {
			let fail = (): void => undefined;
			const port = await stage.serve({
				onRequest: () => {
					fail();
				},
			});
			stage.watchClient((socket) => {
				fail = () => socket.destroy(createSystemError(syscall, code));
			});
			return http1(port);
		},
	})),
	{
		name: 'a response that is not HTTP',
		arrange: async (stage) =>
			http1(await stage.serve({ onRequest: (socket) => socket.end('220 mail.test ESMTP\r\n') })),
	},
	{
		name: 'a header that is too long',
		arrange: async (stage) =>
			http1(
				await stage.serve({
					onRequest: (socket) => socket.end(`${HEAD}X: ${'x'.repeat(100_000)}\r\n\r\n`),
				}),
			),
	},
	{
		name: 'a damaged chunk in the body',
		arrange: async (stage) =>
			http1(
				await stage.serve({
					onRequest: (socket) =>
						socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\n{"sta\r\nzz\r\n`),
				}),
			),
	},
	{
		name: 'a body whose compression is damaged',
		arrange: async (stage) =>
			http1(
				await stage.serve({
					onRequest: (socket) =>
						socket.end(`${HEAD}Content-Encoding: gzip\r\nContent-Length: 9\r\n\r\nnot gzip!`),
				}),
			),
	},
	{
		name: "n8n's timeout",
		arrange: async (stage) => ({ ...http1(await stage.serve()), options: { timeout: 200 } }),
	},
	{
		name: 'timeout in the body, which n8n collects',
		arrange: async (stage) => ({
			...http1(await stage.serve({ onRequest: (socket) => socket.write(HALF) })),
			options: { timeout: 200, encoding: 'json' },
		}),
	},
	{
		name: 'a read that is stopped',
		arrange: async (stage) => {
			let stop = (): void => undefined;
			const port = await stage.serve({
				onRequest: () => {
					stop();
				},
			});
			return {
				...http1(port),
				options: { method: 'GET', url: '/v1/projects', body: undefined },
				onStart: (stopExecution) => {
					stop = stopExecution;
				},
			};
		},
	},
];

/** Responses that break off in their body, whose stream the node has by then. */
function breakOff(name: string, end: (socket: Socket) => void): Failure {
	return {
		name,
		arrange: async (stage) => {
			let onResponse = (): void => undefined;
			const port = await stage.serve({
				onRequest: (socket) => {
					onResponse = () => {
						end(socket);
					};
					socket.write(HALF);
				},
			});
			return {
				...http1(port),
				onResponse: () => {
					onResponse();
				},
			};
		},
	};
}

const CERTIFICATES: Failure[] = [
	{
		name: 'a self-signed certificate',
		arrange: async (stage) => https1(await stage.serve({ tls: await certify('localhost') })),
	},
	{
		name: 'a certificate of an unknown authority',
		arrange: async (stage) => {
			const { key, cert } = await certify('localhost', { ca: await createAuthority() });
			return https1(await stage.serve({ tls: { key, cert } }));
		},
	},
	{
		name: 'a certificate with its unknown authority',
		arrange: async (stage) => {
			const authority = await createAuthority();
			const { key, cert } = await certify('localhost', { ca: authority });
			return https1(await stage.serve({ tls: { key, cert: `${cert}\n${authority.cert}` } }));
		},
	},
	...[
		['an expired certificate', -2],
		['a certificate that is not valid yet', 2],
	].map(([name, years]): Failure => ({
		name: String(name),
		arrange: async (stage) => {
			const notBeforeDate = new Date(Date.now() + Number(years) * YEAR_MS);
			const notAfterDate = new Date(notBeforeDate.getTime() + YEAR_MS);
			const pems = await certify('localhost', { notBeforeDate, notAfterDate });
			stage.trust(pems.ca);
			return https1(await stage.serve({ tls: pems }));
		},
	})),
	{
		name: 'a certificate for another host',
		arrange: async (stage) => {
			const pems = await certify('elsewhere.test');
			stage.trust(pems.ca);
			return https1(await stage.serve({ tls: pems }));
		},
	},
];

async function createAuthority(): Promise<{ key: string; cert: string }> {
	return await certify('An Authority', {
		extensions: [
			{ name: 'basicConstraints', cA: true, critical: true },
			{ name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
		],
	});
}

const UNTRUSTED = { skipSslCertificateValidation: true };

const ENCRYPTED: Failure[] = [
	{
		name: 'plain text instead of a handshake',
		arrange: async (stage) =>
			https1(
				await stage.serve({
					onConnection: (raw) => raw.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'),
				}),
			),
	},
	{
		name: 'closed in the handshake',
		arrange: async (stage) =>
			https1(await stage.serve({ onConnection: (raw) => raw.once('data', () => raw.end()) })),
	},
	{
		name: 'reset in the handshake',
		arrange: async (stage) =>
			https1(
				await stage.serve({
					onConnection: (raw) => raw.once('data', () => raw.resetAndDestroy()),
				}),
			),
	},
	{
		name: 'an alert in the handshake',
		arrange: async (stage) =>
			https1(
				await stage.serve({
					onConnection: (raw) =>
						raw.once('data', () =>
							raw.end(Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x28])),
						),
				}),
			),
	},
	{
		name: 'a client certificate is missing, TLS 1.3',
		arrange: async (stage) => ({
			...https1(
				await stage.serve({
					tls: { ...(await certify('localhost')), requestCert: true, rejectUnauthorized: true },
				}),
			),
			options: UNTRUSTED,
		}),
	},
	{
		name: 'a client certificate is missing, TLS 1.2',
		arrange: async (stage) => ({
			...https1(
				await stage.serve({
					tls: {
						...(await certify('localhost')),
						...{ requestCert: true, rejectUnauthorized: true, maxVersion: 'TLSv1.2' },
					},
				}),
			),
			options: UNTRUSTED,
		}),
	},
	...(['TLSv1.3', 'TLSv1.2'] as const).flatMap((maxVersion) =>
		(
			[
				['plain text after the request', 'HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n'],
				['a damaged record after the request', DAMAGED_RECORD],
				['a fatal alert after the request', PLAIN_ALERT],
			] as const
		).map(([what, bytes]): Failure => ({
			name: `${what}, ${maxVersion}`,
			arrange: async (stage) => {
				const pems = await certify('localhost');
				const onRequest = (_socket: unknown, raw: Socket) => raw.write(bytes);
				const port = await stage.serve({ tls: { ...pems, maxVersion }, onRequest });
				return { ...https1(port), options: UNTRUSTED };
			},
		})),
	),
	{
		name: 'a damaged record in the body',
		arrange: async (stage) => {
			let damage = (): void => undefined;
			const port = await stage.serve({
				tls: await certify('localhost'),
				onRequest: (socket, raw) => {
					socket.write(HALF);
					damage = () => raw.write(DAMAGED_RECORD);
				},
			});
			return {
				...https1(port),
				options: UNTRUSTED,
				onResponse: () => {
					damage();
				},
			};
		},
	},
	{
		name: 'reset after the request, https',
		arrange: async (stage) => {
			const onRequest = (_socket: unknown, raw: Socket) => raw.resetAndDestroy();
			const port = await stage.serve({ tls: await certify('localhost'), onRequest });
			return { ...https1(port), options: UNTRUSTED };
		},
	},
	{
		name: 'closed after the request, https',
		arrange: async (stage) => {
			const onRequest = (_socket: unknown, raw: Socket) => raw.end();
			const port = await stage.serve({ tls: await certify('localhost'), onRequest });
			return { ...https1(port), options: UNTRUSTED };
		},
	},
];

const useProxy = (port: number, host = HOST) => ({ proxy: { host, port, protocol: 'http' } });

/** A proxy that refuses to connect to any host. */
async function startProxy(stage: Stage, status: number): Promise<number> {
	const server = http.createServer();
	server.on('connect', (_request, socket) => {
		socket.end(`HTTP/1.1 ${status} Refused\r\nContent-Length: 0\r\n\r\n`);
	});
	return await stage.listen(server);
}

const PROXIED: Failure[] = [
	{
		name: 'a proxy that refuses the connection',
		arrange: async (stage) => ({
			baseUrl: 'http://service.test',
			options: useProxy(await stage.findClosedPort()),
		}),
	},
	{
		name: 'a proxy that refuses the connection, https',
		arrange: async (stage) => ({
			baseUrl: 'https://service.test',
			options: useProxy(await stage.findClosedPort()),
		}),
	},
	{
		name: 'a proxy that is not known',
		simulated: "the DNS's response",
		arrange: (stage) => ({
			baseUrl: 'https://service.test',
			options: useProxy(9, failLookup(stage, 'ENOTFOUND')),
		}),
	},
	...[407, 502, 503].map((status): Failure => ({
		name: `a proxy that responds with ${status} to CONNECT`,
		arrange: async (stage) => ({
			baseUrl: 'https://service.test',
			options: useProxy(await startProxy(stage, status)),
		}),
	})),
	{
		name: 'a proxy that closes the connection',
		arrange: async (stage) => ({
			baseUrl: 'https://service.test',
			options: useProxy(await stage.serve({ isProxy: true, onRequest: (socket) => socket.end() })),
		}),
	},
	{
		name: 'a proxy that resets the connection',
		arrange: async (stage) => ({
			baseUrl: 'https://service.test',
			options: useProxy(
				await stage.serve({ isProxy: true, onRequest: (socket) => socket.resetAndDestroy() }),
			),
		}),
	},
];

const REFUSED_BEFORE: Failure[] = [
	{
		name: 'no credential',
		arrange: async (stage) => ({ ...http1(await stage.serve()), hasCredential: false }),
	},
	{
		name: 'the credential cannot be looked up',
		arrange: async (stage) => {
			failCredential(new Error('Connection terminated unexpectedly'));
			return http1(await stage.serve());
		},
	},
	{
		name: "n8n's database cannot be reached",
		arrange: async (stage) => {
			failCredential(createSystemError('connect', 'ECONNREFUSED', { address: HOST, port: 5432 }));
			return http1(await stage.serve());
		},
	},
	{
		name: "the connection to n8n's database breaks",
		arrange: async (stage) => {
			failCredential(createSystemError('read', 'ECONNRESET'));
			return http1(await stage.serve());
		},
	},
	{ name: 'the credential has no Base URL', arrange: () => ({ baseUrl: '' }) },
	{
		name: 'the key has characters that cannot be sent',
		arrange: async (stage) => ({ ...http1(await stage.serve()), apiKey: 'key\n1' }),
	},
	{
		name: 'the request is for another host than the credential',
		arrange: async (stage) => ({
			...http1(await stage.serve()),
			options: { url: 'http://elsewhere.test/v1/queue/add' },
		}),
	},
	{
		name: 'the name of a header cannot be sent',
		arrange: async (stage) => ({
			...http1(await stage.serve()),
			options: { headers: { 'X Name': 'value' } },
		}),
	},
	{
		name: 'the method cannot be sent',
		arrange: async (stage) => ({
			...http1(await stage.serve()),
			options: { method: 'PO ST' as never },
		}),
	},
	{
		name: 'the host is not among the allowed ones',
		arrange: async (stage) => ({
			...http1(await stage.serve()),
			options: { allowedDomains: 'elsewhere.test' },
		}),
	},
];

function failCredential(error: Error): void {
	jest.spyOn(TestCredentialsHelper.prototype, 'getDecrypted').mockRejectedValue(error);
}

/** n8n's protection against requests to private networks. */
const BLOCKED: Failure[] = [
	{
		name: 'n8n blocks the address',
		arrange: async (stage) => {
			protect(stage);
			return http1(await stage.serve());
		},
	},
	{
		name: 'n8n blocks the address of a name',
		arrange: async (stage) => {
			protect(stage);
			stage.resolve({ 'inside.test': [HOST] });
			return http1(await stage.serve(), 'inside.test');
		},
	},
	{
		name: 'unknown host, with the protection on',
		simulated: "the DNS's response",
		arrange: (stage) => {
			protect(stage);
			return http1(9, failLookup(stage, 'ENOTFOUND'));
		},
	},
	{
		name: 'n8n blocks the address while it connects',
		simulated: "n8n's error",
		arrange: (stage) => {
			const blocked = Object.assign(new Error('The request was blocked'), {
				name: 'SsrfBlockedIpError',
			});
			stage.resolve({ 'inside.test': blocked });
			return http1(9, 'inside.test');
		},
	},
];

function protect(stage: Stage): void {
	const config = Container.get(SsrfProtectionConfig);
	config.enabled = true;
	stage.onEnd(() => {
		config.enabled = false;
	});
}

const hasIPv6 = Object.values(networkInterfaces())
	.flat()
	.some((address) => address?.address === '::1');

/** Every failure of a request that n8n's helper throws, or that ends the stream that it returns. */
export const FAILURES: Failure[] = [
	...CONNECTING,
	...CONNECTED,
	...CERTIFICATES,
	...ENCRYPTED,
	...PROXIED,
	...REFUSED_BEFORE,
	...(hasFeature('hostRules') ? BLOCKED : []),
].filter(({ needsIPv6 }) => hasIPv6 || needsIPv6 !== true);
