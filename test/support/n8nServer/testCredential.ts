import type {
	IAuthenticateRuleResponseCode,
	IAuthenticateRuleResponseSuccessBody,
	ICredentialDataDecryptedObject,
	INodeType,
} from 'n8n-workflow';
import { createEmptyRunExecutionData, Workflow } from 'n8n-workflow';
import { ExecuteContext, RoutingNode } from 'n8n-core';
import { createNodeTypes, describeType } from './createNodeTypes';
import { createTestNode } from '../engine/createTestNode';
import { loadPackage } from '../engine/loadPackage';
import { createAdditionalData } from './TestCredentialsHelper';

const TYPE = 'videoGenerationApi';

/**
 * Runs the credential test as n8n's server does: the engine sends the request, and then the server,
 * which is not part of the engine, applies the rules to the response. This second half is repeated
 * here in the same order: the HTTP status, a network error's code, the error's message, the body.
 *
 * @returns `OK`, or the message for the user
 */
export async function testCredential(data: ICredentialDataDecryptedObject): Promise<string> {
	const { credentials } = await loadPackage();
	const test = credentials[TYPE]?.test;
	if (!test) throw new Error('The credential has no test');
	const rules = (test.rules ?? []) as (
		IAuthenticateRuleResponseCode | IAuthenticateRuleResponseSuccessBody
	)[];
	const outcome = await send(data, test.request).then(
		(output) => ({ body: output[0]?.[0]?.json }),
		(error: unknown) => ({
			error: error as Error & {
				cause?: { code?: string; response?: { status: number; statusText: string } };
			},
		}),
	);
	if ('error' in outcome) {
		const { message, cause } = outcome.error;
		if (!cause?.response) return cause?.code ?? message;
		const { status, statusText } = cause.response;
		const rule = rules.find(
			({ type, properties }) => type === 'responseCode' && properties.value === status,
		);
		return rule?.properties.message ?? statusText;
	}
	const rule = rules.find(
		({ type, properties }) =>
			type === 'responseSuccessBody' && outcome.body?.[properties.key] === properties.value,
	);
	return rule === undefined ? 'OK' : rule.properties.message;
}

async function send(data: ICredentialDataDecryptedObject, request: object) {
	const { credentials } = await loadPackage();
	const type: INodeType = {
		description: {
			...describeType('noOp'),
			credentials: [{ name: TYPE, required: true }],
			properties: [
				{ displayName: 'Temp', name: 'temp', type: 'string', default: '', routing: { request } },
			],
		},
	};
	const node = createTestNode('Temp-Node', 'noOp', {
		credentials: { [TYPE]: { id: '1', name: '' } },
	});
	const nodeTypes = createNodeTypes({ noOp: type });
	const workflow = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes });
	const input = { main: [[{ json: {} }]] };
	const context = new ExecuteContext(
		workflow,
		node,
		createAdditionalData(credentials, data),
		'internal',
		createEmptyRunExecutionData(),
		0,
		[],
		input,
		{ node, data: {}, source: null },
		[],
	);
	return (
		(await new RoutingNode(context, type, { id: '1', name: '', type: TYPE, data }).runNode()) ?? []
	);
}
