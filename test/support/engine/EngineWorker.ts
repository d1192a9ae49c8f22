import { AsyncLocalStorage } from 'node:async_hooks';
import { Container } from '@n8n/di';
import { InstanceSettings } from 'n8n-core';
import type { DeduplicationStore } from '../n8nServer/DeduplicationStore';
import { type LoadedPackage, loadPackageAnew } from './loadPackage';
import { type NodeResult, type NodeSetup, type StartedNode, startNode } from './runNode';

const current = new AsyncLocalStorage<EngineWorker>();

/**
 * A worker of n8n's queue mode: a copy of the package's modules, which shares no memory with the others. Its clock may
 * differ from theirs.
 */
export class EngineWorker {
	/** Whether it was killed: nothing of it reaches n8n's database any more. */
	isDead = false;

	private readonly running = new Set<StartedNode>();

	private constructor(
		private readonly loaded: LoadedPackage,
		private readonly skewMs: number,
	) {}

	/** A mock of jest tells the package that it runs on a worker, and has to be restored. */
	static async start(skewMs = 0): Promise<EngineWorker> {
		jest.replaceProperty(Container.get(InstanceSettings), 'instanceType', 'worker');
		return new EngineWorker(await loadPackageAnew(), skewMs);
	}

	/** Has a store know which worker calls it. A mock of jest, which has to be restored. */
	static share(store: DeduplicationStore): void {
		store.checkCaller = () => {
			if (current.getStore()?.isDead) throw new Error('The process was killed');
		};
	}

	/** @param stopAfterMs when the stop button is pressed */
	async run(setup: NodeSetup, stopAfterMs?: number): Promise<NodeResult> {
		const { now } = Date;
		if (!jest.isMockFunction(now)) {
			const getNow = () => now() + (current.getStore()?.skewMs ?? 0);
			jest.spyOn(Date, 'now').mockImplementation(getNow);
		}
		const loadNodes = async () => await Promise.resolve(this.loaded);
		return await current.run(this, async () => {
			const started = await startNode({ ...setup, loadNodes });
			this.running.add(started);
			if (stopAfterMs !== undefined) setTimeout(started.stop, stopAfterMs);
			return await started.result.finally(() => this.running.delete(started));
		});
	}

	/** Nothing of its executions is saved, and none sends anything more. */
	kill(): void {
		this.isDead = true;
		for (const started of this.running) started.stop();
	}
}
