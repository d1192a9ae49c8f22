import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { N8nWorker } from './N8nWorker';
import { E2E_FOLDER } from './PLACES';
import { PostgresqlServer } from './PostgresqlServer';
import { RealN8n, WITHOUT_CODE } from './RealN8n';
import { RedisServer } from './RedisServer';

/**
 * The settings of `docs/scaling.md`, except that the death of a worker is noticed within seconds.
 */
const ENVIRONMENT = {
	...WITHOUT_CODE,
	EXECUTIONS_MODE: 'queue',
	// The instances share one key, because each must decrypt the others' data; otherwise each would
	// generate its own.
	N8N_ENCRYPTION_KEY: 'the-same-key-on-every-instance',
	QUEUE_WORKER_LOCK_DURATION: '12000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '2000',
	QUEUE_WORKER_STALLED_INTERVAL: '3000',
};

/**
 * n8n in queue mode: a main instance, two workers, Redis and PostgreSQL. Each instance has its own
 * user folder, as on separate machines, and shares only these settings with the others.
 */
export class QueueModeN8n {
	private redis: RedisServer | undefined;

	private postgresql: PostgresqlServer | undefined;

	private instances: { main: RealN8n; workers: [N8nWorker, N8nWorker] } | undefined;

	/**
	 * @param name name of the folder below `.n8n-local/e2e` for the data of all of them
	 * @param concurrency maximum number of executions that a worker runs at the same time
	 */
	constructor(
		private readonly name: string,
		private readonly concurrency: number,
	) {}

	get main(): RealN8n {
		return this.getInstances().main;
	}

	get workers(): [N8nWorker, N8nWorker] {
		return this.getInstances().workers;
	}

	async start(): Promise<void> {
		const { name, concurrency } = this;
		mkdirSync(join(E2E_FOLDER, name), { recursive: true });
		this.redis = await RedisServer.start(join(E2E_FOLDER, name, 'redis'));
		this.postgresql = await PostgresqlServer.start(join(E2E_FOLDER, name, 'postgresql'));
		const environment = {
			...ENVIRONMENT,
			...this.redis.environment,
			...this.postgresql.environment,
		};
		const createWorker = (worker: string) =>
			N8nWorker.create(join(name, worker), environment, concurrency);
		this.instances = {
			main: RealN8n.create(join(name, 'main'), environment),
			workers: [createWorker('worker-1'), createWorker('worker-2')],
		};
		// The first instance creates the tables.
		await this.main.start();
		await Promise.all(
			this.workers.map(async (worker) => {
				await worker.start();
			}),
		);
	}

	async stop(): Promise<void> {
		const { main, workers = [] } = this.instances ?? {};
		const instances = [...(main ? [main] : []), ...workers];
		await Promise.all(
			instances.map(async (instance) => {
				await instance.stop();
			}),
		);
		await this.redis?.stop();
		await this.postgresql?.stop();
	}

	private getInstances() {
		if (!this.instances) throw new Error('n8n is not started');
		return this.instances;
	}
}
