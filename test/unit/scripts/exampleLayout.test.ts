import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowContent, WorkflowNode } from '../../../scripts/n8n/n8nTypes';
import { estimateNoteHeight } from '../../support/estimateNoteHeight';

interface Box {
	name: string;
	left: number;
	top: number;
	right: number;
	bottom: number;
}

const STICKY = 'n8n-nodes-base.stickyNote';
const NODE_PX = 96;
/** Width of a node that is attached to another node. */
const ATTACHED_NODE_PX = 80;
/** Width of a node that has others attached from below. */
const WIDE_NODE_PX = 256;
/** A node's label is below it: its name in two lines, wider than the node, and its subtitle. */
const NAME_HEIGHT_PX = 80;
const NAME_OVERHANG_PX = 48;
/** The first two examples were published before examples had to be on n8n's grid. */
const OFF_GRID = ['queue-a-video.json', 'react-to-finished-videos.json'];
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

const files = readdirSync('examples').filter((file) => file.endsWith('.json'));

describe.each(files)('the canvas of the example %s', (file) => {
	const { nodes, connections } = JSON.parse(
		readFileSync(join('examples', file), 'utf8'),
	) as WorkflowContent;
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

	if (OFF_GRID.includes(file)) return;

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
