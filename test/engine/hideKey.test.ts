import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import { ActiveTrigger } from '../support/engine/ActiveTrigger';
import { createLoadOptionsContext } from '../support/engine/createLoadOptionsContext';
import { OPERATIONS } from '../support/engine/OPERATIONS';
import { NODE_TYPE, runNode } from '../support/engine/runNode';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();
const KEY = 'key+of/somebody==';
const LINK = `https://service.example/login?key=${encodeURIComponent(KEY)}`;
const pasted = ` Bearer ${KEY}\n`;
const credentials = () => ({ baseUrl: service.sandbox.url, apiKey: pasted });

const ECHOES: [string, FaultSpec][] = [
	['in its words', { kind: 'status', status: 401, message: `Invalid key ${KEY}` }],
	['in a link', { kind: 'redirect', location: LINK }],
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
		expect(all).not.toContain(encodeURIComponent(KEY));
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
