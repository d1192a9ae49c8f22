import type { Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { IHttpRequestOptions } from 'n8n-workflow';
import { SsrfProtectionConfig } from '@n8n/config';
import { Container } from '@n8n/di';
import * as selfsigned from 'selfsigned';
import { hasFeature } from '../testWith';
import { TestCredentialsHelper } from '../TestCredentialsHelper';
import type { Behaviour, Stage } from './Stage';
import { createSystemError, HOST } from './Stage';

/** A request that will fail: its address, options, and what happens once its response begins. */
interface Arranged {
	baseUrl: string;
	options?: Partial<IHttpRequestOptions>;
	onResponse?: () => void;
}

export interface Failure {
	/** What is simulated: everything else really happens. */
	simulated?: string;
	arrange(stage: Stage): Promise<Arranged> | Arranged;
}

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
/** A response that is cut off in its body. */
const HALF = `${HEAD}Content-Length: 500\r\n\r\n{"status":"success","newQueueItem":{"queueId":"queue-1"`;

const atPort = (port: number, host = HOST) => ({ baseUrl: `http://${host}:${port}` });

const serve = (behaviour: Behaviour, options = {}): Failure => ({
	arrange: async (stage) => ({ ...atPort(await stage.serve(behaviour)), options }),
});

const serveTls = (behaviour: Behaviour, options = {}): Failure => ({
	arrange: async (stage) => ({
		...{ baseUrl: `https://localhost:${await stage.serve(behaviour)}`, options },
	}),
});

/** A service behind a proxy that answers like this. */
const serveProxy = (answer: string): Failure => ({
	arrange: async (stage) => {
		const behaviour = { isProxy: true, onRequest: (socket: Socket) => socket.end(answer) };
		const port = await stage.serve(behaviour);
		const proxy = { host: HOST, port, protocol: 'http' };
		return { baseUrl: 'https://service.test', options: { proxy } };
	},
});

/** A connection that fails with an error of the system, if `after` only once the request is there. */
const breakSocket = (syscall: string, code: string, after: boolean): Failure => ({
	simulated: "the socket's error",
	arrange: async (stage) => {
		let fail = (): void => undefined;
		const port = after
			? await stage.serve({
					onRequest: () => {
						fail();
					},
				})
			: await stage.findPort();
		stage.watchClient((socket) => {
			const address = after ? {} : { address: HOST, port };
			fail = () => socket.destroy(createSystemError(syscall, code, address));
			if (!after) fail();
		});
		return atPort(port);
	},
});

/** n8n cannot look the credential up in its database. */
const failCredential = (error: Error): Failure => ({
	arrange: async (stage) => {
		jest.spyOn(TestCredentialsHelper.prototype, 'getDecrypted').mockRejectedValue(error);
		return atPort(await stage.serve());
	},
});

type Options = selfsigned.SelfsignedOptions;

/** @returns a certificate and its private key */
async function certify(host: string, options: Options): Promise<{ key: string; cert: string }> {
	const { private: key, cert } = await selfsigned.generate([{ name: 'commonName', value: host }], {
		...{ keyType: 'ec', algorithm: 'sha256' },
		extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: host }] }],
		...options,
	});
	return { key, cert };
}

/** A service with this certificate, which the machine trusts apart from what is wrong with it. */
const serveCertificate = (host: string, options: Options = {}, isTrusted = true): Failure => ({
	arrange: async (stage) => {
		const tls = await certify(host, options);
		if (isTrusted) stage.trust(tls.cert);
		return await serveTls({ tls }).arrange(stage);
	},
});

/** A service with a certificate of an unknown authority, whose own one it sends along or not. */
const serveChain = (isWhole: boolean): Failure => ({
	arrange: async (stage) => {
		const authority = await certify('An Authority', {
			extensions: [
				{ name: 'basicConstraints', cA: true, critical: true },
				{ name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
			],
		});
		const { key, cert } = await certify('localhost', { ca: authority });
		const tls = { key, cert: isWhole ? `${cert}\n${authority.cert}` : cert };
		return await serveTls({ tls }).arrange(stage);
	},
});

/** A service with a certificate that n8n does not check. */
const serveUntrusted = (
	tls: NonNullable<Behaviour['tls']>,
	behaviour: Behaviour = {},
): Failure => ({
	arrange: async (stage) => {
		const certified = { ...(await certify('localhost', {})), ...tls };
		const unchecked = { skipSslCertificateValidation: true };
		return await serveTls({ ...behaviour, tls: certified }, unchecked).arrange(stage);
	},
});

const yearsFromNow = (years: number) => new Date(Date.now() + years * 365 * 24 * 60 * 60 * 1000);
const CLIENT_CERTIFICATE = { requestCert: true, rejectUnauthorized: true };
const PLAIN_TEXT = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n';

const hasIPv6 = Object.values(networkInterfaces())
	.flat()
	.some((address) => address?.address === '::1');

const BOTH_ADDRESSES: Failure = {
	arrange: async (stage) => {
		stage.resolve('dual.test', ['::1', HOST]);
		return atPort(await stage.findPort(), 'dual.test');
	},
};

const BROKEN_BODY: Failure = {
	arrange: async (stage) => {
		let end = (): unknown => undefined;
		const onRequest = (socket: Socket) => {
			socket.write(HALF);
			end = () => socket.end();
		};
		return { ...atPort(await stage.serve({ onRequest })), onResponse: () => end() };
	},
};

/** n8n's protection against requests to private networks. */
const BLOCKED: Failure = {
	arrange: async (stage) => {
		const config = Container.get(SsrfProtectionConfig);
		config.enabled = true;
		stage.onEnd(() => {
			config.enabled = false;
		});
		return atPort(await stage.serve());
	},
};

/**
 * Failures of a request that n8n's helper throws, or that end the stream that it returns: at least
 * one for all that `failures/fate.ts` takes as a proof, or must not.
 */
export const FAILURES: Record<string, Failure> = {
	'connection refused, IPv4': { arrange: async (stage) => atPort(await stage.findPort()) },
	...(hasIPv6 && { 'connection refused at both addresses of a name': BOTH_ADDRESSES }),
	'unknown host': {
		simulated: "the DNS's response",
		arrange: (stage) => {
			const hostname = 'unknown.test';
			stage.resolve(hostname, createSystemError('getaddrinfo', 'ENOTFOUND', { hostname }));
			return atPort(9, hostname);
		},
	},
	'connect EHOSTUNREACH': breakSocket('connect', 'EHOSTUNREACH', false),
	'read EHOSTUNREACH after the request': breakSocket('read', 'EHOSTUNREACH', true),
	'write EPIPE after the request': breakSocket('write', 'EPIPE', true),
	'reset after the request': serve({ onRequest: (socket) => socket.resetAndDestroy() }),
	'closed after the request': serve({ onRequest: (socket) => socket.end() }),
	'closed in the body': BROKEN_BODY,
	'closed in the body, which n8n collects': serve(
		{ onRequest: (socket) => socket.end(HALF) },
		{ encoding: 'json' },
	),
	'a response that is not HTTP': serve({
		onRequest: (socket) => socket.end('220 mail.test ESMTP\r\n'),
	}),
	'a body whose compression is damaged': serve({
		onRequest: (socket) =>
			socket.end(`${HEAD}Content-Encoding: gzip\r\nContent-Length: 9\r\n\r\nnot gzip!`),
	}),
	"n8n's timeout": serve({}, { timeout: 200 }),
	'a self-signed certificate': serveCertificate('localhost', {}, false),
	'a certificate of an unknown authority': serveChain(false),
	'a certificate with its unknown authority': serveChain(true),
	'an expired certificate': serveCertificate('localhost', {
		...{ notBeforeDate: yearsFromNow(-2), notAfterDate: yearsFromNow(-1) },
	}),
	'a certificate that is not valid yet': serveCertificate('localhost', {
		...{ notBeforeDate: yearsFromNow(2), notAfterDate: yearsFromNow(3) },
	}),
	'a certificate for another host': serveCertificate('elsewhere.test'),
	'plain text instead of a handshake': serveTls({ onConnection: (raw) => raw.end(PLAIN_TEXT) }),
	'closed in the handshake': serveTls({
		onConnection: (raw) => raw.once('data', () => raw.end()),
	}),
	'a client certificate is missing, TLS 1.3': serveUntrusted(CLIENT_CERTIFICATE),
	'a client certificate is missing, TLS 1.2': serveUntrusted({
		...CLIENT_CERTIFICATE,
		maxVersion: 'TLSv1.2',
	}),
	'plain text after the request, TLSv1.3': serveUntrusted(
		{ maxVersion: 'TLSv1.3' },
		{
			onRequest: (_socket, raw) =>
				raw.write('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n'),
		},
	),
	'a proxy that responds with 407 to CONNECT': serveProxy(
		'HTTP/1.1 407 Refused\r\nContent-Length: 0\r\n\r\n',
	),
	'a proxy that closes the connection': serveProxy(''),
	'the credential cannot be looked up': failCredential(
		new Error('Connection terminated unexpectedly'),
	),
	"n8n's database cannot be reached": failCredential(
		createSystemError('connect', 'ECONNREFUSED', { address: HOST, port: 5432 }),
	),
	...(hasFeature('hostRules') && { 'n8n blocks the address': BLOCKED }),
};
