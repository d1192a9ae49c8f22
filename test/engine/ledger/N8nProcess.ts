import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClientRequest } from 'node:http';

const running = new AsyncLocalStorage<N8nProcess>();

/**
 * A process of n8n that can be killed with all its executions, though it shares that of the tests:
 * whatever its executions do from then on has no effect outside of them.
 */
export class N8nProcess {
	isKilled = false;

	/** Ends when the process is killed. */
	readonly death: Promise<'killed'>;

	private die: (how: 'killed') => void = () => undefined;

	private readonly requests = new Set<ClientRequest>();

	constructor() {
		this.death = new Promise((resolve) => {
			this.die = resolve;
		});
	}

	/** Returns the process whose execution is calling. */
	static getCurrent(): N8nProcess | undefined {
		return running.getStore();
	}

	run<T>(work: () => T): T {
		return running.run(this, work);
	}

	/** Notes a request that begins. @returns false if the process is killed, and the request with it */
	note(request: ClientRequest): boolean {
		if (this.isKilled) {
			request.destroy();
			return false;
		}
		this.requests.add(request);
		request.once('close', () => this.requests.delete(request));
		return true;
	}

	kill(): void {
		this.isKilled = true;
		for (const request of this.requests) request.destroy();
		this.die('killed');
	}
}
