import { mkdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { findPort } from './findPort';
import { buildLocalEnvironment } from '../../../scripts/n8n/environment';
import { findProgram } from '../../../scripts/requirements';
import { ServerProcess } from './ServerProcess';
import { waitFor } from '../../../scripts/waitFor';

/** A Redis server on the loopback address that stores nothing on disk. */
export class RedisServer {
	private constructor(
		private readonly server: ServerProcess,
		private readonly port: number,
	) {}

	/** @param folder folder for its log, which is emptied first */
	static async start(folder: string): Promise<RedisServer> {
		const port = await findPort();
		rmSync(folder, { recursive: true, force: true });
		mkdirSync(folder, { recursive: true });
		const server = new ServerProcess({
			file: findProgram('redis-server') ?? 'redis-server',
			args: ['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--dir', folder],
			cwd: folder,
			env: buildLocalEnvironment(),
			logFile: join(folder, 'redis.log'),
		});
		await waitFor('Redis to answer', async () => await acceptsConnections(port));
		return new RedisServer(server, port);
	}

	/** The environment variables with which n8n uses this server. */
	get environment(): Record<string, string> {
		return {
			QUEUE_BULL_REDIS_HOST: '127.0.0.1',
			QUEUE_BULL_REDIS_PORT: String(this.port),
		};
	}

	async stop(): Promise<void> {
		await this.server.stop();
	}
}

async function acceptsConnections(port: number): Promise<boolean> {
	return await new Promise((resolve) => {
		const socket = connect(port, '127.0.0.1');
		socket.once('connect', () => {
			socket.destroy();
			resolve(true);
		});
		socket.once('error', () => {
			resolve(false);
		});
	});
}
