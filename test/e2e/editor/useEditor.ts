import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, ConsoleMessage, Page } from 'playwright-core';
import { Editor } from '../../../scripts/editor/Editor';
import { launchBrowser } from '../../../scripts/editor/launchBrowser';
import { E2E_FOLDER, PACKAGE } from '../../support/e2e/PLACES';
import type { RealN8nInTests } from '../../support/e2e/useRealN8n';

const TIMEOUT_MS = 120_000;
const SCHEMAS = join('dist', 'nodes', 'VideoGeneration', '__schema__');

/** Runs steps in n8n's editor, logged in, or in other pages of its browser. */
type Visit = (steps: (editor: Editor, browser: Browser) => Promise<void>) => () => Promise<void>;

/**
 * Starts a browser for all tests of a file.
 *
 * @param name the folder below `.n8n-local/e2e` in which failures are kept
 * @returns a function that makes a test of steps in the editor. A test that fails leaves a picture of
 * the page and its errors in the folder. A test fails if the page reports an error of our package.
 */
export function useEditor(name: string, real: RealN8nInTests): Visit {
	const folder = join(E2E_FOLDER, name);
	let browser: Browser | undefined;
	let editor: Editor | undefined;
	const errors: string[] = [];
	beforeAll(async () => {
		browser = await launchBrowser();
		editor = await Editor.open(browser, real.client.address);
		// While other tests start their n8n, a page may take long.
		editor.page.setDefaultTimeout(TIMEOUT_MS);
		collectErrors(editor.page, errors);
		await editor.logIn();
	});
	afterAll(async () => {
		await browser?.close();
	});
	return (steps) => async () => {
		if (!editor || !browser) throw new Error('The browser is there from beforeAll to afterAll');
		errors.length = 0;
		try {
			await steps(editor, browser);
			expect(errors.filter(isOurs)).toEqual([]);
		} catch (error) {
			await keepFailure(editor.page, errors, folder);
			throw error;
		}
	};
}

/** Adds the errors of a page while it is open. */
function collectErrors(page: Page, errors: string[]): void {
	page.on('console', (message: ConsoleMessage) => {
		if (message.type() === 'error') errors.push(`${message.text()} (${message.location().url})`);
	});
	page.on('pageerror', (error) => errors.push(error.stack ?? error.message));
}

/** Whether an error is about our package: n8n also reports missing logins and unreachable hosts. */
function isOurs(error: string): boolean {
	if (!/video.?generation/i.test(error)) return false;
	const isUnreachable = error.includes('ERR_NAME_NOT_RESOLVED');
	// n8n requests a schema for every operation, even if the package has none.
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
