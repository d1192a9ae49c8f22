import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { SandboxOptions } from './control/context';
import type { Sandbox } from './Sandbox';

export const HELP = `A local video generation service for development, tests and the demo.

Usage: npm run sandbox -- [options]

  --port <number>      Port on 127.0.0.1, or 0 for a free one (3456)
  --help               Show this text
`;

const MAX_SEED = 2 ** 31 - 1;

/**
 * @returns `null` if help is requested
 * @throws Error with a message for the user
 */
export function parseCommandLine(args: string[]): SandboxOptions | null {
	const { port, help } = parseArgs({
		args,
		options: {
			port: { type: 'string', default: '3456' },
			help: { type: 'boolean', short: 'h' },
		},
	}).values;
	if (help === true) return null;
	return {
		port: Number(port),
		// The trigger remembers ids, and would skip a new video with a known id.
		seed: randomInt(MAX_SEED),
		clock: 'real',
		promptInVideos: true,
	};
}

/** Describes a sandbox that has just started to the person who started it. */
export function describeSandbox({ url, accounts, projects }: Sandbox): string {
	const rows = [
		'The local video service is ready. Press Ctrl+C to stop it.',
		'',
		`  Address   ${url}`,
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
	];
	return rows.join('\n');
}
