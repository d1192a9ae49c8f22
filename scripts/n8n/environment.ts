import { delimiter, dirname, join } from 'node:path';

/**
 * The environment variables that a process needs. All others of the user's shell are left out: the
 * settings of a user's own n8n, a debugger's NODE_OPTIONS, a proxy that cannot reach this machine.
 */
const UNIX = 'PATH HOME USER LOGNAME SHELL LANG LC_ALL LC_CTYPE TZ TMPDIR';
const WINDOWS =
	'APPDATA COMSPEC LOCALAPPDATA PATHEXT SYSTEMDRIVE SYSTEMROOT TEMP TMP USERNAME USERPROFILE WINDIR';
const KEPT = new Set(`${UNIX} ${WINDOWS}`.split(' '));

/** Returns the environment of a process that gets only the variables above and the additions. */
export function buildLocalEnvironment(additions: Record<string, string> = {}): NodeJS.ProcessEnv {
	const kept = Object.entries(process.env).filter(([name]) => KEPT.has(name.toUpperCase()));
	return { ...Object.fromEntries(kept), ...additions };
}

export interface N8nSettings {
	/** n8n keeps its data in the subfolder `.n8n`. */
	userFolder: string;
	/** The node binary that runs n8n. */
	node: string;
	/** The script of n8n that the node binary runs. */
	script: string;
	port: number;
	/** The port on which n8n's own task runner connects to it. */
	brokerPort: number;
}

/**
 * Returns the environment of a local n8n that is quiet and ignores any other n8n on this machine.
 *
 * @throws Error if n8n could not load packages from its folder
 */
export function buildN8nEnvironment({
	userFolder,
	node,
	script,
	port,
	brokerPort,
}: N8nSettings): NodeJS.ProcessEnv {
	// n8n puts the path between apostrophes into the code that loads a package.
	if (userFolder.includes("'")) {
		throw new Error(
			`n8n can't load packages from a folder with an apostrophe in its path. Move this project, and start again: ${userFolder}`,
		);
	}
	return buildLocalEnvironment({
		// n8n starts its task runner with the first `node` in the path, which must be the same binary.
		PATH: [dirname(node), process.env.PATH].filter(Boolean).join(delimiter),
		NODE_ENV: 'production',
		// The compile cache, beside n8n's own files, saves a third of each start after the first.
		NODE_COMPILE_CACHE: join(dirname(script), '..', '..', '..', '.compiled'),
		N8N_USER_FOLDER: userFolder,
		DB_TYPE: 'sqlite',
		// n8n answers no request once its database has been busy for so long: 5 seconds by default.
		DB_PING_TIMEOUT_MS: '120000',
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_HOST: '127.0.0.1',
		N8N_PORT: String(port),
		N8N_EDITOR_BASE_URL: `http://127.0.0.1:${port}/`,
		N8N_WEBHOOK_URL: `http://127.0.0.1:${port}/`,
		N8N_RUNNERS_BROKER_LISTEN_ADDRESS: '127.0.0.1',
		N8N_RUNNERS_BROKER_PORT: String(brokerPort),
		// The cookie must pass over plain HTTP: there is no HTTPS on loopback.
		N8N_SECURE_COOKIE: 'false',
		// These settings turn off everything that n8n would report or fetch.
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_DYNAMIC_BANNERS_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
		N8N_DISABLED_MODULES: 'mcp-registry',
		N8N_PYTHON_ENABLED: 'false',
		// n8n warns about each of these defaults at every start unless they are set explicitly.
		N8N_RUNNERS_TASK_TIMEOUT: '60',
		N8N_COMPRESSION_NODE_MAX_DECOMPRESSED_SIZE_BYTES: String(256 * 1024 * 1024),
		N8N_COMPRESSION_NODE_MAX_ZIP_ENTRIES: '1000',
		// A local tarball is not in n8n's list of verified packages.
		N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
	});
}
