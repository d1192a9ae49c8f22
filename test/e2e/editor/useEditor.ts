import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { Editor } from '../../../scripts/editor/Editor';
import { launchBrowser } from '../../../scripts/editor/launchBrowser';
import type { VideoPlayer } from '../../../scripts/editor/NodePanel';
import { waitFor } from '../../../scripts/waitFor';
import { E2E_FOLDER, PACKAGE } from '../../support/e2e/PLACES';
import { real } from './n8n';

/** Many times as long as an idle machine needs. While other tests start their n8n, a page may take long. */
const TIMEOUT_MS = 120_000;

/** That of a laptop. */
const SMALL_SCREEN = { width: 1366, height: 768 };

/** Runs steps in n8n's editor, logged in, or in other pages of its browser. */
type Visit = (steps: (editor: Editor, browser: Browser) => Promise<void>) => () => Promise<void>;

/**
 * Starts a browser for all tests of a block.
 *
 * @returns a function that makes a test of steps in the editor. A test that fails leaves a picture of
 * the page and its errors in a folder. A test fails if the page reports an error of our package.
 */
export function useEditor(): Visit {
	let browser: Browser;
	let editor: Editor;
	const errors: string[] = [];
	beforeAll(async () => {
		browser = await launchBrowser();
		editor = await Editor.open(browser, real.client.address, SMALL_SCREEN);
		const { page } = editor;
		page.setDefaultTimeout(TIMEOUT_MS);
		page.on('console', (message) => {
			if (message.type() === 'error') errors.push(`${message.text()} (${message.location().url})`);
		});
		page.on('pageerror', (error) => errors.push(error.stack ?? error.message));
		await editor.logIn(real.client.owner);
	});
	afterAll(async () => {
		await browser.close();
	});
	return (steps) => async () => {
		errors.length = 0;
		try {
			await steps(editor, browser);
			expect(errors.filter(isOurs)).toEqual([]);
		} catch (error) {
			await keepFailure(editor.page, errors);
			// It may have left a dialog open, in which the next test would fail as well.
			editor.leave();
			throw error;
		}
	};
}

/** Whether an error is about our package, such as a missing schema: n8n also reports hosts that cannot be reached. */
function isOurs(error: string): boolean {
	return /video.?generation/i.test(error) && !error.includes('ERR_NAME_NOT_RESOLVED');
}

async function keepFailure(page: Page, errors: string[]): Promise<void> {
	const title = expect.getState().currentTestName ?? PACKAGE;
	const folder = join(E2E_FOLDER, 'editor', 'failures');
	const path = join(folder, title.replace(/\W+/g, '-').slice(-100));
	mkdirSync(folder, { recursive: true });
	writeFileSync(`${path}.txt`, [page.url(), ...errors].join('\n'));
	await page.screenshot({ path: `${path}.png` }).catch(() => undefined);
}

/**
 * Repeats the assertions until they hold, because a page is drawn piece by piece.
 *
 * @throws the error of the last attempt if they do not hold in time
 */
export async function eventually(assert: () => Promise<void>): Promise<void> {
	let failure: unknown;
	const holds = async () =>
		await assert().then(
			() => true,
			(error: unknown) => {
				failure = error;
				return false;
			},
		);
	await waitFor('assertions to hold', holds, TIMEOUT_MS).catch(() => {
		throw failure;
	});
}

/** Expects a form to have fields with these labels, from top to bottom, as soon as all of it is drawn: `API Key *`. */
export async function expectLabels(form: Locator, labels: string[]): Promise<void> {
	const shown = form
		.getByTestId('input-label')
		.or(form.locator('form label'))
		.filter({ visible: true });
	await eventually(async () => {
		// All are read at once, because a label may vanish at any moment while a form is being drawn.
		const texts = await shown.evaluateAll((elements) =>
			elements.map((label) => label.querySelector<HTMLElement>('.n8n-text')?.innerText ?? ''),
		);
		const read = texts.map((text) => text.replace(/\s+/g, ' ').trim()).filter(Boolean);
		expect(read).toEqual(labels);
	});
}

/** Publishes the open workflow with n8n's buttons. */
export async function publish(page: Page): Promise<void> {
	await page.getByTestId('workflow-open-publish-modal-button').click();
	await page.getByTestId('workflow-publish-button').click();
	await page.getByTestId('activation-modal').waitFor();
	await page.keyboard.press('Escape');
	await page.getByTestId('workflow-active-version-indicator').waitFor();
}

/** Expects the output of the open node to be an error. */
export async function expectError(page: Page, message: RegExp, description: RegExp): Promise<void> {
	const output = page.getByTestId('output-panel');
	expect(await output.getByTestId('node-error-message').innerText()).toMatch(message);
	expect(await output.getByTestId('node-error-description').innerText()).toMatch(description);
}

export async function expectToPlay(video: VideoPlayer): Promise<void> {
	await video.playFromStart();
	await waitFor('the video to play', async () => (await video.read()).seconds > 0.2);
	const state = await video.read();
	expect(state).toMatchObject({ error: null, width: 480 });
	expect(state.durationSeconds).toBeCloseTo(2, 1);
}
