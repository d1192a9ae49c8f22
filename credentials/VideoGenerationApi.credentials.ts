import type {
	Icon,
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';
import { credentialTestRules } from '../nodes/VideoGeneration/request/credentialTestRules';
import { endAfter } from '../nodes/VideoGeneration/request/endAfter';
import { normalizeApiKey } from '../nodes/VideoGeneration/request/normalizeApiKey';
import { normalizeBaseUrl } from '../nodes/VideoGeneration/request/normalizeBaseUrl';
import { LONGEST_ANSWER_MS } from '../nodes/VideoGeneration/request/requestDefaults';

/** Where nothing comes at all, n8n's own timeout says so, in its own words. */
const HEAD_START_MS = 500;

/** Of the credential test: n8n overwrites the timeout that stands in its request. */
const LONGEST_TEST_MS = 20_000;

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
			description: 'The address of the service, without a path. A trailing /v1 does no harm.',
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
	 * service's own address only: whatever else asks for this credential does not get its key.
	 * A function, since an expression would be evaluated anew for every request.
	 *
	 * Every request of the package passes here, the credential test as well, and n8n has no limit to the
	 * time that an answer may take as a whole. So its timeout becomes one.
	 *
	 * @throws an Error with a sentence for the user when the key or the address cannot be used
	 */
	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		requestOptions: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const serviceUrl = normalizeBaseUrl(credentials.baseUrl);
		const url = readUrl(requestOptions);
		const isRelative = !/^https?:\/\//i.test(url);
		if (!isRelative && new URL(url).origin !== new URL(serviceUrl).origin) {
			throw new Error(
				`The API key is sent to ${serviceUrl} only. Choose another credential for this address, or correct the Base URL of this one.`,
			);
		}
		return await Promise.resolve({
			...requestOptions,
			...(isRelative ? { baseURL: serviceUrl, abortSignal: limitTime(requestOptions) } : {}),
			headers: { ...requestOptions.headers, Authorization: `Bearer ${readApiKey(credentials)}` },
		});
	}
}

/** The HTTP Request node names its address `uri`, as an older way to send requests does. */
function readUrl({ url, uri = '' }: Partial<IHttpRequestOptions> & { uri?: string }): string {
	return url ?? uri;
}

/**
 * Ends a request in time. The node takes its answers in as streams, so what is not one is the
 * credential test; a request of another node, which gives a whole address, is that node's own affair.
 */
function limitTime({ encoding, timeout, abortSignal }: IHttpRequestOptions): AbortSignal {
	const isTest = encoding !== 'stream';
	const longestMs = isTest ? LONGEST_TEST_MS : (timeout ?? LONGEST_ANSWER_MS) + HEAD_START_MS;
	return endAfter(longestMs, abortSignal);
}

function readApiKey(credentials: ICredentialDataDecryptedObject): string {
	const key = normalizeApiKey(credentials.apiKey);
	if (!/^[\x21-\x7e]+$/.test(key)) {
		throw new Error(
			key === ''
				? 'The API Key is empty. Open the Video Generation API credential and paste the key from the developers page of your account.'
				: 'The API Key has characters that no key can have, such as spaces or line breaks. Copy it again from the developers page of your account.',
		);
	}
	return key;
}
