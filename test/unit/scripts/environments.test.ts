import { delimiter } from 'node:path';
import { buildNpmEnvironment } from '../../../scripts/cache/buildNpmEnvironment';
import { buildLocalEnvironment } from '../../../scripts/n8n/buildLocalEnvironment';
import { buildN8nEnvironment } from '../../../scripts/n8n/buildN8nEnvironment';

const SETTINGS = {
	userFolder: '/project/.n8n-local',
	node: '/cache/bin/node',
	port: 1,
	brokerPort: 2,
};

describe("the local n8n's environment", () => {
	const usersOwn = {
		PATH: '/usr/bin',
		HOME: '/home/ada',
		N8N_ENCRYPTION_KEY: 'secret',
		N8N_USER_FOLDER: '/home/ada/n8n',
		N8N_PORT: '80',
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: 'db',
		QUEUE_BULL_REDIS_HOST: 'redis',
		EXECUTIONS_MODE: 'queue',
		WEBHOOK_URL: 'https://example.com',
		CREDENTIALS_OVERWRITE_DATA: '{}',
		NODES_EXCLUDE: '[]',
		NODE_OPTIONS: '--inspect',
		NODE_ENV: 'development',
		HTTP_PROXY: 'http://proxy:3128',
		https_proxy: 'http://proxy:3128',
	};
	const env = buildN8nEnvironment(SETTINGS, usersOwn);

	it("has nothing of the user's own n8n", () => {
		const values = Object.values(env);
		const foreign = Object.entries(usersOwn).filter(([name]) => !['PATH', 'HOME'].includes(name));
		for (const [, value] of foreign) expect(values).not.toContain(value);
	});

	it('keeps its data in the folder it is given, in SQLite, on the loopback address only', () => {
		expect(env).toMatchObject({
			N8N_USER_FOLDER: '/project/.n8n-local',
			DB_TYPE: 'sqlite',
			N8N_LISTEN_ADDRESS: '127.0.0.1',
			N8N_RUNNERS_BROKER_LISTEN_ADDRESS: '127.0.0.1',
			N8N_PORT: '1',
			N8N_RUNNERS_BROKER_PORT: '2',
		});
	});

	it('finds its own Node first, for n8n starts its task runner with the first one in the path', () => {
		expect(env.PATH).toBe(['/cache/bin', '/usr/bin'].join(delimiter));
	});
});

describe('the environment of a local part', () => {
	it('keeps what a process needs to run, however it is spelled, and adds what it is given', () => {
		const env = buildLocalEnvironment({ PORT: '1' }, { Path: 'C:\\bin', HOME: '/h', SECRET: 'x' });
		expect(env).toEqual({ Path: 'C:\\bin', HOME: '/h', PORT: '1' });
	});
});

describe("npm's environment", () => {
	it("keeps the user's registry, proxy and certificates", () => {
		const env = { HTTPS_PROXY: 'p', npm_config_registry: 'r', NODE_EXTRA_CA_CERTS: 'c' };
		expect(buildNpmEnvironment(env)).toEqual(env);
	});

	it('drops what npm start set for this project, and what changes how npm runs', () => {
		const env = {
			NODE_OPTIONS: '--inspect',
			NODE_ENV: 'production',
			npm_lifecycle_event: 'start',
			npm_package_json: '/project/package.json',
			npm_config_ignore_scripts: 'true',
			npm_config_local_prefix: '/project',
			INIT_CWD: '/project',
		};
		expect(buildNpmEnvironment(env)).toEqual({});
	});

	it('has what is added', () => {
		expect(buildNpmEnvironment({}, { npm_config_nodedir: '/node' })).toEqual({
			npm_config_nodedir: '/node',
		});
	});
});
