import { delimiter } from 'node:path';
import { buildN8nEnvironment } from '../../../scripts/n8n/environment';

const SETTINGS = {
	userFolder: '/project/.n8n-local',
	node: '/cache/bin/node',
	script: '/cache/n8n/node_modules/n8n/bin/n8n',
	port: 1,
	brokerPort: 2,
};

const USERS_OWN = {
	N8N_ENCRYPTION_KEY: 'secret',
	N8N_USER_FOLDER: '/home/ada/n8n',
	DB_TYPE: 'postgresdb',
	QUEUE_BULL_REDIS_HOST: 'redis',
	EXECUTIONS_MODE: 'queue',
	WEBHOOK_URL: 'https://example.com',
	NODE_OPTIONS: '--inspect',
	NODE_ENV: 'development',
	https_proxy: 'http://proxy:3128',
};

test("The local n8n has nothing of the user's own n8n, and finds its own Node.js first", () => {
	const before = process.env;
	process.env = { ...before, PATH: '/usr/bin', HOME: '/home/ada', ...USERS_OWN };
	const env = buildN8nEnvironment(SETTINGS);
	process.env = before;
	for (const value of Object.values(USERS_OWN)) expect(Object.values(env)).not.toContain(value);
	expect(env).toMatchObject({
		HOME: '/home/ada',
		PATH: ['/cache/bin', '/usr/bin'].join(delimiter),
		N8N_USER_FOLDER: '/project/.n8n-local',
		DB_TYPE: 'sqlite',
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_RUNNERS_BROKER_LISTEN_ADDRESS: '127.0.0.1',
		N8N_PORT: '1',
	});
});

test('A folder from which n8n could load no package is refused, with what to do', () => {
	const userFolder = "/home/o'hara/project/.n8n-local";
	expect(() => buildN8nEnvironment({ ...SETTINGS, userFolder })).toThrow(
		`with an apostrophe in its path. Move this project, and start again: ${userFolder}`,
	);
});
