import { delimiter, dirname } from 'node:path';
import { buildLocalEnvironment } from './buildLocalEnvironment';

export interface N8nSettings {
	/** n8n keeps its data in `.n8n` below it. */
	userFolder: string;
	/** The node binary that runs n8n. */
	node: string;
	port: number;
	/** Where n8n's own task runner reports to it. */
	brokerPort: number;
}

/** The environment of an n8n that is local, quiet, and knows nothing of any other n8n here. */
export function buildN8nEnvironment(
	{ userFolder, node, port, brokerPort }: N8nSettings,
	inherited: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
	const env = buildLocalEnvironment(
		{
			NODE_ENV: 'production',
			N8N_USER_FOLDER: userFolder,
			DB_TYPE: 'sqlite',
			N8N_LISTEN_ADDRESS: '127.0.0.1',
			N8N_HOST: '127.0.0.1',
			N8N_PORT: String(port),
			N8N_EDITOR_BASE_URL: `http://127.0.0.1:${port}/`,
			N8N_WEBHOOK_URL: `http://127.0.0.1:${port}/`,
			N8N_RUNNERS_BROKER_LISTEN_ADDRESS: '127.0.0.1',
			N8N_RUNNERS_BROKER_PORT: String(brokerPort),
			// The cookie has to pass over plain http, which is all there is on loopback.
			N8N_SECURE_COOKIE: 'false',
			// Nothing is reported and nothing is fetched.
			N8N_DIAGNOSTICS_ENABLED: 'false',
			N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
			N8N_DYNAMIC_BANNERS_ENABLED: 'false',
			N8N_TEMPLATES_ENABLED: 'false',
			N8N_PERSONALIZATION_ENABLED: 'false',
			N8N_HIRING_BANNER_ENABLED: 'false',
			N8N_DISABLED_MODULES: 'mcp-registry',
			N8N_PYTHON_ENABLED: 'false',
			// Said outright, for n8n warns of each of these defaults at every start.
			N8N_RUNNERS_TASK_TIMEOUT: '60',
			N8N_COMPRESSION_NODE_MAX_DECOMPRESSED_SIZE_BYTES: String(256 * 1024 * 1024),
			N8N_COMPRESSION_NODE_MAX_ZIP_ENTRIES: '1000',
			// An own tarball is not in n8n's list of verified packages.
			N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
		},
		inherited,
	);
	// n8n starts its task runner with the first `node` in the path, which has to be the same one.
	env.PATH = [dirname(node), env.PATH].filter(Boolean).join(delimiter);
	return env;
}
