import type { Editor } from '../editor/Editor';
import type { Stage } from './furnishStage';

/** The credential, tested; its key is hidden. */
export async function takeCredential(editor: Editor, { credential }: Stage): Promise<Buffer> {
	await editor.openCredential(credential);
	await editor.credentialForm.waitForSuccess();
	return await editor.picture(editor.credentialForm.root);
}
