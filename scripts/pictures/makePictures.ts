import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startSandbox } from '../../sandbox/startSandbox';
import { Editor, type Session } from '../editor/Editor';
import { launchBrowser } from '../editor/launchBrowser';
import type { ProcessSet } from '../processes/ProcessSet';
import { OWNER } from '../start/OWNER';
import { showStep } from '../steps/showStep';
import { furnishStage } from './furnishStage';
import { PICTURES } from './PICTURES';
import { savePicture } from './savePicture';
import { startStage } from './startStage';

const STAGE_FOLDER = resolve('.n8n-local', 'pictures');
const TARGET_FOLDER = resolve('docs', 'pictures');

/** Shown in the pictures, so always the same one. */
const SANDBOX_PORT = 4010;

/**
 * Makes the pictures of `docs/pictures` anew, light and dark, in a fresh n8n with the packed package.
 * @param names of the pictures to make; none means all. `trigger` shows a video that `node` makes.
 */
export async function makePictures(processes: ProcessSet, names: string[] = []): Promise<void> {
	rmSync(STAGE_FOLDER, { recursive: true, force: true });
	mkdirSync(TARGET_FOLDER, { recursive: true });
	const client = await startStage(STAGE_FOLDER, processes);
	const durations = { pendingMs: 500, processingMs: 500, renderingMs: 500 };
	const sandbox = await startSandbox({
		...{ port: SANDBOX_PORT, clock: 'real', rateLimit: false, durations },
	});
	const wanted = PICTURES.filter(({ name }) => names.length === 0 || names.includes(name));
	const browser = await launchBrowser(join(STAGE_FOLDER, 'browser'));
	try {
		const stage = await furnishStage(client, sandbox);
		let session: Session | undefined;
		for (const theme of ['light', 'dark'] as const) {
			for (const { name, width, height, scale, take } of wanted) {
				await showStep(`Taking ${name}, ${theme}`, async () => {
					const options = { theme, width, height, scale, session };
					const editor = await Editor.open(browser, client.address, options);
					session ??= await editor.logIn(OWNER);
					const picture = await take(editor, stage);
					await savePicture(picture, join(TARGET_FOLDER, `${name}-${theme}.png`));
					await editor.close();
				});
			}
		}
	} finally {
		await browser.close();
		await sandbox.close();
	}
}
