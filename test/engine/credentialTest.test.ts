import { testCredential } from '../support/engine/testCredential';
import { testWith } from '../support/engine/testWith';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();
const testIt = async (more: { apiKey?: string; baseUrl?: string } = {}) =>
	await testCredential({ apiKey: service.sandbox.apiKey, baseUrl: service.sandbox.url, ...more });

describe('The credential test', () => {
	test('reads the account, which is free, at the address as it was pasted', async () => {
		expect(await testIt({ baseUrl: ` ${service.sandbox.url}/v1/ ` })).toBe('OK');
		expect(service.sandbox.requests).toMatchObject([{ method: 'GET', url: '/v1/user/account' }]);
	});

	testWith('errorCauses', 'says that the key is wrong', async () => {
		expect(await testIt({ apiKey: 'wrong-key' })).toMatch(
			/^The service does not accept this key\. Copy it again/,
		);
	});

	testWith(
		'errorCauses',
		'says that nothing can be reached, in the words of the network that n8n shows',
		async () => {
			expect(await testIt({ baseUrl: 'http://127.0.0.1:1' })).toBe('ECONNREFUSED');
		},
	);

	test.each([
		[{ kind: 'html' }, /not the address of the video generation service. Check 'Base URL'/],
		[{ kind: 'emptyBody' }, /not the address of the video generation service. Check 'Base URL'/],
		[
			{ kind: 'status', status: 200, body: { status: 'ok' } },
			/not the address of the video generation service/,
		],
		[{ kind: 'errorEnvelope' }, /did not (carry out|return)/],
	] as const)('says what is wrong when the service answers with %j', async (fault, expected) => {
		service.sandbox.addFault(fault);
		expect(await testIt()).toMatch(expected);
	});

	for (const [fault, expected] of [
		[{ kind: 'status', status: 403 }, /does not allow this key/],
		[{ kind: 'status', status: 404 }, /no video generation service at this address/],
		[{ kind: 'status', status: 429 }, /Wait a minute/],
		[{ kind: 'status', status: 500 }, /The service is not working at the moment.*Try again later/],
		[{ kind: 'redirect', location: 'http://127.0.0.1:1/' }, /redirects.*'Base URL'/],
	] as const) {
		const name = `says what is wrong when the service answers with ${JSON.stringify(fault)}`;
		testWith('errorCauses', name, async () => {
			service.sandbox.addFault(fault);
			expect(await testIt()).toMatch(expected);
		});
	}

	test('fails in n8n of every age when the key is wrong or nothing can be reached', async () => {
		expect(await testIt({ apiKey: 'wrong-key' })).toMatch(/key|credentials/);
		expect(await testIt({ baseUrl: 'http://127.0.0.1:1' })).toMatch(/refused/i);
	});

	test.each([
		[{ baseUrl: '' }, /^'Base URL' is empty/],
		[{ baseUrl: 'my service' }, /^'Base URL' is not a web address/],
		[{ apiKey: '' }, /^'API Key' is empty/],
	])('says what is missing in %j before any request', async (part, expected) => {
		expect(await testIt(part)).toMatch(expected);
		expect(service.sandbox.requests).toEqual([]);
	});
});
