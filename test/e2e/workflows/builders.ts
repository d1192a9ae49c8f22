import { VideoGeneration } from '../../../nodes/VideoGeneration/VideoGeneration.node';
import { VideoGenerationTrigger } from '../../../nodes/VideoGeneration/VideoGenerationTrigger.node';
import { PACKAGE } from '../../support/e2e/PLACES';
import { connectMcp, type McpClient } from './connectMcp';
import { real } from './n8n';

const NODE = `${PACKAGE}.videoGeneration`;
const TRIGGER = `${PACKAGE}.videoGenerationTrigger`;

const HINTS = {
	[NODE]: new VideoGeneration().description.builderHint?.searchHint,
	[TRIGGER]: new VideoGenerationTrigger().description.builderHint?.searchHint,
};

/** Writes a workflow as a model does, for the function `validate_workflow`. */
const write = (start: string, next: string) => `
import { workflow, trigger, node } from '@n8n/workflow-sdk';
const start = trigger({ version: 1, ${start} });
const next = node({ version: 1, ${next} });
export default workflow('video', 'Video').add(start).to(next);`;

const GENERATE = `type: '${NODE}', config: { name: 'Make it', parameters: {
	resource: 'video',
	operation: 'generate',
	projectId: { __rl: true, mode: 'id', value: 'project-city-tour' },
	customPrompt: '={{ $json.prompt }}',
	options: { uniqueKey: '={{ $json.id }}' },
} }`;

describe("A model that builds workflows with n8n's own MCP server", () => {
	let builder: McpClient;

	beforeAll(async () => {
		const { client } = real;
		await client.request('PATCH', '/mcp/settings', { mcpAccessEnabled: true });
		const { apiKey } = await client.request<{ apiKey: string }>('POST', '/mcp/api-key/rotate');
		builder = await connectMcp(`${client.address}/mcp-server/http`, apiKey);
	});

	afterAll(async () => {
		await builder.close();
	});

	test.each([
		'generate a video',
		'text to video',
		'create videos',
		'make a short video',
		'AI video from a prompt',
		'render a video for each row',
	])('finds the node first for "%s", and reads how to use it and its trigger', async (query) => {
		const found = await builder.call('search_nodes', { queries: [query] });
		const names = [...found.matchAll(/^- (\S+)/gm)].map(([, name]) => name);
		expect(names[0]).toBe(NODE);
		expect(names.slice(0, 3)).toContain(TRIGGER);
		for (const hint of Object.values(HINTS)) expect(found).toContain(`@builderHint ${hint}\n`);
	});

	test('reads the same beside the parameters of each, word for word', async () => {
		for (const [nodeId, hint] of Object.entries(HINTS)) {
			const told = await builder.call('get_node_types', { nodeIds: [{ nodeId }] });
			expect(told).toContain(`@builderHint ${hint}\n`);
		}
	});

	test.each([
		['Video > Generate alone', write("type: 'n8n-nodes-base.manualTrigger'", GENERATE)],
		['the trigger', write(`type: '${TRIGGER}'`, "type: 'n8n-nodes-base.noOp'")],
	])('may build a workflow of %s', async (_what, code) => {
		const told = await builder.call('validate_workflow', { code });
		expect(JSON.parse(told)).toEqual({ valid: true, nodeCount: 2 });
	});
});
