import type { Server } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import tls from 'node:tls';
import type { Certificate } from '../control/context';

/** The connections beneath those with TLS, for faults that break the encryption itself. */
const beneath = new WeakMap<Socket, Socket>();

/** Returns the connection that carries the encrypted bytes; without TLS, the connection itself. */
export function getSocketBeneathTls(socket: Socket): Socket {
	return beneath.get(socket) ?? socket;
}

/** Serves the same requests over HTTPS, on a free port of the loopback address. */
export async function listenWithTls(
	server: Server,
	certificate: Certificate,
): Promise<{ port: number; close(): Promise<void> }> {
	const secureContext = tls.createSecureContext(certificate);
	const open = new Set<Socket>();
	const listener = net.createServer((raw) => {
		open.add(raw);
		const socket = new tls.TLSSocket(raw, { isServer: true, secureContext });
		beneath.set(socket, raw);
		// A client that does not trust the certificate breaks the handshake.
		for (const each of [raw, socket]) each.on('error', () => raw.destroy());
		raw.on('close', () => {
			open.delete(raw);
			socket.destroy();
		});
		server.emit('connection', socket);
	});
	await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
	return {
		port: (listener.address() as AddressInfo).port,
		close: async () => {
			for (const socket of open) socket.destroy();
			await new Promise((resolve) => listener.close(resolve));
		},
	};
}
