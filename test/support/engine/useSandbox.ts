import type { INodeParameters } from 'n8n-workflow';
import type { Sandbox } from '../../../sandbox/Sandbox';
import type { SandboxOptions } from '../../../sandbox/control/SandboxOptions';
import { startSandbox } from '../../../sandbox/startSandbox';
import type { NodeResult, NodeSetup } from './runNode';
import { runNode } from './runNode';

export interface SandboxInTests {
	sandbox: Sandbox;
	/** Runs the node with the main account's credential. */
	run(
		parameters: INodeParameters,
		more?: Pick<NodeSetup, 'items' | 'binary' | 'settings'>,
	): Promise<NodeResult>;
	setup(parameters: INodeParameters): NodeSetup;
}

/** One sandbox for all tests of a file, as it was at the start for each of them. */
export function useSandbox(options: SandboxOptions = {}): SandboxInTests {
	const held: { sandbox?: Sandbox } = {};
	beforeAll(async () => {
		held.sandbox = await startSandbox({ rateLimit: false, ...options });
	});
	beforeEach(() => {
		held.sandbox?.reset();
	});
	afterAll(async () => {
		await held.sandbox?.close();
	});
	const getSandbox = () => {
		if (!held.sandbox) throw new Error('The sandbox is there from beforeAll to afterAll');
		return held.sandbox;
	};
	const setup = (parameters: INodeParameters): NodeSetup => ({
		parameters,
		credentials: { baseUrl: getSandbox().url, apiKey: getSandbox().apiKey },
	});
	return {
		get sandbox() {
			return getSandbox();
		},
		setup,
		run: async (parameters, more) => await runNode({ ...setup(parameters), ...more }),
	};
}
