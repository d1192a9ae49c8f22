import type { SandboxOptions } from '../../../sandbox/control/context';
import type { Sandbox } from '../../../sandbox/Sandbox';
import { startSandbox } from '../../../sandbox/startSandbox';
import type { Credential } from '../../../scripts/n8n/n8nTypes';
import type { N8nClient } from '../../../scripts/n8n/N8nClient';
import { RealN8n } from './RealN8n';

/**
 * Starts a real n8n and a sandbox for all tests of a file; the sandbox is reset before each test.
 *
 * @param name name of the folder below `.n8n-local/e2e` for n8n's data; each test file has its own
 * @returns what is there from beforeAll to afterAll, with the credential of the sandbox's main account
 */
export function useRealN8n(
	name: string,
	{ environment, ...options }: SandboxOptions & { environment?: Record<string, string> } = {},
) {
	const real = {} as { n8n: RealN8n; client: N8nClient; sandbox: Sandbox; credential: Credential };
	beforeAll(async () => {
		real.sandbox = await startSandbox({ rateLimit: false, clock: 'real', ...options });
		real.n8n = new RealN8n(name, environment);
		await real.n8n.start();
		real.client = real.n8n.client;
		real.credential = await real.n8n.connect(real.sandbox);
	});
	beforeEach(() => {
		real.sandbox.reset();
	});
	afterAll(async () => {
		await real.n8n.stop();
		await real.sandbox.close();
	});
	return real;
}
