import { parseArgs } from 'node:util';
import { ReadableError } from '../ReadableError';

export interface StartOptions {
	once: boolean;
	/** Undefined: the usual port, or another one when that is taken. */
	port: number | undefined;
	sandboxPort: number | undefined;
}

const HIGHEST_PORT = 65_535;

/** What the user asked for on the command line. */
export function readStartOptions(args: string[]): StartOptions {
	const { once, port, 'sandbox-port': sandboxPort } = parse(args);
	return {
		once,
		port: toPort('--port', port),
		sandboxPort: toPort('--sandbox-port', sandboxPort),
	};
}

function parse(args: string[]) {
	try {
		return parseArgs({
			args,
			options: {
				once: { type: 'boolean', default: false },
				port: { type: 'string' },
				'sandbox-port': { type: 'string' },
			},
		}).values;
	} catch (error) {
		throw new ReadableError(
			`${(error as Error).message}\n"npm start -- --help" lists the options.`,
		);
	}
}

function toPort(option: string, text: string | undefined): number | undefined {
	if (text === undefined) return undefined;
	const port = Number(text);
	if (/^\d+$/.test(text) && port >= 1 && port <= HIGHEST_PORT) return port;
	throw new ReadableError(`${option} needs a number from 1 to ${HIGHEST_PORT}, not "${text}".`);
}
