import type { Editor } from '../editor/Editor';
import type { Stage } from './furnishStage';

/** The node with its parameters, and the video that it has made. */
export async function takeNode(editor: Editor, { node }: Stage): Promise<Buffer> {
	await editor.openWorkflow(node);
	const panel = await editor.openNode('Make a video');
	await panel.execute();
	await panel.readTable();
	await panel.showOutputAs('schema');
	return await editor.picture(panel.root);
}
