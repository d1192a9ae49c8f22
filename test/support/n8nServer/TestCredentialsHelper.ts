import type {
	ICredentialDataDecryptedObject,
	ICredentialsExpressionResolveValues,
	ICredentialType,
	IExecuteData,
	IHttpRequestOptions,
	INodeParameters,
	INodeProperties,
	IWorkflowExecuteAdditionalData,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { ExecutionLifecycleHooks } from 'n8n-core';

/**
 * n8n decrypts credentials from its database for a node; here, one decrypted credential serves all
 * nodes. The rest is as in n8n: the credential's own function signs each request.
 */
export class TestCredentialsHelper {
	readonly getParentTypes = (): string[] => [];

	readonly isCredentialUsableByNode = (): boolean => true;

	readonly preAuthentication = async (): Promise<void> => {
		await Promise.resolve();
	};

	readonly runPreAuthentication = this.preAuthentication;

	constructor(
		private readonly types: Record<string, ICredentialType>,
		private readonly data: ICredentialDataDecryptedObject,
	) {}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		requestOptions: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const authenticate = this.types[typeName]?.authenticate;
		if (typeof authenticate !== 'function') throw new Error(`${typeName} signs no requests`);
		return await authenticate.call(this.types[typeName], credentials, requestOptions);
	}

	/** Returns the credential with the expressions in its fields evaluated for the requesting item. */
	async getDecrypted(
		_additionalData: unknown,
		_nodeCredentials: unknown,
		_type: string,
		mode: WorkflowExecuteMode,
		executeData?: IExecuteData,
		_raw?: boolean,
		values?: ICredentialsExpressionResolveValues,
	): Promise<ICredentialDataDecryptedObject> {
		await Promise.resolve();
		if (!values) return { ...this.data };
		const { workflow, runExecutionData, runIndex, itemIndex, node, connectionInputData } = values;
		return workflow.expression.getParameterValue(
			this.data as INodeParameters,
			runExecutionData,
			runIndex,
			itemIndex,
			node.name,
			connectionInputData,
			mode,
			{},
			executeData,
		) as ICredentialDataDecryptedObject;
	}

	getCredentialsProperties(type: string): INodeProperties[] {
		return this.types[type]?.properties ?? [];
	}
}

let executions = 0;

/** Creates what n8n's server hands to each execution, with an ID of its own and this one credential. */
export function createAdditionalData(
	types: Record<string, ICredentialType>,
	credential: object,
): IWorkflowExecuteAdditionalData {
	const executionId = String((executions += 1));
	return {
		credentialsHelper: new TestCredentialsHelper(types, { ...credential }),
		hooks: new ExecutionLifecycleHooks('manual', executionId, {} as never),
		currentNodeExecutionIndex: 0,
		variables: {},
		webhookWaitingBaseUrl: 'http://127.0.0.1/webhook-waiting',
		formWaitingBaseUrl: 'http://127.0.0.1/form-waiting',
		restApiUrl: 'http://127.0.0.1/rest',
		instanceBaseUrl: 'http://127.0.0.1/',
		executionId,
		logAiEvent: () => undefined,
	} as unknown as IWorkflowExecuteAdditionalData;
}

/**
 * Has a test see every look-up of the credential, until jest restores its mocks.
 *
 * @param answer returns the credential that n8n finds, changed or not; it throws what n8n's database does
 */
export function interceptLookUps(
	answer: (found: ICredentialDataDecryptedObject) => ICredentialDataDecryptedObject,
) {
	const { getDecrypted } = TestCredentialsHelper.prototype;
	const lookUps = jest.spyOn(TestCredentialsHelper.prototype, 'getDecrypted');
	return lookUps.mockImplementation(async function (this: TestCredentialsHelper, ...args) {
		return answer(await getDecrypted.apply(this, args));
	});
}
