import dns from 'node:dns';
import type { AddressInfo } from 'node:net';
import net from 'node:net';
import tls from 'node:tls';

export const HOST = '127.0.0.1';

const RECEIVED = ['nothing', 'connection', 'part of the request', 'request'] as const;

/** How much of a request has reached a service. */
export type Received = (typeof RECEIVED)[number];

/** What a service does with a connection. `raw` is the TCP connection, below `socket` if that is encrypted. */
export interface Behaviour {
	onConnection?: (raw: net.Socket) => void;
	/** Called once the whole request has arrived. */
	onRequest?: (socket: net.Socket, raw: net.Socket) => void;
	tls?: tls.TlsOptions;
	/** Whether this is a proxy: what it receives has not reached the service. */
	isProxy?: boolean;
}

/** Servers, names and sockets of one failing request, which end with it. */
export class TestNetwork {
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
	async serve(behaviour: Behaviour = {}): Promise<number> {
		const server = net.createServer((raw) => {
			this.endings.push(() => raw.destroy());
			if (!behaviour.isProxy) this.note('connection');
			raw.on('error', () => undefined);
			this.receive(raw, behaviour);
			behaviour.onConnection?.(raw);
		});
		await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
		this.endings.push(async () => {
			await new Promise((resolve) => server.close(resolve));
		});
		return (server.address() as AddressInfo).port;
	}

	/** @returns a port at which nothing listens */
	async findPort(): Promise<number> {
		const port = await this.serve();
		await this.endings.pop()?.();
		return port;
	}

	private receive(raw: net.Socket, { onRequest, tls: options, isProxy }: Behaviour): void {
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
		if (RECEIVED.indexOf(received) > RECEIVED.indexOf(this.received)) this.received = received;
	}

	/** Has Node.js look this name up as if in the DNS. @param found its addresses, or the error */
	resolve(name: string, found: string[] | Error): void {
		const original = dns.lookup as (...args: unknown[]) => void;
		const lookup = (
			host: string,
			options: dns.LookupOptions,
			done: (...args: unknown[]) => void,
		) => {
			if (host !== name) original(host, options, done);
			else if (!Array.isArray(found)) process.nextTick(done, found);
			else if (!options.all) process.nextTick(done, null, found[0], net.isIP(found[0] ?? ''));
			else {
				const records = found.map((address) => ({ address, family: net.isIP(address) }));
				process.nextTick(done, null, records);
			}
		};
		jest.spyOn(dns, 'lookup').mockImplementation(lookup as never);
	}
}

/** Creates an error as Node.js does for a failing call of the system. */
export function createSystemError(
	syscall: string,
	code: string,
	more: { address?: string; port?: number; hostname?: string } = {},
): NodeJS.ErrnoException {
	const { address, port, hostname = '' } = more;
	const target = address === undefined ? hostname : `${address}:${port}`;
	const error = new Error(`${syscall} ${code} ${target}`.trim());
	return Object.assign(error, { errno: -1, code, syscall, ...more });
}
