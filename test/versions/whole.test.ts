import { join } from 'node:path';
import type { INodeExecutionData } from 'n8n-workflow';
import type { CredentialContent, Workflow } from '../../scripts/n8n/n8nTypes';
import { waitFor } from '../../scripts/waitFor';
import { buildWorkflow, makeItems, START, videoGeneration } from '../support/e2e/buildWorkflow';
import { describeSchemas } from '../support/e2e/describeSchemas';
import { LocalRegistry } from '../support/e2e/LocalRegistry';
import { E2E_FOLDER, PACKAGE } from '../support/e2e/PLACES';
import { RealN8n } from '../support/e2e/RealN8n';
import { readItems, runContent } from '../support/e2e/runContent';
import { useRealN8n } from '../support/e2e/useRealN8n';
import { unfoldError } from '../support/engine/unfoldError';

/** n8n polls once a minute at the most. */
const POLLS_MS = 150_000;
const PROJECT = { __rl: true, mode: 'id', value: 'project-product-teaser' };

const real = useRealN8n('whole');

describe('In the whole of this n8n', () => {
	describeSchemas(real);

	test('the credential test tells a right key from a wrong one', async () => {
		const { sandbox, client, credential } = real;
		const content: CredentialContent = {
			name: credential.name,
			type: 'videoGenerationApi',
			data: { apiKey: sandbox.apiKey, baseUrl: sandbox.url },
		};
		const testKey = async (apiKey: string) =>
			await client.testCredential(credential.id, { ...content, data: { ...content.data, apiKey } });
		expect(await testKey(sandbox.apiKey)).toMatchObject({ status: 'OK' });
		expect(await testKey('wrong')).toMatchObject({
			status: 'Error',
			message: expect.stringMatching(/key|credentials/) as string,
		});
	});

	test('n8n installs the package itself, runs it, and uninstalls it', async () => {
		const { sandbox } = real;
		const registry = new LocalRegistry();
		const registryEnvironment = await registry.start(join(E2E_FOLDER, 'whole-registry'));
		const n8n = RealN8n.create('whole-installing', registryEnvironment);
		const listPackages = async () => await n8n.client.request('GET', '/community-packages');
		try {
			await n8n.start();
			// n8n 1 asks its own registry for the latest version, and no server here can replace that
			// registry.
			const { version } = registry;
			await n8n.client.request('POST', '/community-packages', { name: PACKAGE, version });
			expect(await listPackages()).toMatchObject([
				{ packageName: PACKAGE, installedVersion: version },
			]);
			const credential = await n8n.client.saveCredential({
				name: 'Sandbox',
				type: 'videoGenerationApi',
				data: { apiKey: sandbox.apiKey, baseUrl: sandbox.url },
			});
			const step = videoGeneration('Account', credential, {
				resource: 'account',
				operation: 'get',
			});
			const execution = await runContent(n8n.client, buildWorkflow('Try', [START, step]));
			expect(readItems(execution, 'Account')).toHaveLength(1);
			await n8n.client.request('DELETE', `/community-packages?name=${PACKAGE}`);
			expect(await listPackages()).toEqual([]);
		} finally {
			await n8n.stop();
			await registry.stop();
		}
	});

	test('a video is queued, waited for and downloaded', async () => {
		const { client, credential } = real;
		const step = videoGeneration('Add', credential, {
			...{ resource: 'queue', operation: 'add', projectId: PROJECT, waitForCompletion: true },
			...{ waitOptions: { pollingInterval: 1 }, downloadVideo: true },
		});
		const execution = await runContent(client, buildWorkflow('Add', [START, step]));
		expect(execution.status).toBe('success');
		const [item] = readItems(execution, 'Add');
		expect(item?.json).toMatchObject({ status: 'completed' });
		expect(item?.binary?.data).toMatchObject({ mimeType: 'video/mp4' });
	});

	test('a failed item leaves the error output with its details, linked to its input', async () => {
		const { client, credential } = real;
		const unknown = '00000000-0000-4000-8000-000000000000';
		const items = [{ row: 0 }, { queueId: unknown, row: 1 }];
		const step = videoGeneration(
			'Progress',
			credential,
			{ resource: 'queue', operation: 'getProgress', queueId: '={{ $json.queueId }}' },
			{ onError: 'continueErrorOutput' },
		);
		const repair = { name: 'Repair', type: 'n8n-nodes-base.noOp' };
		const content = buildWorkflow('Fail', [START, ...makeItems(items), step, repair], {
			onError: { Repair: 'Progress' },
		});
		const execution = await runContent(client, content);
		expect(execution.status).toBe('success');
		expect(readItems(execution, 'Progress')).toEqual([]);
		const failed = readItems(execution, 'Progress', 1) as INodeExecutionData[];
		expect(failed.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
		expect(failed.map(({ json }) => unfoldError(json))).toMatchObject([
			{ row: 0, error: "'Queue ID' is empty", details: {} },
			{ row: 1, details: { queueId: unknown, httpCode: '404' } },
		]);
		expect(readItems(execution, 'Repair')).toHaveLength(2);
	});

	test('the trigger starts its workflow once for a video, also after a restart', async () => {
		const { n8n, sandbox, credential } = real;
		const content = buildWorkflow('Finished', [
			{
				name: 'Trigger',
				type: `${PACKAGE}.videoGenerationTrigger`,
				parameters: { pollTimes: { item: [{ mode: 'everyMinute' }] } },
				credentials: { videoGenerationApi: { id: credential.id, name: credential.name } },
			},
			{ name: 'After', type: 'n8n-nodes-base.noOp' },
		]);
		const workflow = await n8n.client.createWorkflow(content);
		await activate(workflow);
		// Videos that exist at the first poll are not new. n8n 2 responds before that poll is over.
		const hasPolled = () =>
			sandbox.requests.some(
				({ operation, status }) => operation === 'video.getAll' && status !== undefined,
			);
		await waitFor('the first poll', hasPolled, POLLS_MS);
		sandbox.addVideos('main', [{ id: 'first' }]);
		await waitForExecutions(workflow.id, 1);
		await n8n.stop();
		sandbox.addVideos('main', [{ id: 'meanwhile' }]);
		await n8n.start();
		await waitForExecutions(workflow.id, 2);
		const executions = await n8n.listExecutions(workflow.id);
		const handedOn = executions.map((each) =>
			readItems(each, 'Trigger').map(({ json }) => json.id),
		);
		expect(handedOn).toEqual([['first'], ['meanwhile']]);
	});

	/** Activates the workflow. n8n before 2 has no versions to publish. */
	async function activate(workflow: Workflow): Promise<void> {
		const { client } = real;
		await client.activateWorkflow(workflow).catch(async () => {
			const { id, versionId } = workflow;
			await client.request('PATCH', `/workflows/${id}`, { active: true, versionId });
		});
	}

	async function waitForExecutions(workflowId: string, count: number): Promise<void> {
		const areThere = async () => {
			const executions = await real.n8n.listExecutions(workflowId);
			return executions.filter(({ status }) => status === 'success').length >= count;
		};
		await waitFor(`${count} executions`, areThere, POLLS_MS);
	}
});
