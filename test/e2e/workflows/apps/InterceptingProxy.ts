import { writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { generate } from 'selfsigned';

/** Responds to a request like an app; returns undefined for an unknown request. */
export type App = (request: {
	method: string | undefined;
	/** The decoded path, without the query. */
	path: string;
	headers: http.IncomingHttpHeaders;
	body: Buffer;
}) => { status?: number; headers?: Record<string, string>; body?: unknown } | undefined;

/**
 * A proxy between n8n and the whole internet: n8n's own nodes for apps connect to the addresses of
 * their apps over HTTPS, and apps in this process respond with JSON. Nothing leaves the machine.
 */
export class InterceptingProxy {
	private readonly proxy = http.createServer((_request, response) => response.writeHead(502).end());
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
		const altNames = Object.keys(this.apps).map((value) => ({ type: 2 as const, value }));
		const { cert, private: key } = await generate([{ name: 'commonName', value: 'Apps' }], {
			keySize: 2048,
			extensions: [
				{ name: 'basicConstraints', cA: true },
				{ name: 'subjectAltName', altNames },
			],
		});
		writeFileSync(certificateFile, cert);
		const tlsServer = https.createServer({ cert, key }, (request, response) => {
			this.answer(request, response).catch((error: unknown) => {
				response.writeHead(500).end(String(error));
			});
		});
		this.proxy.on('connect', ({ url = '' }: http.IncomingMessage, socket: Socket) => {
			const isApp = (url.split(':')[0] ?? '') in this.apps;
			this.sockets.add(socket);
			socket.on('error', () => socket.destroy());
			socket.on('close', () => this.sockets.delete(socket));
			socket.write(`HTTP/1.1 ${isApp ? '200 Connection Established' : '502 Bad Gateway'}\r\n\r\n`);
			if (isApp) tlsServer.emit('connection', socket);
			else socket.end();
		});
		await new Promise<void>((resolve) => this.proxy.listen(0, '127.0.0.1', resolve));
		return {
			HTTPS_PROXY: `http://127.0.0.1:${(this.proxy.address() as AddressInfo).port}`,
			NO_PROXY: '127.0.0.1,localhost',
			NODE_EXTRA_CA_CERTS: certificateFile,
		};
	}

	async stop(): Promise<void> {
		for (const socket of this.sockets) socket.destroy();
		await new Promise((resolve) => this.proxy.close(resolve));
	}

	private async answer(request: http.IncomingMessage, response: http.ServerResponse) {
		const { method, headers, url = '/' } = request;
		const { host = '' } = headers;
		const path = decodeURIComponent(new URL(url, `https://${host}`).pathname);
		const reply = this.apps[host]?.({ method, path, headers, body: await buffer(request) });
		if (!reply) this.unknown.push(`${method} ${host}${path}`);
		const { status = 200, headers: added, body = {} } = reply ?? { status: 404 };
		response.writeHead(status, { 'Content-Type': 'application/json', ...added });
		response.end(JSON.stringify(body));
	}
}
