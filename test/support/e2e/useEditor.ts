import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, ConsoleMessage, Page } from 'playwright-core';
import { Editor } from '../../../scripts/editor/Editor';
import { launchBrowser } from '../../../scripts/editor/launchBrowser';
import { OWNER } from '../../../scripts/n8n/N8nClient';
import { E2E_FOLDER, PACKAGE } from './PLACES';
import type { RealN8nInTests } from './useRealN8n';

const SCHEMAS = join('dist', 'nodes', 'VideoGeneration', '__schema__');

/** Gives a test n8n's editor, logged in, in a window of its own. */
type Visit = (steps: (editor: Editor) => Promise<void>) => () => Promise<void>;

/**
 * A browser for all tests of a file.
 * @param name of the folder that it writes in, below `.n8n-local/e2e`
 * @returns what makes a test of steps in the editor. One that fails leaves a picture of the page and
 * its errors in that folder; one during which the page complains of our package fails.
 */
export function useEditor(name: string, real: RealN8nInTests): Visit {
	const folder = join(E2E_FOLDER, name);
	let browser: Browser | undefined;
	let first: Editor | undefined;
	beforeAll(async () => {
		browser = await launchBrowser();
	});
	afterAll(async () => {
		await browser?.close();
	});
	return (steps) => async () => {
		if (!browser) throw new Error('The browser is there from beforeAll to afterAll');
		if (!first) {
			first = await Editor.open(browser, real.client.address);
			await first.logIn(OWNER);
		}
		const editor = await first.openWindow();
		const errors = collectErrors(editor.page);
		try {
			await steps(editor);
			expect(errors.filter(isOurs)).toEqual([]);
		} catch (error) {
			await keepFailure(editor.page, errors, folder);
			throw error;
		} finally {
			await editor.closeWindow();
		}
	};
}

/** Everything that the page complains of while it is open. */
function collectErrors(page: Page): string[] {
	const errors: string[] = [];
	page.on('console', (message: ConsoleMessage) => {
		if (message.type() === 'error') errors.push(`${message.text()} (${message.location().url})`);
	});
	page.on('pageerror', (error) => errors.push(error.stack ?? error.message));
	return errors;
}

/** n8n complains of itself, too: of who is not logged in yet, of hosts that are out of reach. */
function isOurs(error: string): boolean {
	if (!/video.?generation/i.test(error)) return false;
	const isUnreachable = error.includes('ERR_NAME_NOT_RESOLVED');
	// n8n asks for a schema of every operation, whether the package has any or not.
	const isMissingSchema = error.includes('/schemas/') && !existsSync(SCHEMAS);
	return !isUnreachable && !isMissingSchema;
}

async function keepFailure(page: Page, errors: string[], folder: string): Promise<void> {
	const title = expect.getState().currentTestName ?? PACKAGE;
	const path = join(folder, 'failures', title.replace(/\W+/g, '-').slice(-100));
	mkdirSync(join(folder, 'failures'), { recursive: true });
	writeFileSync(`${path}.txt`, [page.url(), ...errors].join('\n'));
	await page.screenshot({ path: `${path}.png` }).catch(() => undefined);
}
