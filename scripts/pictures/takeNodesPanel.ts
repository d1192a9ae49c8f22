import type { Editor } from '../editor/Editor';

/** Every trigger and action that is found by typing "video". */
export async function takeNodesPanel(editor: Editor): Promise<Buffer> {
	await editor.newWorkflow();
	await editor.nodesPanel.open();
	await editor.nodesPanel.search('video');
	await editor.nodesPanel.openDetails('Video Generation');
	return await editor.picture(editor.nodesPanel.root);
}
