import { createServer } from 'node:net';
import { ReadableError } from '../ReadableError';

const HOST = '127.0.0.1';

export interface PortWish {
	/** What listens there, e.g. "n8n". */
	name: string;
	/** The option that sets it, e.g. "--port". */
	option: string;
	asked: number | undefined;
	usual: number;
	/** Ports that are spoken for, though nothing listens there yet. */
	taken?: readonly number[];
}

/**
 * A free port: the one that was asked for, else the usual one, else any. A port that was asked for
 * and is taken is an error; instead of the usual one another is used, and said.
 */
export async function choosePort(
	{ name, option, asked, usual, taken = [] }: PortWish,
	say: (text: string) => void = console.log,
): Promise<number> {
	if (asked !== undefined) {
		if (!taken.includes(asked) && (await listenBriefly(asked)) !== undefined) return asked;
		throw new ReadableError(
			`Port ${asked}, asked for with ${option}, is taken or may not be used. End what listens there, or give ${name} another port.`,
		);
	}
	if (!taken.includes(usual) && (await listenBriefly(usual)) !== undefined) return usual;
	const free = await listenBriefly(0);
	if (free === undefined) throw new ReadableError(`No free port was found on ${HOST} for ${name}.`);
	say(`  port ${usual} is taken, so ${name} uses port ${free}`);
	return free;
}

/** Listens for a moment; returns the port, or undefined when that is not possible. */
async function listenBriefly(port: number): Promise<number | undefined> {
	return await new Promise((resolve) => {
		const server = createServer();
		server.once('error', () => {
			resolve(undefined);
		});
		server.listen({ port, host: HOST, exclusive: true }, () => {
			const address = server.address();
			const chosen = typeof address === 'object' ? address?.port : undefined;
			server.close(() => {
				resolve(chosen);
			});
		});
	});
}
