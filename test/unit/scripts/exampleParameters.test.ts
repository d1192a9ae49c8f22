import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NodeHelpers, type INode, type INodeTypeDescription } from 'n8n-workflow';
import { VideoGeneration } from '../../../nodes/VideoGeneration/VideoGeneration.node';
import { VideoGenerationTrigger } from '../../../nodes/VideoGeneration/VideoGenerationTrigger.node';
import { listUnknownParameters } from '../../support/listUnknownParameters';

const PACKAGE = 'n8n-nodes-video-generation';
const { description } = new VideoGeneration();
const OURS: Record<string, INodeTypeDescription> = {
	[`${PACKAGE}.videoGeneration`]: description,
	[`${PACKAGE}.videoGenerationTool`]: description,
	[`${PACKAGE}.videoGenerationTrigger`]: new VideoGenerationTrigger().description,
};
/** The parameter that n8n itself adds to every polling node. */
const POLLING = 'pollTimes';

/** The beginning of the public link that an example writes to a sheet. */
const LINK_TO_VIDEO = 'https://youtu.be/';

const nodes = readdirSync('examples')
	.filter((file) => file.endsWith('.json'))
	.flatMap((file) => {
		const example = JSON.parse(readFileSync(join('examples', file), 'utf8')) as { nodes: INode[] };
		return example.nodes.map((node) => ({ file, node, name: `${file}: ${node.name}` }));
	});

describe('the nodes of the examples', () => {
	it('are of this package or of n8n', () => {
		const foreign = nodes.filter(({ node: { type } }) => !/^(@n8n\/n8n-|n8n-)nodes-/.test(type));
		expect(foreign.map(({ name }) => name)).toEqual([]);
		const known = nodes.filter(({ node: { type } }) => type.startsWith(`${PACKAGE}.`));
		expect(known.filter(({ node: { type } }) => !OURS[type]).map(({ name }) => name)).toEqual([]);
	});

	it.each(nodes.filter(({ node: { type } }) => OURS[type]))(
		'$name has no parameter that the node does not show, and all that it needs',
		({ node }) => {
			const ours = OURS[node.type];
			if (!ours) throw new Error(`${node.type} is not ours`);
			expect(node.typeVersion).toBe(ours.version);
			const unknown = listUnknownParameters(node, ours);
			expect(unknown.filter((name) => name !== POLLING)).toEqual([]);
			expect(NodeHelpers.getNodeParametersIssues(ours.properties, node, ours)).toBeNull();
		},
	);

	it('hold no address, no account and no key', () => {
		for (const { node } of nodes) {
			const text = JSON.stringify(node).replace(LINK_TO_VIDEO, '');
			expect(text).not.toMatch(/https?:|[\w.]+@[\w.]+\.\w|cachedResultUrl|webhookId|"credentials"/);
		}
	});
});
