import { join } from 'node:path';
import type { CredentialContent } from '../../scripts/n8n/n8nTypes';
import { startSandbox } from '../../sandbox/startSandbox';
import type { Sandbox } from '../../sandbox/Sandbox';
import { buildWorkflow, START, videoGeneration } from '../support/e2e/buildWorkflow';
import { LocalRegistry } from '../support/e2e/LocalRegistry';
import { E2E_FOLDER, PACKAGE } from '../support/e2e/PLACES';
import { RealN8n, WITHOUT_CODE } from '../support/e2e/RealN8n';
import { readItems, runContent } from '../support/e2e/runContent';

const registry = new LocalRegistry();
let sandbox: Sandbox;
let n8n: RealN8n;
let content: CredentialContent;

beforeAll(async () => {
	sandbox = await startSandbox({ rateLimit: false });
	const environment = await registry.start(join(E2E_FOLDER, 'registry'));
	n8n = RealN8n.create('installing', { ...WITHOUT_CODE, ...environment });
	await n8n.start();
	content = {
		name: 'Sandbox',
		type: 'videoGenerationApi',
		data: { apiKey: sandbox.apiKey, baseUrl: sandbox.url },
	};
});
beforeEach(() => {
	sandbox.reset();
});
afterAll(async () => {
	await n8n.stop();
	await sandbox.close();
	await registry.stop();
});

interface InstalledPackage {
	packageName: string;
	installedVersion: string;
	installedNodes: { name: string; type: string }[];
}

/** Returns the packages that "Settings > Community nodes" shows. */
const listPackages = async () =>
	await n8n.client.request<InstalledPackage[]>('GET', '/community-packages');

/** Runs Account > Get. @returns `success`, or the reason why it could not be run */
async function tryNode(): Promise<string> {
	const credential = await n8n.client.saveCredential(content);
	const step = videoGeneration('Account', credential, { resource: 'account', operation: 'get' });
	const execution = await runContent(n8n.client, buildWorkflow('Try', [START, step])).catch(
		(error: unknown) => error as Error,
	);
	if (execution instanceof Error) return execution.message;
	const [item] = readItems(execution, 'Account');
	return item?.json.email === sandbox.accounts.main.email ? 'success' : execution.status;
}

describe('In a real n8n, the package', () => {
	test('works when it was installed by hand, where n8n does not list it', async () => {
		expect(await tryNode()).toBe('success');
		expect(await listPackages()).toEqual([]);
	});

	test('is installed by n8n itself, listed, and works at once and after a restart', async () => {
		const { version } = registry;
		await n8n.client.request('POST', '/community-packages', { name: PACKAGE, version });
		const expected = [
			{
				packageName: PACKAGE,
				installedVersion: registry.version,
				installedNodes: expect.arrayContaining([
					expect.objectContaining({ type: `${PACKAGE}.videoGeneration` }),
					expect.objectContaining({ type: `${PACKAGE}.videoGenerationTrigger` }),
				]) as unknown,
			},
		];
		expect(await listPackages()).toMatchObject(expected);
		expect(await tryNode()).toBe('success');
		await n8n.stop();
		await n8n.start();
		expect(await listPackages()).toMatchObject(expected);
		expect(await tryNode()).toBe('success');
	});

	test('is gone once it was uninstalled', async () => {
		await n8n.client.request('DELETE', `/community-packages?name=${PACKAGE}`);
		expect(await listPackages()).toEqual([]);
		expect(await tryNode()).not.toBe('success');
	});
});
