import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import { ActiveTrigger } from '../support/engine/ActiveTrigger';
import { createLoadOptionsContext } from '../support/engine/createLoadOptionsContext';
import { OPERATIONS } from '../support/engine/OPERATIONS';
import { NODE_TYPE, runNode } from '../support/engine/runNode';
import { TestCredentialsHelper } from '../support/engine/TestCredentialsHelper';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();
const KEY = 'key+of/somebody==';
const LINK = `https://service.example/login?key=${encodeURIComponent(KEY)}`;
const toBase64 = (text: string) => Buffer.from(text).toString('base64');
const pasted = ` Bearer ${KEY}\n`;
const credentials = () => ({ baseUrl: service.sandbox.url, apiKey: pasted });

const ECHOES: [string, FaultSpec][] = [
	['in its words', { kind: 'status', status: 401, message: `Invalid key ${KEY}` }],
	['in a link', { kind: 'redirect', location: LINK }],
	[
		'in a link, in lower case',
		{ kind: 'redirect', location: LINK.replace(/%../g, (escape) => escape.toLowerCase()) },
	],
	[
		'in a link within a link',
		{ kind: 'redirect', location: `https://a.example/?next=${encodeURIComponent(LINK)}` },
	],
	[
		'in JSON within its words',
		{ kind: 'status', status: 401, message: `No {"key":"${KEY.replace('/', '\\/')}"}` },
	],
	[
		'in base64',
		{ kind: 'status', status: 401, message: `Bad header ${toBase64(`Bearer ${KEY}`)}` },
	],
];

/** Returns every text of an error, at any depth. */
const readAll = (error: unknown) =>
	JSON.stringify(error, Object.getOwnPropertyNames(error)) + JSON.stringify(error);

describe.each(ECHOES)('A service that repeats the key %s', (_how, fault) => {
	beforeEach(() => service.sandbox.addFault(fault));

	const expectHidden = (error: unknown) => {
		const all = readAll(error);
		expect(all).toContain('[API key]');
		expect(all).not.toContain(KEY);
		expect(decodeURIComponent(decodeURIComponent(all.replaceAll('\\', '')))).not.toContain(KEY);
		expect(all).not.toContain(toBase64(`Bearer ${KEY}`).slice(12, -4));
	};

	test('does not bring it into an error of the node', async () => {
		const { error } = await runNode({
			parameters: OPERATIONS['account.get'],
			credentials: credentials(),
		});
		expectHidden(error);
	});

	test('does not bring it into an error of the trigger', async () => {
		const trigger = await ActiveTrigger.create({
			credentials: credentials(),
			storage: 'static data',
		});
		const { error } = await trigger.poll();
		expectHidden(error);
	});

	test('does not bring it into an error of the list of projects', async () => {
		const { context, nodeTypes } = await createLoadOptionsContext(credentials());
		const { methods } = nodeTypes.getByNameAndVersion(NODE_TYPE);
		const failed = methods?.listSearch?.searchProjects?.call(context);
		expectHidden(await failed?.catch((error: unknown) => error));
	});
});

describe('A service that repeats the key while n8n cannot read the credential again', () => {
	afterEach(() => jest.restoreAllMocks());

	test.each([
		['its words', { kind: 'status', status: 403, message: `Key ${KEY} is not allowed` }],
		['a redirect', { kind: 'redirect', location: LINK }],
	] as const)('shows nothing of %s', async (_what, fault) => {
		service.sandbox.addFault(fault);
		const read = TestCredentialsHelper.prototype.getDecrypted;
		let count = 0;
		jest.spyOn(TestCredentialsHelper.prototype, 'getDecrypted').mockImplementation(async function (
			this: TestCredentialsHelper,
			...args
		) {
			count += 1;
			if (count > 1) throw new Error('Connection terminated unexpectedly');
			return await read.apply(this, args);
		});
		const { error } = await runNode({
			parameters: OPERATIONS['account.get'],
			credentials: credentials(),
		});
		expect(count).toBeGreaterThan(1);
		expect(error?.message).toMatch(/does not allow this for the API key|redirects to another one$/);
		expect(readAll(error)).not.toContain('key+of');
		expect(readAll(error)).not.toContain('key%2Bof');
	});
});

test("A service that repeats the key as a video's status does not bring it into the list of paid videos", async () => {
	const { apiKey } = service.sandbox;
	service.sandbox.addFault({ kind: 'statusWord', word: apiKey, operation: 'queue.add' });
	service.sandbox.addFault({ kind: 'status', status: 400, operation: 'queue.add', nth: 2 });
	const { error } = await service.run(OPERATIONS['queue.add'], { items: [{}, {}] });
	expect(error?.description).toMatch(/Already queued.* \(\[API key\]\)/);
	expect(error?.description).not.toContain(apiKey);
});
