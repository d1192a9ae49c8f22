import type { Editor } from '../editor/Editor';
import { ReadableError } from '../ReadableError';
import type { Stage } from './furnishStage';

/** The whole canvas of an example, as it is before anything is set up. */
export function takeExample(file: string) {
	return async (editor: Editor, { examples }: Stage): Promise<Buffer> => {
		const id = examples[file];
		if (id === undefined) throw new ReadableError(`There is no examples/${file}.json.`);
		await editor.openWorkflow(id);
		await editor.fitCanvas();
		return await editor.picture(editor.canvas);
	};
}
