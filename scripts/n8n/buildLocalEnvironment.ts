/**
 * What a process needs of its surroundings. Everything else of the user's shell stays outside: the
 * settings of a user's own n8n, a debugger's NODE_OPTIONS, a proxy that cannot reach this machine.
 */
const KEPT = [
	'PATH',
	'HOME',
	'USER',
	'LOGNAME',
	'SHELL',
	'LANG',
	'LC_ALL',
	'LC_CTYPE',
	'TZ',
	'TMPDIR',
	// Windows
	'APPDATA',
	'COMSPEC',
	'LOCALAPPDATA',
	'PATHEXT',
	'SYSTEMDRIVE',
	'SYSTEMROOT',
	'TEMP',
	'TMP',
	'USERNAME',
	'USERPROFILE',
	'WINDIR',
];

/** The environment for a part that is to see nothing but what it is given here. */
export function buildLocalEnvironment(
	additions: Record<string, string>,
	inherited: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
	const kept = Object.entries(inherited).filter(([name]) => KEPT.includes(name.toUpperCase()));
	return { ...Object.fromEntries(kept), ...additions };
}
