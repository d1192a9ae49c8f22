import { buffer } from 'node:stream/consumers';
import type { Browser, Page } from 'playwright-core';
import { VideoPlayer } from '../../../scripts/editor/NodePanel';
import { waitFor } from '../../../scripts/waitFor';

const TIMEOUT_MS = 60_000;

/** An n8n form in a browser of its own, as one person has it. */
export class FormPage {
	/** The player of the last page. */
	readonly video: VideoPlayer;

	private constructor(private readonly page: Page) {
		this.video = new VideoPlayer(page.locator('video'));
	}

	static async open(browser: Browser, address: string): Promise<FormPage> {
		const context = await browser.newContext({ acceptDownloads: true });
		const page = await context.newPage();
		await page.goto(address);
		return new FormPage(page);
	}

	/** Fills in the only field, and sends the form. */
	async send(text: string): Promise<void> {
		await this.page.locator('textarea').fill(text);
		await this.page.locator('#submit-btn').click();
	}

	/** @returns the file that the last page hands over */
	async receiveFile() {
		const download = await this.page.waitForEvent('download', { timeout: TIMEOUT_MS });
		const content = await buffer(await download.createReadStream());
		return { fileName: download.suggestedFilename(), content };
	}

	/** @returns the text of the last page */
	async readEnding(): Promise<string> {
		await this.page.waitForURL(/form-waiting/, { timeout: TIMEOUT_MS });
		return await this.page.locator('.card').innerText();
	}
}

export async function expectToPlay(video: VideoPlayer): Promise<void> {
	await video.playFromStart();
	await waitFor('the video to play', async () => (await video.read()).seconds > 0.2);
	const state = await video.read();
	expect(state).toMatchObject({ error: null, width: 480 });
	expect(state.durationSeconds).toBeCloseTo(2, 1);
}
