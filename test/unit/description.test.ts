import fs from 'node:fs';
import path from 'node:path';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { VideoGenerationApi } from '../../credentials/VideoGenerationApi.credentials';
import { VideoGeneration } from '../../nodes/VideoGeneration/VideoGeneration.node';
import { checkList, checkReply } from '../../nodes/VideoGeneration/request/steps/checkReply';

const ROOT = path.resolve(__dirname, '../..');
const { description, methods } = new VideoGeneration();

function getProperties(name: string) {
	return description.properties.filter((property) => property.name === name);
}

/** Every property, those inside collections too. */
function walk(properties: INodeProperties[]): INodeProperties[] {
	return properties.flatMap((property) => [
		property,
		...(property.type === 'collection' ? walk(property.options as INodeProperties[]) : []),
	]);
}

const operations = getProperties('operation').flatMap((property) =>
	(property.options as INodePropertyOptions[]).map((option) => ({
		resource: property.displayOptions?.show?.resource?.[0] as string,
		option,
	})),
);

describe('The description', () => {
	test('has the public names, which saved workflows hold on to', () => {
		const names = Object.fromEntries(
			operations.map(({ resource, option }) => [
				`${resource} ${String(option.value)}`,
				description.properties
					.filter(({ displayOptions }) => {
						const { resource: resources, operation } = displayOptions?.show ?? {};
						return resources?.includes(resource) && operation?.includes(option.value);
					})
					.map(({ name }) => name),
			]),
		);
		expect(description.name).toBe('videoGeneration');
		expect(names).toEqual({
			'queue add': [
				'projectId',
				'overwriteSettings',
				'customPrompt',
				'waitForCompletion',
				'waitOptions',
				'options',
			],
			'queue clear': ['queueId', 'options'],
			'queue getProgress': ['queueId', 'options'],
			'queue wait': ['queueId', 'projectId', 'waitOptions', 'options'],
			'video download': ['videoUrl', 'binaryPropertyName', 'options'],
			'video getAll': ['returnAll', 'limit', 'filters', 'options'],
			'project getAll': ['returnAll', 'limit', 'options'],
			'account get': ['options'],
		});
		const inside = (name: string) =>
			getProperties(name).map(({ options }) =>
				(options as INodeProperties[]).map((option) => option.name),
			);
		expect(inside('waitOptions')[0]).toEqual([
			'completedStatuses',
			'failedStatuses',
			'pollingInterval',
			'timeout',
		]);
		expect(inside('filters')).toEqual([['createdAfter', 'createdBefore', 'projectId']]);
		expect(new Set(inside('options').map(String))).toEqual(
			new Set(['maxTries', 'maxTries,sort,order', 'fileName,maxTries']),
		);
	});

	test('sends every operation through the request policy, with one path of the specification or none', () => {
		const requests = operations.map(({ option }) => option.routing?.request);
		expect(requests).toEqual([
			{ method: 'POST', url: '/v1/queue/add' },
			{ method: 'POST', url: '/v1/queue/clear' },
			{ method: 'GET', url: '/v1/queue/progress' },
			{ method: 'GET', url: '/v1/queue/progress' },
			undefined,
			{ method: 'GET', url: '/v1/videos' },
			{ method: 'GET', url: '/v1/projects' },
			{ method: 'GET', url: '/v1/user/account' },
		]);
		for (const { option } of operations) {
			expect(option.routing?.send).toMatchObject({
				paginate: true,
				preSend: [expect.any(Function)],
			});
			if (option.routing?.output === undefined) continue;
			expect([checkReply, checkList]).toContain(option.routing.output.postReceive?.[0]);
		}
		expect(description.requestOperations?.pagination).toHaveProperty('name', 'sendByPolicy');
	});

	test('has no expression of its own that n8n evaluates for each item: each costs about a millisecond', () => {
		const evaluated = JSON.stringify([
			description.requestDefaults,
			...walk(description.properties).map(({ routing }) => routing ?? null),
			...operations.map(({ option }) => option.routing ?? null),
		]);
		expect(evaluated).not.toContain('"=');
		expect(walk(description.properties).filter(({ routing }) => routing !== undefined)).toEqual([]);
	});

	test('states a text parameter once: n8n evaluates its expression twice for each statement', () => {
		const texts = description.properties.filter(({ type }) => type === 'string');
		const names = texts.map(({ name }) => name);
		expect(names).toEqual([...new Set(names)]);
	});

	test('never follows a redirect with the key, and sees every answer', () => {
		expect(description.requestDefaults).toMatchObject({
			disableFollowRedirect: true,
			ignoreHttpStatusErrors: true,
		});
	});

	test('tells an agent what costs credits and what cannot be undone', () => {
		const actions = Object.fromEntries(
			operations.map(({ resource, option }) => [
				`${resource} ${String(option.value)}`,
				option.action,
			]),
		);
		expect(actions['queue add']).toMatch(/^Spend credits/);
		expect(actions['queue clear']).toMatch(/^Permanently/);
		expect(description.usableAsTool).toBe(true);
	});

	test('explains every field', () => {
		for (const { name, description: text, type } of walk(description.properties)) {
			if (['resource', 'operation'].includes(name) || type === 'collection') continue;
			expect({ name, text }).toEqual({
				name,
				text: expect.stringMatching(/^[A-Z].{15,}/) as string,
			});
		}
	});

	test('fills every picker from a list search that exists', () => {
		const locators = walk(description.properties).filter(({ type }) => type === 'resourceLocator');
		expect(locators).toHaveLength(3);
		for (const { modes } of locators) {
			expect(modes?.map(({ name }) => name)).toEqual(['list', 'id']);
			const method = modes?.[0]?.typeOptions?.searchListMethod;
			expect(Object.keys(methods.listSearch)).toContain(method);
		}
	});
});

describe('The codex file', () => {
	const codex = JSON.parse(
		fs.readFileSync(path.join(ROOT, 'nodes/VideoGeneration/VideoGeneration.node.json'), 'utf8'),
	) as { node: string; categories: string[]; alias: string[] };

	test('belongs to the node and has words to find it by', () => {
		// In this category n8n hides what has no subcategory from its nodes panel.
		expect(codex.categories).not.toContain('AI');
		expect(codex.node).toBe('n8n-nodes-video-generation.videoGeneration');
		expect(codex.categories.length).toBeGreaterThan(0);
		expect(codex.alias).toContain('video');
	});
});

describe('Every icon', () => {
	test.each([
		['nodes/VideoGeneration', description.icon],
		['credentials', new VideoGenerationApi().icon],
	])('of %s is there in light and dark', (folder, icon) => {
		for (const theme of ['light', 'dark'] as const) {
			const file = (icon as Record<string, string>)[theme]?.replace(/^file:/, '') ?? '';
			expect(fs.readFileSync(path.join(ROOT, folder, file), 'utf8')).toContain('<svg');
		}
	});
});
