import type { Editor } from '../editor/Editor';
import type { Stage } from './furnishStage';
import { takeCanvas } from './takeCanvas';
import { takeCredential } from './takeCredential';
import { takeExample } from './takeExample';
import { takeNode } from './takeNode';
import { takeNodesPanel } from './takeNodesPanel';
import { takeTrigger } from './takeTrigger';

export interface Picture {
	name: string;
	/** Of the window that it is taken in. */
	width: number;
	height: number;
	/** Pixels of the picture for each pixel of the window. */
	scale: number;
	/** Brings the editor there. @returns the picture, a PNG */
	take: (editor: Editor, stage: Stage) => Promise<Buffer>;
}

/** An example's canvas in a window of its shape. */
function ofExample(file: string, width: number, height: number): Picture {
	return { name: `example-${file}`, width, height, scale: 1, take: takeExample(file) };
}

/** Every picture of `docs/pictures`. */
export const PICTURES: Picture[] = [
	{ name: 'nodes-panel', width: 1280, height: 1020, scale: 2, take: takeNodesPanel },
	{ name: 'node', width: 1620, height: 910, scale: 1.5, take: takeNode },
	{ name: 'credential', width: 1280, height: 800, scale: 2, take: takeCredential },
	{ name: 'trigger', width: 1500, height: 640, scale: 1.5, take: takeTrigger },
	{ name: 'run', width: 1360, height: 700, scale: 1.5, take: takeCanvas },
	ofExample('react-to-finished-videos', 1200, 760),
	ofExample('queue-a-video-per-row', 2300, 900),
	ofExample('store-finished-videos', 1500, 900),
	ofExample('daily-videos-with-repair', 1800, 1050),
	ofExample('agent-that-makes-videos', 1700, 950),
	ofExample('clear-stuck-queue-items', 2700, 900),
];
