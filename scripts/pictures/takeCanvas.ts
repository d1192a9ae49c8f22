import type { Editor } from '../editor/Editor';
import type { Stage } from './furnishStage';

/** The example, run. */
export async function takeCanvas(editor: Editor, { example }: Stage): Promise<Buffer> {
	await editor.openWorkflow(example);
	await editor.executeWorkflow([
		'When you press Execute',
		'List the projects',
		'Take the one updated last',
		'Queue a video and wait for it',
		'Download the video',
		'See the credits left',
	]);
	await editor.fitCanvas();
	return await editor.picture(editor.canvas);
}
