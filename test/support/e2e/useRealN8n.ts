import type { Credential } from '../../../scripts/n8n/n8nTypes';
import type { N8nClient } from '../../../scripts/n8n/N8nClient';
import type { SandboxOptions } from '../../../sandbox/control/context';
import type { Sandbox } from '../../../sandbox/Sandbox';
import { startSandbox } from '../../../sandbox/startSandbox';
import { RealN8n } from './RealN8n';

export interface RealN8nInTests {
	readonly n8n: RealN8n;
	readonly client: N8nClient;
	readonly sandbox: Sandbox;
	/** The credential of the sandbox's main account, saved in n8n. */
	readonly credential: Credential;
}

/**
 * Starts a real n8n and a sandbox for all tests of a file; the sandbox is reset before each test.
 *
 * @param name name of the folder below `.n8n-local/e2e` for n8n's data; each test file has its own
 */
export function useRealN8n(
	name: string,
	{ environment, ...options }: SandboxOptions & { environment?: Record<string, string> } = {},
): RealN8nInTests {
	const held: { n8n?: RealN8n; sandbox?: Sandbox; credential?: Credential } = {};
	beforeAll(async () => {
		held.sandbox = await startSandbox({ rateLimit: false, clock: 'real', ...options });
		held.n8n = RealN8n.create(name, environment);
		await held.n8n.start();
		held.credential = await held.n8n.client.saveCredential({
			name: 'Sandbox',
			type: 'videoGenerationApi',
			data: { apiKey: held.sandbox.apiKey, baseUrl: held.sandbox.url },
		});
	});
	beforeEach(() => held.sandbox?.reset());
	afterAll(async () => {
		await held.n8n?.stop();
		await held.sandbox?.close();
	});
	// Everything is there from beforeAll to afterAll. A restarted n8n has a new client.
	return Object.defineProperty(held, 'client', {
		get: () => held.n8n?.client,
	}) as RealN8nInTests;
}
