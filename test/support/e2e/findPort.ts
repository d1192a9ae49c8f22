import getPort, { portNumbers } from 'get-port';

const FIRST_PORT = 10_000;
const PORTS_PER_PROCESS = 250;
/** All blocks end below 32768. */
const BLOCKS = 90;

// The first term tells the runs on one machine apart, the second term the processes of a run.
const block = (process.ppid * 7 + Number(process.env.JEST_WORKER_ID ?? 0)) % BLOCKS;
let next = FIRST_PORT + PORTS_PER_PROCESS * block;
const last = next + PORTS_PER_PROCESS - 1;

/**
 * Returns a port for a server that listens only seconds later. It is not one of those that the system
 * gives to outgoing connections (32768 and above on Linux). Two runs of the tests on one machine use
 * different blocks, except by rare coincidence.
 */
export async function findPort(): Promise<number> {
	const port = await getPort({ host: '127.0.0.1', port: portNumbers(next, last) });
	next = port + 1;
	return port;
}
