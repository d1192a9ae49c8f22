import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { N8nClient } from '../../../scripts/n8n/N8nClient';
import type { WorkflowContent, WorkflowNode } from '../../../scripts/n8n/n8nTypes';
import { placeExamples } from '../../../scripts/n8n/examples';
import type { INode, INodeTypeDescription } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';
import { VideoGeneration } from '../../../nodes/VideoGeneration/VideoGeneration.node';
import { VideoGenerationTrigger } from '../../../nodes/VideoGeneration/VideoGenerationTrigger.node';
import { listUnknownParameters } from '../../support/listUnknownParameters';

const PACKAGE = 'n8n-nodes-video-generation';

const STICKY = 'n8n-nodes-base.stickyNote';

/** A workflow with more nodes does not fit on one screen. */
const MAX_WORKING_NODES = 13;

/** What the first note calls the account that a type of node needs. */
const ACCOUNTS: Record<string, RegExp> = {
	[`${PACKAGE}.videoGeneration`]: /Video Generation|video service/,
	[`${PACKAGE}.videoGenerationTool`]: /Video Generation|video service/,
	[`${PACKAGE}.videoGenerationTrigger`]: /Video Generation|video service/,
	'n8n-nodes-base.googleDrive': /Google Drive/,
	'n8n-nodes-base.googleSheets': /Google Sheets/,
	'n8n-nodes-base.slack': /Slack/,
	'n8n-nodes-base.slackHitlTool': /Slack/,
	'n8n-nodes-base.youTube': /YouTube/,
	'@n8n/n8n-nodes-langchain.lmChatOpenAi': /OpenAI/,
};

/** The nodes of n8n itself, which need no account. */
const WITHOUT_ACCOUNT = [
	...['errorTrigger', 'filter', 'formTrigger', 'if', 'limit', 'manualTrigger', 'noOp'],
	...['scheduleTrigger', 'set', 'splitInBatches', 'stickyNote', 'stopAndError', 'switch', 'wait'],
]
	.map((name) => `n8n-nodes-base.${name}`)
	.concat(
		['agent', 'chainLlm', 'chatTrigger', 'mcpTrigger', 'memoryBufferWindow'].map(
			(name) => `@n8n/n8n-nodes-langchain.${name}`,
		),
		'@n8n/n8n-nodes-langchain.outputParserStructured',
	);

const FILES = readdirSync('examples').filter((file) => file.endsWith('.json'));

function read(file: string): WorkflowContent {
	return JSON.parse(readFileSync(join('examples', file), 'utf8')) as WorkflowContent;
}

/**
 * Sizes of a sticky note's text in n8n's editor, measured generously: text that fits here fits
 * there.
 */
const PADDING_PX = 32;

const LIST_INDENT_PX = 24;

const EMPTY_LINE_PX = 4;

const TEXT = { characterPx: 6.8, linePx: 19, marginPx: 5 };

const SMALL_HEADING = { characterPx: 9, linePx: 22, marginPx: 12 };

const HEADING = { characterPx: 12, linePx: 28, marginPx: 14 };

/** Returns the height that a sticky note of this width needs for its Markdown. */
function estimateNoteHeight(content: string, width: number): number {
	const heights = content.split('\n').map((line) => estimateLine(line, width - PADDING_PX));
	return PADDING_PX + heights.reduce((sum, height) => sum + height, 0);
}

function estimateLine(line: string, width: number): number {
	if (line === '') return EMPTY_LINE_PX;
	const style = line.startsWith('## ') ? HEADING : line.startsWith('### ') ? SMALL_HEADING : TEXT;
	const isEntry = /^(\d+\.|-) /.test(line);
	const perLine = Math.floor((width - (isEntry ? LIST_INDENT_PX : 0)) / style.characterPx);
	const text = line.replace(/[*`#]/g, '').trim();
	return Math.ceil(text.length / perLine) * style.linePx + style.marginPx;
}

interface Box {
	name: string;
	left: number;
	top: number;
	right: number;
	bottom: number;
}

const NODE_PX = 96;

/** Width of a node that is attached to another node. */
const ATTACHED_NODE_PX = 80;

/** Width of a node that has others attached from below. */
const WIDE_NODE_PX = 256;

/** A node's label is below it: its name in two lines, wider than the node, and its subtitle. */
const NAME_HEIGHT_PX = 80;

const NAME_OVERHANG_PX = 48;

const GRID_PX = 16;

const YELLOW = undefined;

function isNote({ type }: WorkflowNode): boolean {
	return type === STICKY;
}

function readNote({ parameters }: WorkflowNode) {
	return parameters as { content: string; width: number; height: number; color?: number };
}

function isAttached({ name }: WorkflowNode, connections: WorkflowContent['connections']): boolean {
	return Object.keys(connections[name] ?? {}).some((type) => type.startsWith('ai_'));
}

function readBox(node: WorkflowNode, connections: WorkflowContent['connections']): Box {
	const { name, type, position } = node;
	const [left, top] = position;
	if (isNote(node)) {
		const { width, height } = readNote(node);
		return { name, left, top, right: left + width, bottom: top + height };
	}
	const narrow = isAttached(node, connections) ? ATTACHED_NODE_PX : NODE_PX;
	const width = /\.agent$|HitlTool$/.test(type) ? WIDE_NODE_PX : narrow;
	return {
		...{ name, top, bottom: top + NODE_PX + NAME_HEIGHT_PX },
		...{ left: left - NAME_OVERHANG_PX, right: left + width + NAME_OVERHANG_PX },
	};
}

function findOverlaps(boxes: Box[]): string[] {
	return boxes.flatMap((a, index) =>
		boxes
			.slice(index + 1)
			.filter((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
			.map((b) => `${a.name} / ${b.name}`),
	);
}

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

const ALL_NODES = FILES.flatMap((file) =>
	(read(file).nodes as INode[]).map((node) => ({ node, name: `${file}: ${node.name}` })),
);

describe.each(FILES)('the example %s', (file) => {
	const example = read(file);
	const names = example.nodes.map(({ name }) => name);

	it('holds nothing of the n8n that it was made in', () => {
		expect(Object.keys(example).sort()).toEqual(['connections', 'name', 'nodes', 'settings']);
		for (const node of example.nodes) expect(node.credentials).toBeUndefined();
	});

	it('has one name and one id for each node, and connects nodes that exist', () => {
		expect(new Set(names).size).toBe(names.length);
		expect(new Set(example.nodes.map(({ id }) => id)).size).toBe(names.length);
		const targets = JSON.stringify(example.connections).matchAll(/"node":"([^"]+)"/g);
		const connected = [
			...Object.keys(example.connections),
			...[...targets].map(([, name]) => name),
		];
		for (const name of connected) expect(names).toContain(name);
	});

	it('refers in its expressions to nodes that exist', () => {
		const references = JSON.stringify(example.nodes).matchAll(/\$\('([^']+)'\)/g);
		for (const [, name] of references) expect(names).toContain(name);
	});

	it('is on the page of the examples, with a picture', () => {
		const page = readFileSync(join('examples', 'README.md'), 'utf8');
		const section = page.split(/^## /m).find((text) => text.includes(`](${file})`));
		expect(section).toContain('<picture>');
	});

	it('says in its first note what it does, and which accounts it needs', () => {
		const note = example.nodes.find(({ type }) => type === STICKY)?.parameters.content as string;
		const others = example.nodes.filter(({ type }) => !WITHOUT_ACCOUNT.includes(type));
		expect(note).toMatch(/^## /);
		for (const { type } of others) expect(note).toMatch(ACCOUNTS[type] ?? `${type}, which is new`);
	});

	it('is short enough to be read', () => {
		const working = example.nodes.filter(({ type }) => type !== STICKY);
		expect(working.length).toBeLessThanOrEqual(MAX_WORKING_NODES);
	});
});

test('The page of the examples has a section for each, and no other', () => {
	const page = readFileSync(join('examples', 'README.md'), 'utf8');
	expect(page.match(/^## /gm)).toHaveLength(FILES.length);
});

describe('placing the examples', () => {
	it("gives each an id of its own with which n8n keeps a trigger's state, and the credential to our nodes only", async () => {
		const saved = new Map<string, WorkflowContent>();
		const client = {
			saveWorkflow: (id: string, content: WorkflowContent) => {
				saved.set(id, content);
				return Promise.resolve({ ...content, id, versionId: 'v', active: false });
			},
		} as unknown as N8nClient;
		const credential = { id: 'c1', name: 'Local', type: 'videoGenerationApi' };

		const placed = await placeExamples(client, 'examples', credential, PACKAGE);

		expect(placed.size).toBe(FILES.length);
		expect(saved.size).toBe(FILES.length);
		for (const [id, { nodes }] of saved) {
			expect(id.length).toBeLessThanOrEqual(21);
			for (const { type, credentials } of nodes) {
				const expected = { videoGenerationApi: { id: 'c1', name: 'Local' } };
				expect(credentials).toEqual(type.startsWith(`${PACKAGE}.`) ? expected : undefined);
			}
		}
	});
});

describe.each(FILES)('the canvas of the example %s', (file) => {
	const { nodes, connections } = read(file);
	const notes = nodes.filter(isNote);

	it('has notes whose text is not cut', () => {
		const cut = notes
			.filter((note) => {
				const { content, width, height } = readNote(note);
				return estimateNoteHeight(content, width) > height;
			})
			.map(({ name }) => name);
		expect(cut).toEqual([]);
	});

	it('has nothing that lies over something else', () => {
		expect(findOverlaps(nodes.map((node) => readBox(node, connections)))).toEqual([]);
	});

	it("lies on n8n's grid, and leads from left to right", () => {
		const offGrid = nodes.filter(({ position }) => position.some((px) => px % GRID_PX !== 0));
		expect(offGrid.map(({ name }) => name)).toEqual([]);
	});

	it('has one yellow note, which says what it does, how it works and how to set it up', () => {
		const yellow = notes.map(readNote).filter(({ color }) => color === YELLOW);
		expect(yellow).toHaveLength(1);
		expect(yellow[0]?.content).toMatch(
			/^## .+\n\S[^]+\n### How it works\n1\. [^]+\n### Set up\n1\. /,
		);
	});

	it('has notes beside its parts', () => {
		expect(notes.length).toBeGreaterThanOrEqual(4);
		for (const note of notes) expect(readNote(note).content).toMatch(/^##/);
	});
});

describe('the nodes of the examples', () => {
	it('are of this package or of n8n', () => {
		const foreign = ALL_NODES.filter(
			({ node: { type } }) => !/^(@n8n\/n8n-|n8n-)nodes-/.test(type),
		);
		expect(foreign.map(({ name }) => name)).toEqual([]);
		const known = ALL_NODES.filter(({ node: { type } }) => type.startsWith(`${PACKAGE}.`));
		expect(known.filter(({ node: { type } }) => !OURS[type]).map(({ name }) => name)).toEqual([]);
	});

	it.each(ALL_NODES.filter(({ node: { type } }) => OURS[type]))(
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
		for (const { node } of ALL_NODES) {
			const text = JSON.stringify(node).replace(LINK_TO_VIDEO, '');
			expect(text).not.toMatch(/https?:|[\w.]+@[\w.]+\.\w|cachedResultUrl|webhookId|"credentials"/);
		}
	});
});
