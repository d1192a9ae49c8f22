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

/** n8n's timeout stops once the headers arrive; ours covers the body too, and fires just after. */
const GRACE_MS = 500;

/** n8n's default, which overwrites a timeout in the credential test's request. */
const DEFAULT_TIMEOUT_MS = 300_000;

const TEST_TIMEOUT_MS = 20_000;

/** Longer timers overflow in Node.js, and fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

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
		'https://github.com/n8n-nodes-video-generation/n8n-nodes-video-generation#credential';

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
	 * Every request of the package passes through here, also the credential test. n8n's timeout does
	 * not cover the whole response, so it is extended to that here.
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
			...(isRelative ? { baseURL: serviceUrl, abortSignal: limitTime(requestOptions) } : {}),
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

/** Keeps the timeout signals referenced; Node may otherwise garbage-collect them before they fire. */
const timeouts = new WeakMap<AbortSignal, AbortSignal>();

/**
 * Returns a signal that ends the request in time. The package's own requests are streams, so any other
 * request is the credential test.
 *
 * Stop does not cut off an add: it may be paid for by then, and its queue ID still gets into n8n's
 * log when the response comes.
 */
function limitTime({
	encoding,
	timeout,
	abortSignal,
	method,
	url,
}: IHttpRequestOptions): AbortSignal {
	const isTest = encoding !== 'stream';
	const timeoutSignal = AbortSignal.timeout(
		isTest ? TEST_TIMEOUT_MS : Math.min((timeout ?? DEFAULT_TIMEOUT_MS) + GRACE_MS, MAX_TIMER_MS),
	);
	const isAdd = method === 'POST' && url === '/v1/queue/add';
	const signals =
		abortSignal instanceof AbortSignal && !isAdd ? [abortSignal, timeoutSignal] : [timeoutSignal];
	const signal = AbortSignal.any(signals);
	timeouts.set(signal, timeoutSignal);
	return signal;
}
