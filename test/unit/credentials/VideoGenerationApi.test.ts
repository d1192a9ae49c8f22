import { VideoGenerationApi } from '../../../credentials/VideoGenerationApi.credentials';

const credential = new VideoGenerationApi();
const sign = async (
	apiKey: unknown,
	url = '/v1/projects',
	baseUrl = 'https://api.example.com/v1/',
) =>
	await credential.authenticate(
		{ apiKey: apiKey as string, baseUrl },
		{ url, headers: { 'X-Other': '1' } },
	);

describe('The credential', () => {
	test('signs a request to a path, and knows the address that it belongs to', async () => {
		const { abortSignal, ...signed } = await sign('key-1');
		expect(abortSignal).toBeInstanceOf(AbortSignal);
		expect(signed).toEqual({
			url: '/v1/projects',
			baseURL: 'https://api.example.com',
			headers: { 'X-Other': '1', Authorization: 'Bearer key-1' },
		});
	});

	test.each([' key-1 ', 'key-1\n', 'Bearer key-1', 'bearer  key-1 '])(
		'takes the key as it is pasted: %j',
		async (pasted) => {
			expect((await sign(pasted)).headers).toMatchObject({ Authorization: 'Bearer key-1' });
		},
	);

	test("signs a request to the service's whole address, as the HTTP Request node sends it", async () => {
		const signed = await sign('key-1', 'https://api.example.com/v1/projects');
		expect(signed).toMatchObject({ headers: { Authorization: 'Bearer key-1' } });
		expect(signed).not.toHaveProperty('baseURL');
		// Nor is it ended in the node's or the credential test's time: HTTP Request has its own.
		expect(signed).not.toHaveProperty('abortSignal');
	});

	test.each([
		'https://evil.example/v1/projects',
		'http://api.example.com/v1/projects',
		'https://api.example.com:8443/',
	])('gives its key to nobody else: %s', async (url) => {
		await expect(sign('key-1', url)).rejects.toThrow(
			'The API key is sent to https://api.example.com only',
		);
	});

	test('gives its key to nobody else by the older name of an address, which the HTTP Request node uses', async () => {
		const sign = async (uri: string) =>
			await credential.authenticate({ apiKey: 'key-1', baseUrl: 'https://api.example.com' }, {
				uri,
			} as never);
		await expect(sign('https://evil.example/v1')).rejects.toThrow('is sent to');
		expect(await sign('https://api.example.com/v1/projects')).toMatchObject({
			headers: { Authorization: 'Bearer key-1' },
		});
	});

	test.each(['', ' ', undefined])('says that the key is empty: %j', async (apiKey) => {
		await expect(sign(apiKey)).rejects.toThrow(/API Key is empty.*paste the key/);
	});

	test.each(['a b', 'a\nb', 'ключ'])(
		'says that a key cannot be one, without repeating it: %j',
		async (apiKey) => {
			await expect(sign(apiKey)).rejects.toThrow(/has characters that no key can have/);
			await expect(sign(apiKey)).rejects.not.toThrow(apiKey);
		},
	);

	test('leaves the request that it is given as it is', async () => {
		const request = { url: '/v1/projects', headers: {} };
		await credential.authenticate({ apiKey: 'k', baseUrl: 'https://a.example' }, request);
		expect(request).toEqual({ url: '/v1/projects', headers: {} });
	});
});
