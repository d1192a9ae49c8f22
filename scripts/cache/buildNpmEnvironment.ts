/**
 * The environment for npm: the user's own, with proxy, registry and certificates, but without what
 * `npm start` set for this project and what would make npm itself run otherwise.
 */
export function buildNpmEnvironment(
	inherited: NodeJS.ProcessEnv = process.env,
	additions: Record<string, string> = {},
): NodeJS.ProcessEnv {
	const kept = Object.entries(inherited).filter(
		([name]) =>
			!['NODE_OPTIONS', 'NODE_ENV', 'INIT_CWD'].includes(name) &&
			!/^npm_(package|lifecycle)_/.test(name) &&
			!/^npm_config_(local_prefix|ignore_scripts|omit|include)$/i.test(name),
	);
	return { ...Object.fromEntries(kept), ...additions };
}
