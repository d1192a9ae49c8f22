import fs from 'node:fs';
import path from 'node:path';
import type { INodeProperties } from 'n8n-workflow';
import { VideoGeneration } from '../../nodes/VideoGeneration/VideoGeneration.node';
import { VideoGenerationTrigger } from '../../nodes/VideoGeneration/VideoGenerationTrigger.node';

const FOLDER = path.resolve(__dirname, '../../nodes/VideoGeneration');
const { description, methods } = new VideoGenerationTrigger();
const options = description.properties.find(({ name }) => name === 'options')
	?.options as INodeProperties[];

describe("The trigger's description", () => {
	test('has the public names, which saved workflows hold on to', () => {
		expect(description.name).toBe('videoGenerationTrigger');
		expect(description.version).toBe(1);
		expect(description.properties.map(({ name }) => name)).toEqual(['projectIds', 'options']);
		expect(options.map(({ name }) => name)).toContain('emitExisting');
	});

	test('is polled by n8n, and begins a workflow', () => {
		expect(description).toMatchObject({ polling: true, group: ['trigger'], inputs: [] });
		expect(description.outputs).toHaveLength(1);
		expect(description.credentials).toEqual([{ name: 'videoGenerationApi', required: true }]);
	});

	test('watches all projects, and leaves out what was there before, unless it is told otherwise', () => {
		expect(description.properties[0]?.default).toEqual([]);
		expect(options.find(({ name }) => name === 'emitExisting')?.default).toBe(false);
	});

	test('fills the choice of projects from a list that exists', () => {
		const method = description.properties[0]?.typeOptions?.loadOptionsMethod;
		expect(Object.keys(methods.loadOptions)).toContain(method);
	});

	test('explains every field', () => {
		for (const { description: text } of [description.properties[0], ...options].filter(
			(property) => property !== undefined,
		)) {
			expect(text).toMatch(/^[A-Z].{30,}/);
		}
	});

	test('says in its panel what a test event is, and what happens once the workflow is active', () => {
		const panel = JSON.stringify(description.triggerPanel);
		expect(panel).toMatch(/fetch test event.*newest finished video.*changes nothing/);
		expect(panel).toMatch(/execute automatically/);
		expect(panel).toMatch(/data-key='executions'/);
	});

	test("has the node's icons", () => {
		expect(description.icon).toEqual(new VideoGeneration().description.icon);
	});

	test('has a codex file with words to find it by', () => {
		const codex = JSON.parse(
			fs.readFileSync(path.join(FOLDER, 'VideoGenerationTrigger.node.json'), 'utf8'),
		) as { node: string; categories: string[]; alias: string[] };
		expect(codex.node).toBe('n8n-nodes-video-generation.videoGenerationTrigger');
		expect(codex.categories.length).toBeGreaterThan(0);
		expect(codex.alias).toContain('video');
	});
});
