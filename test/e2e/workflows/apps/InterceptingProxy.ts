import { writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { generate } from 'selfsigned';

export interface AppRequest {
	method: string;
	/** The decoded path, without the query. */
	path: string;
	headers: http.IncomingHttpHeaders;
	body: Buffer;
}

export interface AppReply {
	status?: number;
	headers?: Record<string, string>;
	/** The body, which is sent as JSON. */
	body?: unknown;
}

/** Responds to a request like an app; returns undefined for an unknown request. */
export type App = (request: AppRequest) => AppReply | undefined;

/**
 * A proxy between n8n and the whole internet: n8n's own nodes for apps connect to the addresses of
 * their apps over HTTPS, and apps in this process respond. Nothing leaves the machine.
 */
export class InterceptingProxy {
	private readonly proxy = http.createServer((_request, response) => response.writeHead(502).end());
	private tlsServer: https.Server | undefined;
	private readonly sockets = new Set<Socket>();
	/** The requests that the apps did not know. */
	readonly unknown: string[] = [];

	/** @param apps apps by host name */
	constructor(private readonly apps: Record<string, App>) {}

	/**
	 * @param certificateFile file to write the certificate to
	 * @returns the environment variables to start n8n with
	 */
	async start(certificateFile: string): Promise<Record<string, string>> {
		const { cert, private: key } = await createCertificate(Object.keys(this.apps));
		writeFileSync(certificateFile, cert);
		const tlsServer = https.createServer({ cert, key }, (request, response) => {
			this.answer(request, response).catch((error: unknown) => {
				response.writeHead(500).end(String(error));
			});
		});
		this.tlsServer = tlsServer;
		this.proxy.on('connect', (request: http.IncomingMessage, socket: Socket) => {
			const [host = ''] = (request.url ?? '').split(':');
			this.sockets.add(socket);
			socket.on('error', () => socket.destroy());
			socket.on('close', () => this.sockets.delete(socket));
			if (!(host in this.apps)) {
				socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
				return;
			}
			socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
			tlsServer.emit('connection', socket);
		});
		await new Promise<void>((resolve) => this.proxy.listen(0, '127.0.0.1', resolve));
		const { port } = this.proxy.address() as AddressInfo;
		return {
			HTTPS_PROXY: `http://127.0.0.1:${port}`,
			NO_PROXY: '127.0.0.1,localhost',
			NODE_EXTRA_CA_CERTS: certificateFile,
		};
	}

	async stop(): Promise<void> {
		this.tlsServer?.closeAllConnections();
		for (const socket of this.sockets) socket.destroy();
		await new Promise((resolve) => this.proxy.close(resolve));
	}

	private async answer(request: http.IncomingMessage, response: http.ServerResponse) {
		const { host = '' } = request.headers;
		const { pathname } = new URL(request.url ?? '/', `https://${host}`);
		const asked: AppRequest = {
			method: request.method ?? '',
			path: decodeURIComponent(pathname),
			headers: request.headers,
			body: await buffer(request),
		};
		const reply = this.apps[host]?.(asked);
		if (!reply) this.unknown.push(`${asked.method} ${host}${asked.path}`);
		const { status = 200, headers = {}, body = {} } = reply ?? { status: 404 };
		response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
		response.end(JSON.stringify(body));
	}
}

async function createCertificate(hosts: string[]) {
	return await generate([{ name: 'commonName', value: 'Apps of the tests' }], {
		keySize: 2048,
		extensions: [
			{ name: 'basicConstraints', cA: true },
			{ name: 'subjectAltName', altNames: hosts.map((value) => ({ type: 2 as const, value })) },
		],
	});
}
