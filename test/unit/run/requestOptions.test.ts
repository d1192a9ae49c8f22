import type { IExecuteFunctions, IExecuteSingleFunctions } from 'n8n-workflow';
import {
	readBatching,
	readRequestOptions,
} from '../../../nodes/VideoGeneration/run/requestOptions';

/** An item of a node with these options of n8n. */
function createContext(requestOptions: object) {
	const { batching = {} } = requestOptions as { batching?: object };
	return {
		getNodeParameter: (name: string) => (name === 'requestOptions' ? requestOptions : batching),
		getNode: () => ({ name: 'Video Generation', type: 't', parameters: {} }),
		getItemIndex: () => 0,
	} as unknown as IExecuteFunctions & IExecuteSingleFunctions;
}

const read = (requestOptions: object) => readRequestOptions(createContext(requestOptions));

describe("n8n's own options", () => {
	test('are five minutes for an answer, no proxy and checked certificates when none is set', () => {
		expect(read({})).toEqual({ timeout: 300_000 });
	});

	test('set the timeout, where it is one', () => {
		expect(read({ timeout: 1234 })).toEqual({ timeout: 1234 });
		expect(read({ timeout: 0 })).toEqual({ timeout: 300_000 });
	});

	test('let certificates pass that nobody has signed', () => {
		expect(read({ allowUnauthorizedCerts: true })).toMatchObject({
			skipSslCertificateValidation: true,
		});
	});

	test.each([
		['http://proxy.example.com:3128', { host: 'proxy.example.com', port: 3128, protocol: 'http' }],
		['https://proxy.example.com', { host: 'proxy.example.com', port: 443, protocol: 'https' }],
		['http://proxy.example.com', { host: 'proxy.example.com', port: 80, protocol: 'http' }],
		[
			'http://us%40er:p%3Ass@10.0.0.1:8080',
			{
				host: '10.0.0.1',
				port: 8080,
				protocol: 'http',
				auth: { username: 'us@er', password: 'p:ss' },
			},
		],
	])('take %s for a proxy', (proxy, expected) => {
		expect(read({ proxy }).proxy).toEqual(expected);
	});

	test.each(['proxy.example.com:3128', 'socks5://proxy:1080', 'proxy', 'http://%E0%A4%A@proxy'])(
		'refuse %s, and say what a proxy looks like',
		(proxy) => {
			const problem = catchError(() => read({ proxy }));
			expect(problem).toMatchObject({
				message: 'The address of the proxy cannot be used',
				description: expect.stringContaining('http://proxy.example.com:3128') as string,
			});
		},
	);

	test.each([
		[{}, { size: 1, intervalMs: 0 }],
		[
			{ batching: { batch: { batchSize: 50, batchInterval: 1000 } } },
			{ size: 50, intervalMs: 1000 },
		],
		// As n8n's own routing takes it.
		[
			{ batching: { batch: { batchSize: -1, batchInterval: 1000 } } },
			{ size: 1, intervalMs: 1000 },
		],
	])('make batches of %j', (requestOptions, expected) => {
		expect(readBatching(createContext(requestOptions))).toEqual(expected);
	});
});

function catchError(run: () => unknown): unknown {
	try {
		return run();
	} catch (error) {
		return error;
	}
}
