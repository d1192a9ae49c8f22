import { execFile } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findPort } from './findPort';
import { buildLocalEnvironment } from '../../../scripts/n8n/environment';
import { findProgram } from '../../../scripts/requirements';
import { ServerProcess } from './ServerProcess';
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

/** A PostgreSQL server on the loopback address with its own, temporary database. */
export class PostgresqlServer {
	private constructor(
		private readonly server: ServerProcess,
		private readonly port: number,
	) {}

	/** @param folder folder for its data, which is emptied first */
	static async start(folder: string): Promise<PostgresqlServer> {
		const port = await findPort();
		rmSync(folder, { recursive: true, force: true });
		mkdirSync(folder, { recursive: true });
		const data = join(folder, 'data');
		const env = buildLocalEnvironment();
		const [initdb, ...initArgs] = buildCommand('initdb', [
			...['--pgdata', data, '--username', USER, '--auth', 'trust'],
			...['--encoding', 'UTF8', '--locale', 'C', '--no-sync'],
		]);
		await run(initdb, initArgs, { cwd: folder, env });
		const [file, ...args] = buildCommand('postgres', [
			...['-D', data, '-p', String(port), '-h', HOST],
			// PostgreSQL uses no socket in a shared folder, and does not wait for the disk, because the
			// data is never read again.
			...['-c', 'unix_socket_directories=', '-c', 'fsync=off', '-c', 'full_page_writes=off'],
		]);
		const server = new ServerProcess({
			...{ file, args, cwd: folder, env },
			logFile: join(folder, 'postgresql.log'),
			// SIGTERM waits for all clients to leave; SIGINT ends their sessions.
			stopSignal: 'SIGINT',
		});
		await waitFor('PostgreSQL to answer', async () => await isReady(port, env));
		return new PostgresqlServer(server, port);
	}

	/** The environment variables with which n8n uses this server. */
	get environment(): Record<string, string> {
		return {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: HOST,
			DB_POSTGRESDB_PORT: String(this.port),
			DB_POSTGRESDB_USER: USER,
			DB_POSTGRESDB_DATABASE: DATABASE,
		};
	}

	async stop(): Promise<void> {
		await this.server.stop();
	}
}

/** Returns the command line of a PostgreSQL program for the current user. */
function buildCommand(program: string, args: string[]): [string, ...string[]] {
	const path = findProgram(program) ?? program;
	return process.getuid?.() === 0 ? [...AS_NOBODY, path, ...args] : [path, ...args];
}

async function isReady(port: number, env: NodeJS.ProcessEnv): Promise<boolean> {
	const args = ['-h', HOST, '-p', String(port), '-U', USER, '-d', DATABASE];
	return await run(findProgram('pg_isready') ?? 'pg_isready', args, { env }).then(
		() => true,
		() => false,
	);
}
