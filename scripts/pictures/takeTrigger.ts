import type { Editor } from '../editor/Editor';
import type { Stage } from './furnishStage';

/** The trigger with a test event. */
export async function takeTrigger(editor: Editor, { trigger }: Stage): Promise<Buffer> {
	await editor.openWorkflow(trigger);
	const panel = await editor.openNode('When a video is finished');
	await panel.fetchTestEvent();
	await panel.readTable();
	await panel.showOutputAs('schema');
	return await editor.picture(panel.root);
}
