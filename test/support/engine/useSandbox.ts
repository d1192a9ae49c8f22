import type { INodeParameters } from 'n8n-workflow';
import type { Sandbox } from '../../../sandbox/Sandbox';
import type { SandboxOptions } from '../../../sandbox/control/context';
import { startSandbox } from '../../../sandbox/startSandbox';
import { OPERATIONS } from './OPERATIONS';
import type { NodeResult, NodeSetup } from './runNode';
import { runNode } from './runNode';
import { passTime } from './runWithoutWaiting';

/** Keeps the monotonic clock of skipped waits ahead of the real one, which some tests read before. */
const BETWEEN_TESTS_MS = 2 * 60 * 60 * 1000;

export interface SandboxInTests {
	sandbox: Sandbox;
	/** Runs the node with the main account's credential. */
	run(
		parameters: INodeParameters,
		more?: Pick<NodeSetup, 'items' | 'binary' | 'settings'>,
	): Promise<NodeResult>;
	setup(parameters: INodeParameters): NodeSetup;
	/** Queues this many videos, and clears the recorded requests. @returns their queue IDs */
	queueVideos(count: number): Promise<string[]>;
}

/** Starts one sandbox for all tests of a file, and resets it before each test. */
export function useSandbox(options: SandboxOptions = {}): SandboxInTests {
	const held = {} as { sandbox: Sandbox };
	beforeAll(async () => {
		held.sandbox = await startSandbox({ rateLimit: false, ...options });
	});
	beforeEach(() => {
		held.sandbox.reset();
		passTime(BETWEEN_TESTS_MS);
	});
	afterAll(async () => {
		await held.sandbox.close();
	});
	const setup = (parameters: INodeParameters): NodeSetup => ({
		parameters,
		credentials: { baseUrl: held.sandbox.url, apiKey: held.sandbox.apiKey },
	});
	const run: SandboxInTests['run'] = async (parameters, more) =>
		await runNode({ ...setup(parameters), ...more });
	return Object.assign(held, {
		setup,
		run,
		queueVideos: async (count: number) => {
			const items = Array.from({ length: count }, () => ({}));
			const { items: added } = await run(OPERATIONS['queue.add'], { items });
			held.sandbox.clearRequests();
			return added.map(({ json }) => json.queueId as string);
		},
	});
}
