import type {
	IExecuteFunctions,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
	INodeType,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { createRunExecutionData, NodeConnectionTypes, Workflow } from 'n8n-workflow';
import { ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import { createNodeTypes } from '../createNodeTypes';
import { CREDENTIALS, createTestNode } from '../createTestNode';
import { loadPackage } from '../loadPackage';
import type { EnteredCredential } from '../runNode';
import { TestCredentialsHelper } from '../TestCredentialsHelper';

const NODE_TYPE = 'test.sender';

export interface Request {
	options: IHttpRequestOptions;
	credential: EnteredCredential;
	/** Whether the node has a credential; true by default. */
	hasCredential?: boolean;
	/** Called when the head of a response has arrived, whose body is a stream. */
	onResponse?: () => void;
	/** Called with the function that stops the execution, before the request is sent. */
	onStart?: (stop: () => void) => void;
}

/** Where a request failed: before n8n handed a response over, or in the stream of its body. */
export type Outcome =
	{ place: 'request' | 'body'; error: unknown } | { place: 'response'; statusCode: number };

/**
 * Sends one request from a node in n8n's engine, signed by the built package's credential.
 *
 * @returns the error exactly as n8n hands it to the node, or the status of a whole response
 */
export async function sendFromNode(request: Request): Promise<Outcome> {
	const { credentials } = await loadPackage();
	const sent: { outcome?: Outcome } = {};
	const execute = async function (this: IExecuteFunctions) {
		sent.outcome = await send(this, request);
		return [this.getInputData()];
	};
	const node = createTestNode('Sender', NODE_TYPE, {
		...(request.hasCredential === false ? {} : { credentials: CREDENTIALS }),
	});
	const workflow = new Workflow({
		id: 'w1',
		active: false,
		nodeTypes: createNodeTypes({ [NODE_TYPE]: createSender(execute) }),
		settings: { executionOrder: 'v1' },
		nodes: [node],
		connections: {},
	});
	const additionalData = {
		credentialsHelper: new TestCredentialsHelper(credentials, { ...request.credential }),
		hooks: new ExecutionLifecycleHooks('manual', '1', {} as never),
		currentNodeExecutionIndex: 0,
		variables: {},
		executionId: '1',
	} as unknown as IWorkflowExecuteAdditionalData;
	const start = { node, data: { main: [[{ json: {} }]] }, source: null };
	const execution = new WorkflowExecute(
		additionalData,
		'manual',
		createRunExecutionData({ executionData: { nodeExecutionStack: [start] } }),
	).processRunExecutionData(workflow);
	request.onStart?.(() => {
		execution.cancel();
	});
	await execution;
	if (!sent.outcome) throw new Error('The node did not run');
	return sent.outcome;
}

function createSender(execute: NonNullable<INodeType['execute']>): INodeType {
	return {
		description: {
			displayName: 'Sender',
			name: NODE_TYPE,
			group: ['transform'],
			version: 1,
			description: '',
			defaults: { name: 'Sender' },
			inputs: [NodeConnectionTypes.Main],
			outputs: [NodeConnectionTypes.Main],
			credentials: [{ name: 'videoGenerationApi', required: true }],
			properties: [],
		},
		execute,
	};
}

async function send(
	context: IExecuteFunctions,
	{ options, onResponse }: Request,
): Promise<Outcome> {
	let response: IN8nHttpFullResponse;
	try {
		response = (await context.helpers.httpRequestWithAuthentication.call(
			context,
			'videoGenerationApi',
			options,
		)) as IN8nHttpFullResponse;
	} catch (error) {
		return { place: 'request', error };
	}
	const { body } = response as { body?: Partial<NodeJS.ReadableStream> };
	const { statusCode } = response;
	if (typeof body?.on !== 'function') return { place: 'response', statusCode };
	const stream = body as NodeJS.ReadableStream;
	return await new Promise((resolve) => {
		stream.on('error', (error) => {
			resolve({ place: 'body', error });
		});
		stream.on('end', () => {
			resolve({ place: 'response', statusCode });
		});
		stream.on('close', () => {
			resolve({ place: 'body', error: 'closed without an error' });
		});
		stream.resume();
		onResponse?.();
	});
}
