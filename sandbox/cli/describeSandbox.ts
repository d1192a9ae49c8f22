import type { Sandbox } from '../Sandbox';

/** What a person needs to try a sandbox that has just been started. */
export function describeSandbox({ url, accounts, projects }: Sandbox, seed: number): string {
	const rows = [
		'Video service sandbox, ready. Ctrl-C ends it.',
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
