import type { Locator, Page } from 'playwright-core';
import { waitFor } from '../waitFor';

/** The panel of one node: its input, parameters and output. */
export class NodePanel {
	readonly root: Locator;
	readonly output: Locator;
	readonly parameters: Locator;

	constructor(private readonly page: Page) {
		this.root = page.getByTestId('ndv');
		this.output = page.getByTestId('output-panel');
		this.parameters = page.getByTestId('node-parameters');
	}

	/** Presses the node's button. n8n runs no node that lacks a required value. */
	async press(): Promise<void> {
		await this.page.getByTestId('node-execute-button').click();
	}

	/** Presses the node's button, and waits until n8n runs it: the output of an earlier run is removed by then. */
	async execute(): Promise<void> {
		const run = this.page.waitForResponse(
			(response) => response.request().method() === 'POST' && response.url().endsWith('/run'),
		);
		await this.press();
		await run;
	}

	/** @param timeout in milliseconds; by default, that of the page */
	async waitForSuccess(timeout?: number): Promise<void> {
		await this.output.getByTestId('node-run-status-success').waitFor(timeout ? { timeout } : {});
	}

	/** Waits for the output table. @returns its heads, and the cells of each row */
	async readTable(): Promise<{ heads: string[]; rows: string[][] }> {
		await this.waitForSuccess();
		// n8n chooses the view again when a run has just ended, whatever was clicked before, and may redraw the
		// table at any moment. So all of it is read at once; the browser puts a tab between two cells.
		return await waitFor('the table', async () => {
			await this.output.getByTestId('radio-button-table').click();
			const lines = await this.output.locator('table tr').filter({ visible: true }).allInnerTexts();
			const [heads, ...rows] = lines.map((line) => line.split('\t').map((cell) => cell.trim()));
			return heads && rows.length > 0 && { heads: heads.filter(Boolean), rows };
		});
	}

	/** Opens the file of an item of the output. @returns its player */
	async viewVideo(item = 0): Promise<VideoPlayer> {
		await this.output.getByTestId('radio-button-binary').click();
		await this.output.getByTestId('ndv-view-binary-data').nth(item).click();
		const video = this.output.locator('video');
		await video.waitFor();
		return new VideoPlayer(video);
	}

	/** Closes the player. */
	async closeVideo(): Promise<void> {
		await this.output.getByText('Back to list').click();
	}

	async close(): Promise<void> {
		await this.page.getByTestId('ndv-close-button').click();
		await this.root.waitFor({ state: 'hidden' });
	}
}

/** The player in which n8n shows a video. */
export class VideoPlayer {
	constructor(readonly root: Locator) {}

	async playFromStart(): Promise<void> {
		await this.root.evaluate(async (video: HTMLVideoElement) => {
			video.currentTime = 0;
			await video.play();
		});
	}

	/** Returns the state of the player, with the current position and the reason why it cannot play. */
	async read() {
		return await this.root.evaluate((video: HTMLVideoElement) => ({
			address: video.currentSrc,
			durationSeconds: video.duration,
			seconds: video.currentTime,
			width: video.videoWidth,
			error: video.error?.message ?? null,
		}));
	}
}
