import type {
	ICredentialDataDecryptedObject,
	ICredentialsExpressionResolveValues,
	ICredentialType,
	IExecuteData,
	IHttpRequestOptions,
	INodeParameters,
	INodeProperties,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { ICredentialsHelper } from 'n8n-workflow';

/**
 * n8n decrypts credentials from its database for a node; here, one decrypted credential serves all
 * nodes. The rest is as in n8n: the credential's own function signs each request.
 */
export class TestCredentialsHelper extends ICredentialsHelper {
	constructor(
		private readonly types: Record<string, ICredentialType>,
		private readonly data: ICredentialDataDecryptedObject,
	) {
		super();
	}

	getParentTypes(): string[] {
		return [];
	}

	isCredentialUsableByNode(): boolean {
		return true;
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		requestOptions: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const authenticate = this.types[typeName]?.authenticate;
		if (typeof authenticate !== 'function')
			throw new Error(`${typeName} has no authenticate function`);
		return await authenticate.call(this.types[typeName], credentials, requestOptions);
	}

	async preAuthentication(): Promise<undefined> {
		await Promise.resolve();
		return undefined;
	}

	async runPreAuthentication(): Promise<undefined> {
		await Promise.resolve();
		return undefined;
	}

	getCredentials(): Promise<never> {
		throw new Error('Engine tests have no stored credentials');
	}

	/**
	 * Returns the credential with the expressions in its fields evaluated for the requesting item.
	 */
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

	async updateCredentials(): Promise<void> {
		await Promise.resolve();
	}

	async updateCredentialsOauthTokenData(): Promise<void> {
		await Promise.resolve();
	}

	getCredentialsProperties(type: string): INodeProperties[] {
		return this.types[type]?.properties ?? [];
	}
}
