import dns from 'node:dns';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { AddressInfo } from 'node:net';
import net from 'node:net';
import tls from 'node:tls';

/** How much of a request has reached a service. */
export type Received = 'nothing' | 'connection' | 'part of the request' | 'request';

/** What a service does with a connection. `raw` is the TCP connection, below `socket` if that is encrypted. */
export interface Behaviour {
	onConnection?: (raw: net.Socket) => void;
	/** Called once the whole request has arrived. */
	onRequest?: (socket: net.Socket, raw: net.Socket) => void;
	tls?: tls.TlsOptions;
	/** Whether nothing is read from the connection. */
	isDeaf?: boolean;
	/** Whether this is a proxy: what it receives has not reached the service. */
	isProxy?: boolean;
}

/** The addresses of host names, or the errors of looking them up. */
type Lookup = Record<string, string[] | Error>;

/** Servers, names and sockets of one failing request, which end with it. */
export class Stage {
	received: Received = 'nothing';

	private readonly endings: (() => unknown)[] = [];

	/** Ends everything, the last first: a server closes only after its connections. */
	async end(): Promise<void> {
		for (const end of this.endings.reverse()) await end();
		jest.restoreAllMocks();
	}

	onEnd(end: () => unknown): void {
		this.endings.push(end);
	}

	/** Starts a service on the loopback interface. @returns its port */
	async serve(behaviour: Behaviour = {}, host = '127.0.0.1'): Promise<number> {
		const server = net.createServer({ pauseOnConnect: behaviour.isDeaf === true }, (raw) => {
			this.endings.push(() => raw.destroy());
			if (!behaviour.isProxy) this.note('connection');
			raw.on('error', () => undefined);
			this.receive(raw, behaviour);
			behaviour.onConnection?.(raw);
		});
		return await this.listen(server, host);
	}

	async listen(server: net.Server, host = '127.0.0.1'): Promise<number> {
		await new Promise<void>((resolve) => server.listen(0, host, resolve));
		this.endings.push(async () => {
			await new Promise((resolve) => server.close(resolve));
		});
		return (server.address() as AddressInfo).port;
	}

	/** @returns a port at which nothing listens */
	async findClosedPort(host = '127.0.0.1'): Promise<number> {
		const server = net.createServer();
		await new Promise<void>((resolve) => server.listen(0, host, resolve));
		const { port } = server.address() as AddressInfo;
		await new Promise((resolve) => server.close(resolve));
		return port;
	}

	private receive(raw: net.Socket, { onRequest, tls: options, isDeaf, isProxy }: Behaviour): void {
		if (isDeaf) return;
		const socket = options ? new tls.TLSSocket(raw, { isServer: true, ...options }) : raw;
		socket.on('error', () => undefined);
		let text = '';
		socket.on('data', (data: Buffer) => {
			text += data.toString('latin1');
			const head = text.indexOf('\r\n\r\n');
			const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
			const isWhole = head >= 0 && text.length >= head + 4 + length;
			// The first bytes of an encrypted connection are no request.
			if (!isProxy && /^[A-Z]/.test(text)) this.note(isWhole ? 'request' : 'part of the request');
			if (isWhole) onRequest?.(socket, raw);
		});
	}

	private note(received: Received): void {
		const order: Received[] = ['nothing', 'connection', 'part of the request', 'request'];
		if (order.indexOf(received) > order.indexOf(this.received)) this.received = received;
	}

	/** Has Node.js look these names up, and no others, as if in the DNS. */
	resolve(names: Lookup): void {
		const original = dns.lookup as (...args: unknown[]) => void;
		const originalPromise = dns.promises.lookup as (...args: unknown[]) => Promise<unknown>;
		const lookup = (
			host: string,
			options: dns.LookupOptions,
			done: (...args: unknown[]) => void,
		) => {
			const found = names[host];
			if (found === undefined) {
				original(host, options, done);
				return;
			}
			process.nextTick(() => {
				if (!Array.isArray(found)) done(found);
				else if (options.all) done(null, found.map(toRecord));
				else done(null, found[0], net.isIP(found[0] ?? ''));
			});
		};
		const lookUp = async (host: string, options: dns.LookupOptions) => {
			const found = names[host];
			if (found === undefined) return await originalPromise(host, options);
			if (!Array.isArray(found)) throw found;
			return options.all ? found.map(toRecord) : toRecord(found[0] ?? '');
		};
		jest.spyOn(dns, 'lookup').mockImplementation(lookup as never);
		jest.spyOn(dns.promises, 'lookup').mockImplementation(lookUp as never);
	}

	/** Calls a function with each socket of this process that begins to connect. */
	watchClient(onSocket: (socket: net.Socket) => void): void {
		const listener = (message: unknown) => {
			const { socket } = message as { socket: net.Socket };
			process.nextTick(() => {
				onSocket(socket);
			});
		};
		subscribe('net.client.socket', listener);
		this.endings.push(() => unsubscribe('net.client.socket', listener));
	}

	/** Makes all connections trust a certificate, as if an authority of this machine had issued it. */
	trust(ca: string): void {
		const original = tls.connect as (options: tls.ConnectionOptions) => tls.TLSSocket;
		jest
			.spyOn(tls, 'connect')
			.mockImplementation(((options: tls.ConnectionOptions) =>
				original({ ...options, ca })) as never);
	}
}

function toRecord(address: string): dns.LookupAddress {
	return { address, family: net.isIP(address) };
}

/** Creates an error as Node.js does for a failing call of the system. */
export function createSystemError(
	syscall: string,
	code: string,
	more: Record<string, unknown> = {},
): NodeJS.ErrnoException {
	const { address, port, hostname } = more as {
		address?: string;
		port?: number;
		hostname?: string;
	};
	const suffix = address ? ` ${address}:${port ?? 0}` : hostname ? ` ${hostname}` : '';
	return Object.assign(new Error(`${syscall} ${code}${suffix}`), {
		errno: -1,
		code,
		syscall,
		...more,
	});
}
