import type { IHttpRequestOptions } from 'n8n-workflow';
import { parseApiKey, parseBaseUrl } from '../../../credentials/connection';
import { VideoGenerationApi } from '../../../credentials/VideoGenerationApi.credentials';

const credential = new VideoGenerationApi();
const BASE_URL = 'https://api.example.com/v1/';
const sign = async (
	request: Partial<IHttpRequestOptions> & { uri?: string },
	data: { apiKey?: unknown; baseUrl?: string } = {},
) =>
	await credential.authenticate(
		{ apiKey: 'key-1', baseUrl: BASE_URL, ...data } as { apiKey: string; baseUrl: string },
		request as IHttpRequestOptions,
	);

describe('The Base URL', () => {
	test.each([
		['https://api.example.com', 'https://api.example.com'],
		['https://api.example.com/v1/', 'https://api.example.com'],
		['https://api.example.com/V1//', 'https://api.example.com'],
		['"https://api.example.com/v1"', 'https://api.example.com'],
		['\u201chttps://api.example.com\u201d', 'https://api.example.com'],
		["' https://api.example.com '", 'https://api.example.com'],
		['\u200bhttps://api.ex\u00adample.com\ufeff', 'https://api.example.com'],
		['https://example.com/api/video/v1', 'https://example.com/api/video'],
		['https://api.example.com/v1/queue/progress/1', 'https://api.example.com'],
		['https://example.com/api//v1/user/account/?x=1', 'https://example.com/api'],
		['https://example.com/v1/videos', 'https://example.com'],
		['https://example.com/v1/videos/v1', 'https://example.com/v1/videos'],
		['https://example.com/v1/videos/queue/add', 'https://example.com'],
		['https://example.com/v1/rendering', 'https://example.com/v1/rendering'],
		['https://example.com/api/v1beta', 'https://example.com/api/v1beta'],
		['https://api.example.com/?x=1#y', 'https://api.example.com'],
		['api.example.com', 'https://api.example.com'],
		['api.example.com:443/v1', 'https://api.example.com'],
		['video-service:443', 'https://video-service'],
		['localhost', 'http://localhost'],
		['localhost:3456', 'http://localhost:3456'],
		['host.docker.internal:3456', 'http://host.docker.internal:3456'],
		['127.0.0.1:3456/v1', 'http://127.0.0.1:3456'],
		['http://[::1]:3456', 'http://[::1]:3456'],
	])('pasted as %j is taken as %s', (pasted, expected) => {
		expect(parseBaseUrl(pasted)).toBe(expected);
	});

	test.each(['', '   ', undefined, 5])('that is %j is reported as empty', (pasted) => {
		expect(() => parseBaseUrl(pasted)).toThrow(/^'Base URL' is empty.*Open the .* credential/);
	});

	test.each([
		...['ftp://example.com', 'https:///', 'https://user:secret@example.com', 'javascript://x'],
		'https://exa mple.com',
		// A key in the wrong field would be looked up as a host, and logged.
		...['sk-live-0123456789abcdef', 'Bearer_0123456789', 'sk-live/0123456789.abc'],
		`eyJhbGciOiJIUzI1NiJ9.${'eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6'.repeat(2)}.c2lnbmF0dXJl`,
	])('that is %j is reported as no web address, without repeating it', (pasted) => {
		expect(() => parseBaseUrl(pasted)).toThrow(/not a web address/);
		expect(() => parseBaseUrl(pasted)).not.toThrow(pasted);
	});
});

describe('The API key', () => {
	test.each([
		...[' key-1 ', 'key-1\n', 'Bearer key-1', 'bearer  key-1 ', '"key-1"', '\u00abkey-1\u00bb'],
		...['\u201eBearer key-1\u201c', '\u200bkey\u00ad-1\u2060', '\u2018 key-1\u2019 '],
	])('is taken as it is pasted: %j', (pasted) => {
		expect(parseApiKey(pasted)).toBe('key-1');
	});

	test.each(['', ' ', undefined])('that is %j is reported as empty', (pasted) => {
		expect(() => parseApiKey(pasted)).toThrow(/^'API Key' is empty.*paste the key/);
	});

	test.each(['a b', 'a\nb', 'ключ'])('that cannot be one is not repeated: %j', (pasted) => {
		expect(() => parseApiKey(pasted)).toThrow(/contains characters that are not allowed/);
		expect(() => parseApiKey(pasted)).not.toThrow(pasted);
	});
});

describe('The credential', () => {
	test('signs a request to a path, knows the address that it belongs to, and forbids redirects, whatever the node wants', async () => {
		const request = {
			...{ url: '/v1/projects', headers: { 'X-Other': '1' } },
			...{ disableFollowRedirect: false, followRedirect: true, followAllRedirects: true },
			sendCredentialsOnCrossOriginRedirect: true,
		};
		const given = structuredClone(request);
		const signed = await sign(request);
		expect(signed).toEqual({
			url: '/v1/projects',
			baseURL: 'https://api.example.com',
			headers: { 'X-Other': '1', Authorization: 'Bearer key-1' },
			// What forbids redirects in n8n's two request functions, which take different names for it.
			...{ disableFollowRedirect: true, followRedirect: false, followAllRedirects: false },
			sendCredentialsOnCrossOriginRedirect: false,
		});
		expect(request).toEqual(given);
	});

	test('ends its own test, whose body may never end', async () => {
		const { abortSignal } = await sign(credential.test.request as IHttpRequestOptions);
		expect(abortSignal).toBeInstanceOf(AbortSignal);
	});

	test.each(['url', 'uri'])(
		"signs a request to the service's whole address (%s), as HTTP Request sends it",
		async (name) => {
			const signed = await sign({ [name]: 'https://api.example.com/v1/projects' });
			expect(signed).toMatchObject({ headers: { Authorization: 'Bearer key-1' } });
			expect(signed).not.toHaveProperty('baseURL');
			// HTTP Request has its own timeout, and so have the package's requests.
			const own = await sign({ url: '/v1/projects' });
			for (const request of [signed, own]) expect(request).not.toHaveProperty('abortSignal');
		},
	);

	test.each([
		{ url: 'https://evil.example/v1/projects' },
		{ url: 'http://api.example.com/v1/projects' },
		{ url: 'https://api.example.com:8443/' },
		{ uri: 'https://evil.example/v1' },
		{ url: 'https://api.example.com/v1', uri: 'https://evil.example/v1' },
		{ url: '//evil.example/v1' },
		{ url: '\\\\evil.example/v1' },
		{ url: ' https://evil.example/v1' },
		{ url: 'ht\ntps://evil.example/v1' },
		{ url: 'https://api.example.com@evil.example/v1' },
		{ url: 'ftp://api.example.com/v1' },
		{ url: 'https://' },
	])('gives its key to nobody else: %j', async (request) => {
		await expect(sign(request)).rejects.toThrow(
			'The API key is sent to https://api.example.com only',
		);
	});
});
