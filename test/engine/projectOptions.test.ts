import type { INodePropertyOptions } from 'n8n-workflow';
import { TRIGGER_TYPE } from '../support/engine/ActiveTrigger';
import { createLoadOptionsContext } from '../support/engine/createLoadOptionsContext';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();

async function load(apiKey = service.sandbox.apiKey): Promise<INodePropertyOptions[]> {
	const credentials = { baseUrl: service.sandbox.url, apiKey };
	const { context, nodeTypes } = await createLoadOptionsContext(credentials, TRIGGER_TYPE);
	const { methods } = nodeTypes.getByNameAndVersion(TRIGGER_TYPE);
	const getProjects = methods?.loadOptions?.getProjects;
	if (!getProjects) throw new Error('The trigger has no list of projects');
	return await getProjects.call(context);
}

describe("The trigger's list of projects to choose from", () => {
	test('shows the names, last updated first', async () => {
		expect(await load()).toEqual([
			{ name: 'Launch film (3 credits)', value: 'project-launch-film' },
			{ name: 'Product teaser', value: 'project-product-teaser' },
			{ name: 'Broken storyboard (always fails)', value: 'project-broken-storyboard' },
			{ name: 'City tour', value: 'project-city-tour' },
		]);
	});

	test('is empty for an account without projects', async () => {
		expect(await load(service.sandbox.accounts.empty.apiKey)).toEqual([]);
	});

	test('shows a key problem as an error, not as an empty list', async () => {
		await expect(load('wrong-key')).rejects.toMatchObject({
			httpCode: '401',
			description: expect.stringContaining("'API Key'") as string,
		});
	});

	test.each([
		[{ kind: 'html' }, '200'],
		[{ kind: 'tooManyRequests', retryAfter: 'none' }, '429'],
	] as const)('shows what is wrong when the service answers with %j', async (fault, httpCode) => {
		service.sandbox.addFault(fault);
		await expect(runWithoutWaiting(() => load())).rejects.toMatchObject({ httpCode });
	});
});
