import type {
	Icon,
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';
import { parseApiKey, parseBaseUrl } from './connection';

const NOT_THE_SERVICE =
	"This is not the address of the video generation service. In 'Base URL', enter the address of its API, such as https://api.example.com, and not that of a web page.";
const REDIRECTED =
	"The address redirects, and the key is never sent to another address. Enter the new address in 'Base URL'. Often it only begins with https.";
/** n8n shows no rule the body of an HTTP error, so the text names both who may have answered. */
const REFUSED =
	'The service does not accept this key, or a firewall or a login page in front of it refuses n8n. Copy the key again from the developers page of your account. If it is right, ask those who run the service or your network to let n8n through.';

const byStatus = (message: string, ...statuses: number[]) =>
	statuses.map((value) => ({ type: 'responseCode', properties: { value, message } }));

const byBody = (message: string, key: string, value: unknown) => ({
	type: 'responseSuccessBody',
	properties: { key, value, message },
});

/** A test passes unless a rule matches. A web page is recognized by the account's missing fields, which are `undefined`. */
const testRules = [
	...byStatus(REDIRECTED, 301, 302, 303, 307, 308),
	...byStatus(REFUSED, 401, 403),
	...byStatus(NOT_THE_SERVICE, 404, 405),
	byBody(NOT_THE_SERVICE, 'status', undefined),
	byBody(REFUSED, 'status', 'error'),
	byBody(NOT_THE_SERVICE, 'usage', undefined),
] as ICredentialTestRequest['rules'];

/** n8n's own timeout does not cover a body that never ends. */
const TEST_TIMEOUT_MS = 20_000;

/** Forbids redirects, along which n8n would send the key, in the terms of both of its request functions. */
const NO_REDIRECTS = {
	disableFollowRedirect: true,
	followRedirect: false,
	followAllRedirects: false,
	sendCredentialsOnCrossOriginRedirect: false,
};

/**
 * The HTTP Request node names the address `uri`. The package names its own signal, since n8n overwrites an `abortSignal`.
 * n8n hands all fields of the credential test's request on.
 */
interface SignedOptions extends IHttpRequestOptions {
	uri?: unknown;
	endSignal?: AbortSignal;
	isTest?: true;
}

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
			description:
				"The address of the service's API, as its documentation gives it. ENOTFOUND: its host name is wrong. ECONNREFUSED: its port is wrong, or the service is down. EPROTO: it must begin with http, not https. CERT or VERIFY: its certificate is private, so start n8n with NODE_EXTRA_CA_CERTS. From n8n in Docker, a service on the same machine is at host.docker.internal, not at localhost.",
			hint: 'If the test shows ENOTFOUND, the host name is wrong. With ECONNREFUSED, the port is wrong. With EPROTO, it begins with http, not https.',
		},
	];

	/** Reading the account is free of credits (specification, "GET /v1/user/account"). */
	test: ICredentialTestRequest = {
		request: {
			baseURL: '={{ $credentials.baseUrl }}',
			url: '/v1/user/account',
			json: true,
			disableFollowRedirect: true,
			isTest: true,
		} as ICredentialTestRequest['request'],
		rules: testRules,
	};

	/**
	 * Signs requests to the service's own address only (specification, "Authentication"): other nodes use the credential
	 * too. A function, since an expression would be evaluated for every request.
	 */
	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		requestOptions: SignedOptions,
	): Promise<IHttpRequestOptions> {
		const serviceUrl = parseBaseUrl(credentials.baseUrl);
		const { url, uri, endSignal, isTest } = requestOptions;
		const targets = [url as unknown, uri].map((target = '') => String(target));
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
			...(isRelative && { baseURL: serviceUrl }),
			...(isTest && { abortSignal: AbortSignal.timeout(TEST_TIMEOUT_MS) }),
			...(endSignal && { abortSignal: endSignal }),
			headers: {
				...requestOptions.headers,
				Authorization: `Bearer ${parseApiKey(credentials.apiKey)}`,
			},
		});
	}
}
