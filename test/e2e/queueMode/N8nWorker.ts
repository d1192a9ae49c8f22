import axios from 'axios';
import { N8nInstance } from '../../support/e2e/N8nInstance';
import { waitFor } from '../../../scripts/waitFor';

const START_TIMEOUT_MS = 180_000;
const STARTED = /Worker started execution (\d+) /g;
const FINISHED = /Worker finished execution (\d+) /g;

/** A worker of n8n's queue mode: it takes executions from Redis and only runs them. */
export class N8nWorker extends N8nInstance {
	/**
	 * @param name name of the folder for its data, which is emptied first
	 * @param concurrency maximum number of executions that it runs at the same time
	 */
	static create(name: string, environment: Record<string, string>, concurrency: number): N8nWorker {
		return new N8nWorker({
			name,
			environment,
			command: ['worker', `--concurrency=${concurrency}`],
		});
	}

	/** Returns the ids of the executions that the worker has started, according to its log. */
	listStarted(): string[] {
		return [...this.readLog().matchAll(STARTED)].map(([, id = '']) => id);
	}

	/** Returns the ids of the started executions that the worker has not finished. */
	listRunning(): string[] {
		const finished = new Set([...this.readLog().matchAll(FINISHED)].map(([, id = '']) => id));
		return this.listStarted().filter((id) => !finished.has(id));
	}

	protected override getPortEnvironment(port: number): Record<string, string> {
		return {
			QUEUE_HEALTH_CHECK_ACTIVE: 'true',
			QUEUE_HEALTH_CHECK_PORT: String(port),
			N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
		};
	}

	protected override async waitUntilReady(address: string): Promise<void> {
		const isReady = async () =>
			await axios.get(`${address}/healthz/readiness`, { proxy: false, timeout: 1_000 }).then(
				() => true,
				() => false,
			);
		await waitFor('the worker to be ready', isReady, START_TIMEOUT_MS);
	}
}
