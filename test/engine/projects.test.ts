import type { INodeListSearchResult, INodePropertyOptions } from 'n8n-workflow';
import { TRIGGER_TYPE } from '../support/engine/ActiveTrigger';
import { createLoadOptionsContext } from '../support/engine/createLoadOptionsContext';
import { NODE_TYPE } from '../support/engine/runNode';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();
const NEWEST_FIRST = [
	{ name: 'Launch film (3 credits)', value: 'project-launch-film' },
	{ name: 'Product teaser', value: 'project-product-teaser' },
	{ name: 'Broken storyboard (always fails)', value: 'project-broken-storyboard' },
	{ name: 'City tour', value: 'project-city-tour' },
];

async function search(
	filter?: string,
	apiKey = service.sandbox.apiKey,
): Promise<INodeListSearchResult> {
	const { context, nodeTypes } = await createLoadOptionsContext({
		baseUrl: service.sandbox.url,
		apiKey,
	});
	const type = nodeTypes.getByNameAndVersion(NODE_TYPE);
	const searchProjects = type.methods?.listSearch?.searchProjects;
	if (!searchProjects) throw new Error('The node has no list of projects');
	return await searchProjects.call(context, filter);
}

async function load(apiKey = service.sandbox.apiKey): Promise<INodePropertyOptions[]> {
	const credentials = { baseUrl: service.sandbox.url, apiKey };
	const { context, nodeTypes } = await createLoadOptionsContext(credentials, TRIGGER_TYPE);
	const { methods } = nodeTypes.getByNameAndVersion(TRIGGER_TYPE);
	const getProjects = methods?.loadOptions?.getProjects;
	if (!getProjects) throw new Error('The trigger has no list of projects');
	return await getProjects.call(context);
}

describe('The list of projects to pick from', () => {
	test('shows the names, last updated first', async () => {
		const { results } = await search();
		expect(results).toEqual(NEWEST_FIRST);
		expect(service.sandbox.requests).toMatchObject([
			{ url: '/v1/projects?sort=updatedAt&order=desc' },
		]);
	});

	test.each([
		['tour', ['City tour']],
		[' PRODUCT ', ['Product teaser']],
		['project-city-tour', ['City tour']],
		['nothing like it', []],
	])('narrows with %j to %j', async (filter, expected) => {
		expect((await search(filter)).results.map(({ name }) => name)).toEqual(expected);
	});

	test('is sorted even when the service does not sort', async () => {
		const project = (name: string, updatedAt: unknown) => ({ id: name, name, updatedAt });
		const projects = [
			project('old', '2025-01-01T00:00:00Z'),
			project('dateless', null),
			project('new', '2026-01-01T00:00:00Z'),
		];
		service.sandbox.addFault({
			kind: 'status',
			status: 200,
			body: { status: 'success', projects },
		});
		expect((await search()).results.map(({ name }) => name)).toEqual(['new', 'old', 'dateless']);
	});

	test('shows the ID of a project without a name', async () => {
		const projects = [{ id: 'p1', name: '' }, { id: 7 }, { name: 'without an ID' }];
		service.sandbox.addFault({
			kind: 'status',
			status: 200,
			body: { status: 'success', projects },
		});
		expect((await search()).results).toEqual([
			{ name: 'p1', value: 'p1' },
			{ name: '7', value: '7' },
		]);
	});

	test('shows a key problem as an error, not as an empty list', async () => {
		await expect(search(undefined, 'wrong-key')).rejects.toMatchObject({
			httpCode: '401',
			message: expect.stringContaining('did not accept the API key') as string,
			description: expect.stringContaining("'API Key'") as string,
		});
	});

	test.each([
		[{ kind: 'html' }, '200'],
		[{ kind: 'missingField', field: 'projects' }, '200'],
		[{ kind: 'reset' }, 'ECONNRESET'],
		[{ kind: 'tooManyRequests', retryAfter: 'none' }, '429'],
	] as const)('shows what is wrong when the service answers with %j', async (fault, httpCode) => {
		service.sandbox.addFault(fault);
		await expect(runWithoutWaiting(() => search())).rejects.toMatchObject({ httpCode });
	});
});

describe("The trigger's list of projects to choose from", () => {
	test('shows the names, last updated first', async () => {
		expect(await load()).toEqual(NEWEST_FIRST);
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
