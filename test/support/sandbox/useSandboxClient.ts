import type { AxiosInstance } from 'axios';
import type { Sandbox } from '../../../sandbox/Sandbox';
import { startSandbox } from '../../../sandbox/startSandbox';
import { createBareClient } from './createBareClient';

export interface SandboxWithClient {
	sandbox: Sandbox;
	/** Takes every answer as it comes. */
	client: AxiosInstance;
}

/** One sandbox for all tests of a file, as it was at the start for each of them, and a client with its key. */
export function useSandboxClient(): SandboxWithClient {
	const held = {} as SandboxWithClient;
	beforeAll(async () => {
		held.sandbox = await startSandbox();
		held.client = createBareClient(held.sandbox);
	});
	beforeEach(() => {
		held.sandbox.reset();
	});
	afterAll(async () => {
		await held.sandbox.close();
	});
	return held;
}
