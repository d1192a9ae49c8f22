import { execFile } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildLocalEnvironment } from '../../../scripts/n8n/environment';
import { findProgram } from '../../../scripts/requirements';
import { waitFor } from '../../../scripts/waitFor';
import { findPort, ServerProcess } from '../../support/e2e/ServerProcess';

const run = promisify(execFile);
const HOST = '127.0.0.1';
const USER = 'n8n';
/** The database that initdb creates. */
const DATABASE = 'postgres';

/**
 * PostgreSQL refuses to run as root, which is the usual user of test machines. It then runs as
 * "nobody", with the right to enter folders of root, because the project may be inside one.
 */
const AS_NOBODY = [
	'setpriv',
	'--reuid=65534',
	'--regid=65534',
	'--clear-groups',
	'--inh-caps=+dac_override',
	'--ambient-caps=+dac_override',
];

/**
 * Starts Redis and PostgreSQL on the loopback address, with temporary data.
 *
 * @param folder folder for their data and logs, which is emptied first
 * @returns the environment variables with which n8n uses them
 */
export async function startDatabases(folder: string) {
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	const env = buildLocalEnvironment();
	const start = (name: string, [file = '', ...args]: string[], stopSignal?: NodeJS.Signals) =>
		new ServerProcess({
			file,
			args,
			cwd: folder,
			env,
			logFile: join(folder, `${name}.log`),
			stopSignal,
		});
	const waitForAnswer = async ([file = '', ...args]: string[]) => {
		const ask = async () => await run(file, args, { env }).catch(() => false as const);
		await waitFor(`${file} to answer`, ask);
	};

	const redisPort = String(await findPort());
	const redis = start(
		'redis',
		findCommand('redis-server', '--bind', HOST, '--port', redisPort, '--save', ''),
	);
	await waitForAnswer(findCommand('redis-cli', '-h', HOST, '-p', redisPort, 'ping'));

	const port = String(await findPort());
	const data = join(folder, 'postgresql');
	const asUser = process.getuid?.() === 0 ? AS_NOBODY : [];
	const create = findCommand('initdb', `--pgdata=${data}`, `--username=${USER}`, '--auth=trust');
	const [file, ...args] = [...asUser, ...create, '--encoding=UTF8', '--locale=C', '--no-sync'];
	await run(file, args, { cwd: folder, env });
	const serve = findCommand(
		'postgres',
		`-D${data}`,
		`--port=${port}`,
		`--listen_addresses=${HOST}`,
		// PostgreSQL uses no socket in a shared folder, and does not wait for the disk, because the
		// data is never read again.
		'--unix_socket_directories=',
		'--fsync=off',
		'--full_page_writes=off',
	);
	// SIGTERM waits for all clients to leave; SIGINT ends their sessions.
	const startPostgresql = async () => {
		const server = start('postgresql', [...asUser, ...serve], 'SIGINT');
		await waitForAnswer(
			findCommand('pg_isready', '-h', HOST, '-p', port, '-U', USER, '-d', DATABASE),
		);
		return server;
	};
	let postgresql = await startPostgresql();

	return {
		environment: {
			QUEUE_BULL_REDIS_HOST: HOST,
			QUEUE_BULL_REDIS_PORT: redisPort,
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: HOST,
			DB_POSTGRESDB_PORT: port,
			DB_POSTGRESDB_USER: USER,
			DB_POSTGRESDB_DATABASE: DATABASE,
		},
		/** Stops PostgreSQL, which keeps its data. @returns a function that starts it again */
		async stopPostgresql(): Promise<() => Promise<void>> {
			await postgresql.stop();
			return async () => {
				postgresql = await startPostgresql();
			};
		},
		stop: async () => {
			await Promise.all([redis.stop(), postgresql.stop()]);
		},
	};
}

const findCommand = (program: string, ...args: string[]) => [
	findProgram(program) ?? program,
	...args,
];
