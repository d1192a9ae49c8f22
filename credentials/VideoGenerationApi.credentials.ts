import type {
	Icon,
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';
import { parseApiKey, parseBaseUrl } from './connection';
import { credentialTestRules } from './testRules';

/** n8n's own timeout does not cover a body that never ends. */
const TEST_TIMEOUT_MS = 20_000;

/**
 * Forbids redirects, with which n8n would send the key to another address, in the terms of both of
 * n8n's request functions. n8n 2 also has a switch for the key alone.
 */
const NO_REDIRECTS = {
	disableFollowRedirect: true,
	followRedirect: false,
	followAllRedirects: false,
	sendCredentialsOnCrossOriginRedirect: false,
};

export class VideoGenerationApi implements ICredentialType {
	name = 'videoGenerationApi';

	displayName = 'Video Generation API';

	icon: Icon = {
		light: 'file:../icons/videoGeneration.svg',
		dark: 'file:../icons/videoGeneration.dark.svg',
	};

	documentationUrl =
		'https://github.com/n8n-nodes-video-generation/n8n-nodes-video-generation#credentials';

	properties: INodeProperties[] = [
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			description: 'The key from the developers page of your account in the web application',
		},
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://api.example.com',
			description: 'The address of the service, without a path. A trailing /v1 is fine.',
		},
	];

	/** Reading the account is free of credits (specification, "GET /v1/user/account"). */
	test: ICredentialTestRequest = {
		request: {
			baseURL: '={{ $credentials.baseUrl }}',
			url: '/v1/user/account',
			json: true,
			disableFollowRedirect: true,
		},
		rules: credentialTestRules,
	};

	/**
	 * Adds `Authorization: Bearer <key>` (specification, "Authentication"), to requests to the
	 * service's own address only, and forbids redirects: other nodes use the credential too. It is a
	 * function because an expression would be evaluated again for every request.
	 *
	 * @throws an Error with a sentence for the user when the key or the address cannot be used
	 */
	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		requestOptions: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const serviceUrl = parseBaseUrl(credentials.baseUrl);
		const targets = listTargets(requestOptions);
		const { origin } = new URL(serviceUrl);
		const isOurs = (target: string) =>
			URL.canParse(target, serviceUrl) && new URL(target, serviceUrl).origin === origin;
		if (!targets.every(isOurs)) {
			throw new Error(
				`The API key is sent to ${serviceUrl} only. Choose another credential for this address, or correct 'Base URL' in this one.`,
			);
		}
		const isRelative = !targets.some((target) => /^https?:\/\//i.test(target));
		return await Promise.resolve({
			...requestOptions,
			...NO_REDIRECTS,
			...(isRelative ? { baseURL: serviceUrl } : {}),
			// The package's own requests are streams, so a relative request that is none is the credential test.
			...(isRelative && requestOptions.encoding !== 'stream'
				? { abortSignal: AbortSignal.timeout(TEST_TIMEOUT_MS) }
				: {}),
			headers: {
				...requestOptions.headers,
				Authorization: `Bearer ${parseApiKey(credentials.apiKey)}`,
			},
		});
	}
}

/** The address of a request. The HTTP Request node uses an older function, which names it `uri`. */
function listTargets({ url, uri }: Partial<IHttpRequestOptions> & { uri?: unknown }): string[] {
	return [url, uri].filter((target) => target !== undefined && target !== null).map(String);
}
