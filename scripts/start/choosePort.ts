import { ReadableError } from '../ReadableError';
import { listenBriefly } from './listenBriefly';

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
	const wish = asked ?? usual;
	const port = taken.includes(wish) ? undefined : await listenBriefly(wish);
	if (port !== undefined) return port;
	if (asked !== undefined) {
		throw new ReadableError(
			`Port ${asked}, asked for with ${option}, is taken or may not be used. End what listens there, or give ${name} another port.`,
		);
	}
	const free = await listenBriefly(0);
	if (free === undefined) throw new ReadableError(`No free port was found for ${name}.`);
	say(`  port ${usual} is taken, so ${name} uses port ${free}`);
	return free;
}
