import { createServer } from 'node:net';

/**
 * Listens on the loopback address for a moment.
 * @param port 0: any that is free
 * @returns the port, or undefined when it is taken or may not be used
 */
export async function listenBriefly(port: number): Promise<number | undefined> {
	return await new Promise((resolve) => {
		const server = createServer();
		server.once('error', () => {
			resolve(undefined);
		});
		server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
			const address = server.address();
			const chosen = typeof address === 'object' ? address?.port : undefined;
			server.close(() => {
				resolve(chosen);
			});
		});
	});
}
