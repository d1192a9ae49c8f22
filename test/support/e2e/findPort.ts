import getPort, { portNumbers } from 'get-port';

const FIRST_PORT = 10_000;
const PORTS_PER_PROCESS = 1_000;

let next = FIRST_PORT + PORTS_PER_PROCESS * Number(process.env.JEST_WORKER_ID ?? 0);
const last = next + PORTS_PER_PROCESS - 1;

/**
 * Returns a port for a server that listens only seconds later. It is not one of those that the system
 * gives to outgoing connections (32768 and above on Linux), nor one of another test process.
 */
export async function findPort(): Promise<number> {
	const port = await getPort({ host: '127.0.0.1', port: portNumbers(next, last) });
	next = port + 1;
	return port;
}
