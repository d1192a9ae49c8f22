import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { SandboxOptions } from './control/context';
import type { Sandbox } from './Sandbox';

export const HELP = `A local video generation service for development, tests and the demo.

Usage: npm run sandbox -- [options]

  --port <number>      Port on 127.0.0.1, or 0 for a free one (3456)
  --latency <ms>       Added to every reply (0)
  --credits <number>   Credits of the main account (100)
  --seed <number>      The same number gives the same IDs (a new one each time)
  --clock <kind>       "real", or "manual" to move it yourself (real)
  --help               Show this text
`;

const DEFAULT_PORT = 3456;
const MAX_SEED = 2 ** 31 - 1;

type CommandLine = Required<
	Pick<SandboxOptions, 'port' | 'latencyMs' | 'credits' | 'seed' | 'clock'>
>;

/**
 * @returns `null` if help is requested
 * @throws Error with a message for the user
 */
export function parseCommandLine(args: string[]): CommandLine | null {
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
		// The default is random: the trigger remembers ids, and would skip a new video with a known id.
		seed: parseInteger('seed', values.seed, MAX_SEED) ?? randomInt(MAX_SEED),
		clock: parseClock(values.clock),
	};
}

function parseInteger(name: string, text: string | undefined, max: number): number | undefined {
	if (text === undefined) return undefined;
	if (/^\d+$/.test(text) && Number(text) <= max) return Number(text);
	throw new Error(`--${name} takes a whole number from 0 to ${max}, not "${text}".`);
}

function parseClock(text = 'real'): 'manual' | 'real' {
	if (text === 'manual' || text === 'real') return text;
	throw new Error(`--clock takes "real" or "manual", not "${text}".`);
}

/** Describes a sandbox that has just started to the person who started it. */
export function describeSandbox({ url, accounts, projects }: Sandbox, seed: number): string {
	const rows = [
		'The local video service is ready. Press Ctrl+C to stop it.',
		'',
		`  Address   ${url}`,
		`  Control   ${url}/_sandbox/state (faults, clock, finishing a video: sandbox/README.md)`,
		`  Seed      ${seed}`,
		'',
		'API keys',
		...Object.entries(accounts).map(
			([name, { apiKey, email }]) => `  ${name.padEnd(8)}  ${apiKey}  (${email})`,
		),
		'',
		'Projects',
		...Object.values(projects).map(
			({ id, name, accountId }) => `  ${accountId.padEnd(8)}  ${id.padEnd(26)}  ${name}`,
		),
		'',
		'Try it',
		`  curl -H "Authorization: Bearer ${accounts.main.apiKey}" ${url}/v1/projects`,
		`  curl -H "Authorization: Bearer ${accounts.main.apiKey}" -H "Content-Type: application/json" \\`,
		`    -d '{"projectId":"${projects.teaser.id}"}' ${url}/v1/queue/add`,
		`  curl -H "Authorization: Bearer ${accounts.main.apiKey}" ${url}/v1/videos`,
	];
	return rows.join('\n');
}
