import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { SandboxOptions } from '../control/SandboxOptions';

const DEFAULT_PORT = 3456;
const MAX_SEED = 2 ** 31 - 1;

/**
 * Reads what follows `npm run sandbox --`.
 *
 * @returns `null` when help is asked for
 * @throws Error with a sentence for the person who typed it
 */
export function parseCommandLine(args: string[]): Required<CommandLine> | null {
	const { values } = parseArgs({
		args,
		options: {
			port: { type: 'string' },
			latency: { type: 'string' },
			credits: { type: 'string' },
			seed: { type: 'string' },
			clock: { type: 'string' },
			help: { type: 'boolean', short: 'h' },
		},
	});
	if (values.help === true) return null;
	return {
		port: parseInteger('port', values.port, 65_535) ?? DEFAULT_PORT,
		latencyMs: parseInteger('latency', values.latency, 600_000) ?? 0,
		credits: parseInteger('credits', values.credits, 1_000_000_000) ?? 100,
		// Ids that come again after a restart would look like old ones to whoever remembers them.
		seed: parseInteger('seed', values.seed, MAX_SEED) ?? randomInt(MAX_SEED),
		clock: parseClock(values.clock),
	};
}

type CommandLine = Pick<SandboxOptions, 'port' | 'latencyMs' | 'credits' | 'seed' | 'clock'>;

function parseInteger(name: string, text: string | undefined, max: number): number | undefined {
	if (text === undefined) return undefined;
	if (/^\d+$/.test(text) && Number(text) <= max) return Number(text);
	throw new Error(`--${name} takes a whole number from 0 to ${max}, not "${text}".`);
}

function parseClock(text = 'real'): 'manual' | 'real' {
	if (text === 'manual' || text === 'real') return text;
	throw new Error(`--clock takes "real" or "manual", not "${text}".`);
}
