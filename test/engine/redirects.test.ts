import type { IExecuteFunctions, INodeType, IWorkflowExecuteAdditionalData } from 'n8n-workflow';
import { createRunExecutionData, Workflow } from 'n8n-workflow';
import { ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import { createNodeTypes } from '../support/engine/createNodeTypes';
import { CREDENTIALS, createTestNode } from '../support/engine/createTestNode';
import { loadPackage } from '../support/engine/loadPackage';
import { TestCredentialsHelper } from '../support/engine/TestCredentialsHelper';
import { useFileHost } from '../support/engine/useFileHost';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();
const elsewhere = useFileHost();

/** The options by which n8n's two request functions follow redirects with the credential. */
const REQUESTS = {
	requestWithAuthentication: {
		...{ followRedirect: true, followAllRedirects: true },
		sendCredentialsOnCrossOriginRedirect: true,
	},
	httpRequestWithAuthentication: {
		...{ disableFollowRedirect: false, sendCredentialsOnCrossOriginRedirect: true },
	},
};

/** Creates another node that uses the credential, as HTTP Request does. */
function createNode(helper: keyof typeof REQUESTS, url: string): INodeType {
	return {
		description: {
			...{ displayName: 'Other', name: 'test.other', group: ['transform'], version: 1 },
			...{ description: '', defaults: { name: 'Other' }, inputs: ['main'], outputs: ['main'] },
			properties: [],
			credentials: [{ name: 'videoGenerationApi', required: true }],
		} as never,
		async execute(this: IExecuteFunctions) {
			const send = this.helpers[helper] as (...args: unknown[]) => Promise<unknown>;
			const options = { method: 'GET', url, uri: url, json: true, ...REQUESTS[helper] };
			await send.call(this, 'videoGenerationApi', options);
			return [[]];
		},
	};
}

/** Runs the node alone. @returns the status of the execution */
async function run(other: INodeType): Promise<string> {
	const loaded = await loadPackage();
	const registry = createNodeTypes(loaded.nodes);
	const find = (name: string) =>
		name === 'test.other' ? other : registry.getByNameAndVersion(name);
	const nodeTypes = { getByName: find, getByNameAndVersion: find, getKnownTypes: () => ({}) };
	const node = createTestNode('Other', 'test.other', { credentials: CREDENTIALS });
	const workflow = new Workflow({
		...{ id: 'w', active: false, nodeTypes: nodeTypes, nodes: [node], connections: {} },
		settings: { executionOrder: 'v1' },
	});
	const additionalData = {
		credentialsHelper: new TestCredentialsHelper(loaded.credentials, {
			baseUrl: service.sandbox.url,
			apiKey: service.sandbox.apiKey,
		}),
		hooks: new ExecutionLifecycleHooks('manual', '1', {} as never),
		...{ currentNodeExecutionIndex: 0, variables: {}, executionId: '1' },
	} as unknown as IWorkflowExecuteAdditionalData;
	const { status } = await new WorkflowExecute(
		additionalData,
		'manual',
		createRunExecutionData({
			executionData: {
				nodeExecutionStack: [{ node, data: { main: [[{ json: {} }]] }, source: null }],
			},
		}),
	).processRunExecutionData(workflow);
	return status;
}

describe.each(['requestWithAuthentication', 'httpRequestWithAuthentication'] as const)(
	'Another node that uses the credential, by %s,',
	(helper) => {
		beforeEach(() => {
			elsewhere.answer((_request, response) => response.end('{}'));
		});
		const getUrl = () => `${service.sandbox.url}/v1/user/account`;

		test('reaches the service', async () => {
			expect(await run(createNode(helper, getUrl()))).toBe('success');
			expect(service.sandbox.requests.at(-1)?.status).toBe(200);
		});

		test.each([301, 302, 303, 307, 308] as const)(
			'does not follow its redirect (%d) to another host',
			async (status) => {
				service.sandbox.addFault({ kind: 'redirect', location: elsewhere.url, status });
				expect(await run(createNode(helper, getUrl()))).toBe('error');
				expect(elsewhere.requests).toEqual([]);
			},
		);

		test('cannot send the key to another host', async () => {
			expect(await run(createNode(helper, elsewhere.url))).toBe('error');
			expect(elsewhere.requests).toEqual([]);
		});
	},
);
