import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WorkflowStep } from '../../support/e2e/buildWorkflow';
import {
	buildWorkflow,
	makeItems,
	START,
	videoGeneration,
	withCredentials,
} from '../../support/e2e/buildWorkflow';
import { readItems, RealN8n, WITHOUT_EDITOR } from '../../support/e2e/RealN8n';
import { useRealN8n } from '../../support/e2e/useRealN8n';
import { DOWNLOAD, OPERATIONS } from '../../support/engine/OPERATIONS';
import { useFileHost } from '../../support/engine/useFileHost';

// What docs/security.md says of n8n's own protections.

const CONTINUE = { onError: 'continueRegularOutput' };
const options = { maxTries: 1 };
const ACCOUNT = { ...OPERATIONS['account.get'], options };

/** Ranges that docs/security.md adds. */
const MORE_RANGES = 'default,::/128,100.64.0.0/10,64:ff9b::/96,2002::/16';

describe("n8n's SSRF protection", () => {
	/** The addresses of this machine that a download reaches. */
	async function listReached(ranges: Record<string, string>): Promise<string[]> {
		const requests: (string | undefined)[] = [];
		const server = createServer(({ url }, response) => {
			requests.push(url);
			response.writeHead(404).end();
		});
		// All addresses of this machine, IPv4 and IPv6.
		await new Promise<void>((resolve) => server.listen(0, resolve));
		const { port } = server.address() as AddressInfo;
		const environment = { ...WITHOUT_EDITOR, N8N_SSRF_PROTECTION_ENABLED: 'true', ...ranges };
		const n8n = new RealN8n('ssrf', environment);
		try {
			await n8n.start();
			const credential = await n8n.connect({ url: 'http://127.0.0.1:1', apiKey: 'sk-0123456789' });
			const hosts = ['127.0.0.1', '[::1]', '[::]', 'localhost', '[::ffff:127.0.0.1]', '0.0.0.0'];
			const urls = hosts.map((host) => ({ url: `http://${host}:${port}/${host}` }));
			const step = videoGeneration('Video', credential, { ...DOWNLOAD, options }, CONTINUE);
			await n8n.run(buildWorkflow('Private', [START, ...makeItems(urls), step]));
		} finally {
			await n8n.stop();
			server.close();
		}
		return requests.map((path = '') => decodeURIComponent(path.slice(1)));
	}

	test('blocks a download from this machine, but from [::] only with further ranges', async () => {
		expect(await listReached({})).toEqual(['[::]']);
		expect(await listReached({ N8N_SSRF_BLOCKED_IP_RANGES: MORE_RANGES })).toEqual([]);
	});
});

describe('In a real n8n', () => {
	const real = useRealN8n('protection', { environment: WITHOUT_EDITOR });
	const other = useFileHost();
	const run = async (...steps: WorkflowStep[]) =>
		await real.n8n.run(buildWorkflow('Protection', [START, ...steps]));

	test("a credential's Allowed Domains limit HTTP Request, and not this node", async () => {
		const { apiKey, url } = real.sandbox;
		const credential = await real.client.createCredential({
			name: 'Limited',
			type: 'videoGenerationApi',
			data: {
				apiKey,
				baseUrl: url,
				allowedHttpRequestDomains: 'domains',
				allowedDomains: 'example.com',
			},
		});
		const ask: WorkflowStep = {
			name: 'Ask',
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			parameters: {
				url: `${url}/v1/user/account`,
				authentication: 'predefinedCredentialType',
				nodeCredentialType: 'videoGenerationApi',
			},
			...withCredentials(credential),
			settings: CONTINUE,
		};
		const account = videoGeneration('Account', credential, ACCOUNT);
		const execution = await run(ask, account);
		expect(JSON.stringify(readItems(execution, 'Ask')[0]?.json)).toMatch(/not allowed/i);
		expect(readItems(execution, 'Account')[0]?.json.email).toBe(real.sandbox.accounts.main.email);
	});

	test('a Base URL with an expression over the item sends the key where the item says', async () => {
		const { apiKey } = real.sandbox;
		const credential = await real.n8n.connect({ url: '={{ $json.url }}', apiKey }, 'Expression');
		await run(
			...makeItems([{ url: other.url }]),
			videoGeneration('Account', credential, ACCOUNT, CONTINUE),
		);
		expect(other.requests.map(({ headers }) => headers.authorization)).toEqual([
			`Bearer ${apiKey}`,
		]);
	});
});
