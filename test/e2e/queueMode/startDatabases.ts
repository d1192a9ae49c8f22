import { execFile } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findPort } from '../../support/e2e/findPort';
import { buildLocalEnvironment } from '../../../scripts/n8n/environment';
import { findProgram } from '../../../scripts/requirements';
import { ServerProcess } from '../../support/e2e/ServerProcess';
import { waitFor } from '../../../scripts/waitFor';

const run = promisify(execFile);
const HOST = '127.0.0.1';
const USER = 'n8n';
/** The database that initdb creates. */
const DATABASE = 'postgres';

/**
 * PostgreSQL refuses to run as root, which is the usual user of test machines. It then runs as
 * "nobody", with the right to enter folders of root, because the project may be inside one.
 */
const AS_NOBODY: [string, ...string[]] = [
	'setpriv',
	'--reuid=65534',
	'--regid=65534',
	'--clear-groups',
	'--inh-caps=+dac_override',
	'--ambient-caps=+dac_override',
];

/** A started server, with the environment variables with which n8n uses it. */
interface Database {
	server: ServerProcess;
	environment: Record<string, string>;
}

/**
 * Starts a Redis server on the loopback address that stores nothing on disk.
 *
 * @param folder folder for its log, which is emptied first
 */
export async function startRedis(folder: string): Promise<Database> {
	const port = await prepare(folder);
	const server = new ServerProcess({
		file: findProgram('redis-server') ?? 'redis-server',
		args: ['--bind', HOST, '--port', String(port), '--save', '', '--dir', folder],
		cwd: folder,
		env: buildLocalEnvironment(),
		logFile: join(folder, 'redis.log'),
	});
	await waitFor('Redis to answer', async () => await acceptsConnections(port));
	return {
		server,
		environment: { QUEUE_BULL_REDIS_HOST: HOST, QUEUE_BULL_REDIS_PORT: String(port) },
	};
}

/**
 * Starts a PostgreSQL server on the loopback address with its own, temporary database.
 *
 * @param folder folder for its data, which is emptied first
 */
export async function startPostgresql(folder: string): Promise<Database> {
	const port = await prepare(folder);
	const data = join(folder, 'data');
	const env = buildLocalEnvironment();
	const [initdb, ...initArgs] = buildCommand('initdb', [
		`--pgdata=${data}`,
		`--username=${USER}`,
		'--auth=trust',
		'--encoding=UTF8',
		'--locale=C',
		'--no-sync',
	]);
	await run(initdb, initArgs, { cwd: folder, env });
	const [file, ...args] = buildCommand('postgres', [
		'-D',
		data,
		`--port=${port}`,
		`--listen_addresses=${HOST}`,
		// PostgreSQL uses no socket in a shared folder, and does not wait for the disk, because the
		// data is never read again.
		'--unix_socket_directories=',
		'--fsync=off',
		'--full_page_writes=off',
	]);
	const server = new ServerProcess({
		file,
		args,
		cwd: folder,
		env,
		logFile: join(folder, 'postgresql.log'),
		// SIGTERM waits for all clients to leave; SIGINT ends their sessions.
		stopSignal: 'SIGINT',
	});
	const isReady = ['-h', HOST, '-p', String(port), '-U', USER, '-d', DATABASE];
	await waitFor('PostgreSQL to answer', async () =>
		run(findProgram('pg_isready') ?? 'pg_isready', isReady, { env }).then(
			() => true,
			() => false,
		),
	);
	return {
		server,
		environment: {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: HOST,
			DB_POSTGRESDB_PORT: String(port),
			DB_POSTGRESDB_USER: USER,
			DB_POSTGRESDB_DATABASE: DATABASE,
		},
	};
}

/** Empties a server's folder. @returns its port */
async function prepare(folder: string): Promise<number> {
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	return await findPort();
}

/** Returns the command line of a PostgreSQL program for the current user. */
function buildCommand(program: string, args: string[]): [string, ...string[]] {
	const path = findProgram(program) ?? program;
	return process.getuid?.() === 0 ? [...AS_NOBODY, path, ...args] : [path, ...args];
}

async function acceptsConnections(port: number): Promise<boolean> {
	return await new Promise((resolve) => {
		const socket = connect(port, HOST);
		socket.once('connect', () => {
			socket.destroy();
			resolve(true);
		});
		socket.once('error', () => {
			resolve(false);
		});
	});
}
